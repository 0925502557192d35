import { useSignal } from '@preact/signals'
import { Button } from './button.tsx'

const shownMs = 1_500

/** Copies a text that is not always shown whole. */
export function Copy({
	text,
	label = 'Copy',
	icon = true,
}: {
	text: string
	label?: string
	icon?: boolean
}) {
	const done = useSignal<string | undefined>(undefined)
	const copy = async () => {
		// A page that is not encrypted has no clipboard, and a person may refuse it.
		const copied = await navigator.clipboard?.writeText(text).then(
			() => true,
			() => false,
		)
		done.value = copied ? 'Copied' : 'Not copied: your browser refused'
		setTimeout(() => {
			done.value = undefined
		}, shownMs)
	}
	const shown = done.value ?? label
	return icon ? (
		<Button
			kind="quiet"
			small
			icon={done.value === 'Copied' ? 'check' : 'copy'}
			label={shown}
			onClick={copy}
		/>
	) : (
		<Button small icon={done.value === 'Copied' ? 'check' : 'copy'} onClick={copy}>
			{shown}
		</Button>
	)
}

/** An id, shortened where it is long, that can be copied. */
export function Id({ of }: { of: string }) {
	return (
		<span class="id">
			<code>{of}</code>
			<Copy text={of} label={`Copy ${of}`} />
		</span>
	)
}
