import { useSignal } from '@preact/signals'
import { useAskBeforeLeaving } from '../data/leaving.ts'
import { Button } from './button.tsx'
import { Copy } from './copy.tsx'
import { Dialog } from './dialog.tsx'
import { Note } from './note.tsx'

/** A secret that no answer shows again: masked until it is asked for, with a button to copy it. Leaving it asks first. */
export function Secret({ of: secret, name }: { of: string; name: string }) {
	const open = useSignal(false)
	useAskBeforeLeaving(`${name}: this is not shown again. Leave without having stored it?`)
	return (
		<div class="secret">
			<code title={name}>{open.value ? secret : `${secret.slice(0, 8)}${'•'.repeat(24)}`}</code>
			<Button
				small
				onClick={() => {
					open.value = !open.value
				}}
			>
				{open.value ? 'Hide' : 'Show'}
			</Button>
			<Copy text={secret} label="Copy" icon={false} />
		</div>
	)
}

/** Stays until its reader says that the secret is stored; Escape does not lose it by accident. */
export function SecretDialog({
	title,
	secret,
	hint,
	onStored,
}: {
	title: string
	secret: string
	hint: string
	onStored(): void
}) {
	const footer = (
		<Button kind="primary" onClick={onStored}>
			I have stored it
		</Button>
	)
	return (
		<Dialog title={title} footer={footer}>
			<Note tone="warn">
				<p>This is shown once. {hint}</p>
			</Note>
			<Secret of={secret} name={title} />
		</Dialog>
	)
}
