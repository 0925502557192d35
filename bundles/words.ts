import type { z } from 'zod'

/** What stands where nothing was given. */
export const MISSING = 'is missing'
/** A value that none of several schemas takes. */
export const NO_FORM = 'has none of the forms that are taken here'

/** By zod's name for it. */
const kinds: Record<string, string> = {
	string: 'a string',
	number: 'a number',
	int: 'a whole number',
	boolean: 'true or false',
	array: 'an array',
	tuple: 'an array',
	object: 'an object',
	record: 'an object',
	null: 'null',
	date: 'a time',
}
const formats: Record<string, string> = {
	datetime: 'a time, as in 2026-01-31T12:00:00Z',
	date: 'a date, as in 2026-01-31',
	email: 'an e-mail address',
	url: 'a URL',
}

/** What is wrong with a value, after its name: `safeParse(value, { error: plainWords })`. A schema's own words win. */
export const plainWords: z.core.$ZodErrorMap = (issue) => {
	switch (issue.code) {
		case 'invalid_type':
			return wrongKind(issue.expected, issue.input)
		case 'invalid_value': {
			const values = issue.values.map(String)
			return values.length === 1 ? `must be ${values[0]}` : `must be one of ${values.join(', ')}`
		}
		case 'too_small': {
			const { minimum, exact } = issue
			if (issue.origin === 'string' && minimum === 1) return 'must not be empty'
			if (isSized(issue.origin))
				return `must have ${exact ? 'exactly' : 'at least'} ${sizeOf(issue.origin, minimum)}`
			return `must be ${issue.inclusive ? 'at least' : 'over'} ${minimum}`
		}
		case 'too_big': {
			const { maximum, exact } = issue
			if (isSized(issue.origin))
				return `must have ${exact ? 'exactly' : 'at most'} ${sizeOf(issue.origin, maximum)}`
			return `must be ${issue.inclusive ? 'at most' : 'under'} ${maximum}`
		}
		case 'invalid_format':
			return formats[issue.format]
				? `must be ${formats[issue.format]}`
				: `must match ${String(issue.pattern)}`
		case 'not_multiple_of':
			return `must be a multiple of ${issue.divisor}`
		case 'unrecognized_keys':
			return `unknown member "${issue.keys.join('", "')}"`
		case 'invalid_union':
			return NO_FORM
		default:
			return 'is not taken here'
	}
}

function wrongKind(expected: string, given: unknown): string {
	if (given === undefined) return MISSING
	const wanted = `must be ${kinds[expected] ?? expected}`
	// What a parameter's text was made into.
	if (Number.isNaN(given)) return wanted
	const kind = given === null ? 'null' : Array.isArray(given) ? 'array' : typeof given
	if (kind === expected || (expected === 'int' && kind === 'number')) return wanted
	return `${wanted}, not ${kind === 'boolean' ? String(given) : (kinds[kind] ?? kind)}`
}

const isSized = (origin: string) => origin === 'string' || origin === 'array'

function sizeOf(origin: string, count: number | bigint): string {
	const unit = origin === 'string' ? 'character' : 'item'
	return Number(count) === 1 ? `1 ${unit}` : `${count} ${unit}s`
}
