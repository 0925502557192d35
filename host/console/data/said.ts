import { signal } from '@preact/signals'

/** What was done last, for those who hear the page: the shell has the region (app/said.tsx). A turn is one saying. */
export const said = signal({ text: '', turn: 0 })

export function say(text: string): void {
	said.value = { text, turn: said.peek().turn + 1 }
}
