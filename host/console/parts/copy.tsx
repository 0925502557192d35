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
	const done = useSignal(false)
	const copy = async () => {
		await navigator.clipboard.writeText(text)
		done.value = true
		setTimeout(() => {
			done.value = false
		}, shownMs)
	}
	const shown = done.value ? 'Copied' : label
	return icon ? (
		<Button kind="quiet" small icon={done.value ? 'check' : 'copy'} label={shown} onClick={copy} />
	) : (
		<Button small icon={done.value ? 'check' : 'copy'} onClick={copy}>
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
