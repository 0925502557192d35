import type { Signal } from '@preact/signals'

// What ties a field of a form to the signal that holds what was typed.

export const bound = (text: Signal<string>) => ({
	value: text.value,
	onText: (typed: string) => {
		text.value = typed
	},
})

export const chosen = (choice: Signal<string>) => ({
	value: choice.value,
	onChoice: (value: string) => {
		choice.value = value
	},
})

export const ticked = (box: Signal<boolean>) => ({
	checked: box.value,
	onCheck: (checked: boolean) => {
		box.value = checked
	},
})
