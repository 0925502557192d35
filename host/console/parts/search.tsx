import type { Signal } from '@preact/signals'

/** Narrows the list below it while one types. */
export function Search({ label, hint, text }: { label: string; hint: string; text: Signal<string> }) {
	return (
		<input
			class="search"
			type="search"
			aria-label={label}
			placeholder={hint}
			value={text.value}
			onInput={(event) => {
				text.value = event.currentTarget.value
			}}
		/>
	)
}
