import { useRef } from 'preact/hooks'
import type { Credential } from '../../../owner/client/index.ts'
import { useAction } from '../../data/action.ts'
import { say } from '../../data/said.ts'
import { Button } from '../button.tsx'
import { Field } from '../field.tsx'
import { Failure } from '../note.tsx'
import { type Holder, sealAndUpload } from './upload.ts'

interface EntryProps {
	holder: Holder
	credential: Credential
	changed(): Promise<void>
	/** Where one is there already and is to be kept. */
	onClose?: (() => void) | undefined
}

/**
 * A key or token, typed or pasted. It stands in the input alone, never in the page's state, and the input is emptied as
 * soon as the ciphertext has arrived.
 */
export function SecretEntry({ holder, credential, changed, onClose }: EntryProps) {
	const input = useRef<HTMLInputElement>(null)
	const provider = credential.kind === 'provider'
	const word = provider ? 'key' : credential.kind === 'secret' ? 'secret' : 'token'
	const save = useAction(async () => {
		const typed = input.current?.value.trim() ?? ''
		if (typed === '') throw new Error(`Type the ${word} first.`)
		await sealAndUpload(holder, credential, { [provider ? 'api_key' : word]: typed })
		if (input.current) input.current.value = ''
		await changed()
		say(`The ${word} is encrypted and stored.`)
		onClose?.()
	})
	return (
		<form
			class="secret-entry"
			autocomplete="off"
			onSubmit={(event) => {
				event.preventDefault()
				void save.run()
			}}
		>
			<Field
				label={provider ? `API key of ${credential.needed_by}` : word === 'secret' ? 'Secret' : 'Token'}
				fault={credential.state === 'rejected' ? (credential.last_error ?? 'was refused') : undefined}
				hint={
					provider
						? 'Checked with the provider when the agent starts, encrypted in this browser; the server only sees ciphertext.'
						: 'Encrypted in this browser; the server only sees ciphertext.'
				}
			>
				{(attributes) => (
					<input
						{...attributes}
						ref={input}
						type="password"
						// What password managers leave alone.
						autocomplete="off"
						data-1p-ignore
						data-lpignore="true"
						spellcheck={false}
						autocapitalize="off"
					/>
				)}
			</Field>
			<div class="actions">
				<Button type="submit" busy={save.busy}>
					{`Encrypt and upload ${word}`}
				</Button>
				{onClose && (
					<Button kind="quiet" onClick={onClose}>
						Keep the present one
					</Button>
				)}
			</div>
			<Failure of={save.error} />
		</form>
	)
}
