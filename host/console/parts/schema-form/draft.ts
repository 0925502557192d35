import { isObject, step } from './schema.ts'

/** What was typed and cannot be read yet: it stands in the form's value where the value would. */
export class Draft {
	readonly text: string
	readonly fault: string
	constructor(text: string, fault: string) {
		this.text = text
		this.fault = fault
	}
}

export function readNumber(text: string): number | undefined | Draft {
	const trimmed = text.trim()
	if (trimmed === '') return undefined
	const value = Number(trimmed)
	return Number.isFinite(value) ? value : new Draft(text, 'is no number')
}

export function readJson(text: string): unknown {
	if (text.trim() === '') return undefined
	try {
		return JSON.parse(text)
	} catch (error) {
		return new Draft(text, `is not JSON: ${(error as Error).message}`)
	}
}

export function writeNumber(value: unknown): string {
	if (value instanceof Draft) return value.text
	return value === undefined || value === null ? '' : String(value)
}

/** The drafts in it become the texts they are: what JSON mode shows then can be read. */
export function writeJson(value: unknown): string {
	if (value instanceof Draft) return value.text
	if (value === undefined) return ''
	return JSON.stringify(value, (_, part) => (part instanceof Draft ? part.text : part), 2)
}

/** By pointer. */
export function draftFaults(value: unknown, pointer = ''): Record<string, string> {
	if (value instanceof Draft) return { [pointer]: value.fault }
	const parts = Array.isArray(value)
		? value.map((part, i) => [i, part] as const)
		: isObject(value)
			? Object.entries(value)
			: []
	return Object.assign({}, ...parts.map(([name, part]) => draftFaults(part, step(pointer, name))))
}
