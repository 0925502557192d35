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
		if (typeof input === 'object' && input !== null && !Array.isArray(input)) return { id, name, input }
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

/** The same the other way round, for interfaces that carry arguments as text. */
export function argumentsText({ input, input_error }: ToolCall): string {
	return input_error !== undefined && typeof input === 'string' ? input : JSON.stringify(input ?? {})
}
