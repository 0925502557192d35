import { nestsTooDeep, TOO_DEEP } from '../../../bundles/index.ts'
import type { ToolCall } from '../../wire/model.ts'

const SHOWN_CHARS = 200
/** A shorter text nests nothing too deep. */
const SHALLOW_CHARS = 200

/**
 * What a model wrote as a call's arguments; nothing at all stands for `{}`, but not in an answer that was `cut`: there
 * the arguments were still to come.
 */
export function toolCall(id: string, name: string, text: string, cut: boolean): ToolCall {
	if (text === '' && cut) return { id, name, input: {}, input_error: 'the answer was cut off before them' }
	if (text === '') return { id, name, input: {} }
	try {
		const input: unknown = JSON.parse(text)
		const deep = text.length > SHALLOW_CHARS && nestsTooDeep(input)
		if (isObject(input) && !deep) return { id, name, input }
		const why = deep ? `the value ${TOO_DEEP}` : 'not an object'
		return { id, name, input: text, input_error: `${why}: ${text.slice(0, SHOWN_CHARS)}` }
	} catch (error) {
		return {
			id,
			name,
			input: text,
			input_error: `${(error as Error).message}: ${text.slice(0, SHOWN_CHARS)}`,
		}
	}
}

/** Some servers give arguments as they are, where text belongs. */
export function textOf(given: unknown): string {
	if (given === undefined || given === null) return ''
	return typeof given === 'string' ? given : JSON.stringify(given)
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
	return isWhole(text) ? text : '{}'
}

/** It is a JSON object. */
export function isWhole(text: string): boolean {
	try {
		return text.trimEnd().endsWith('}') && isObject(JSON.parse(text))
	} catch {
		return false
	}
}

const isObject = (value: unknown): value is object =>
	typeof value === 'object' && value !== null && !Array.isArray(value)
