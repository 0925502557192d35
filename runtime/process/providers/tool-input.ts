import type { ToolCall } from '../../wire/model.ts'

const SHOWN_CHARS = 200

/**
 * What a model wrote as a call's arguments; nothing at all stands for `{}`, but not in an answer that was `cut`: there
 * the arguments were still to come.
 */
export function toolCall(id: string, name: string, text: string, cut: boolean): ToolCall {
	if (text === '' && cut) return { id, name, input: {}, input_error: 'the answer was cut off before them' }
	if (text === '') return { id, name, input: {} }
	try {
		const input: unknown = JSON.parse(text)
		if (isObject(input)) return { id, name, input }
		return { id, name, input: text, input_error: `not an object: ${text.slice(0, SHOWN_CHARS)}` }
	} catch (error) {
		return {
			id,
			name,
			input: text,
			input_error: `${(error as Error).message}: ${text.slice(0, SHOWN_CHARS)}`,
		}
	}
}

/**
 * As it goes back: in place of anything but an object, which a provider would refuse, an empty one. The result of the
 * call tells the model what was wrong.
 */
export function sentInput(input: unknown): object {
	return isObject(input) ? input : {}
}

/** The same for interfaces that carry arguments as text, as the model wrote them. */
export function sentText(text: string): string {
	try {
		return isObject(JSON.parse(text)) ? text : '{}'
	} catch {
		return '{}'
	}
}

const isObject = (value: unknown): value is object =>
	typeof value === 'object' && value !== null && !Array.isArray(value)
