import { inspect } from 'node:util'

/** A plaintext that no log, template, JSON text or debugger output shows by accident. */
export class Secret {
	readonly #text: string
	constructor(text: string) {
		this.#text = text
	}
	reveal(): string {
		return this.#text
	}
	toString(): string {
		return '[secret]'
	}
	toJSON(): string {
		return '[secret]'
	}
	[inspect.custom](): string {
		return '[secret]'
	}
}
