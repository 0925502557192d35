import { type OutputUnit, Validator } from '@cfworker/json-schema'
import { pointerOf } from '../fault.ts'
import type { SchemaError } from './compile.ts'

const ERRORS_MAX = 50
/** Keywords that only say that something below them failed. */
const wrappers = new Set([
	'$ref',
	'additionalProperties',
	'allOf',
	'dependentSchemas',
	'items',
	'patternProperties',
	'prefixItems',
	'properties',
	'unevaluatedItems',
	'unevaluatedProperties',
])

/** An interpreter: a schema becomes no code. The copy is because it marks the schema's objects. */
export function interpreter(schema: object): (value: unknown) => SchemaError[] {
	const validator = new Validator(structuredClone(schema), '2020-12', false)
	return (value) => {
		const { valid, errors } = validator.validate(value)
		return valid ? [] : tidy(errors)
	}
}

/** The deepest reasons only, in the words of the schema's reader. */
function tidy(errors: OutputUnit[]): SchemaError[] {
	const plain = errors.filter(({ keyword }) => !wrappers.has(keyword))
	const shown = (plain.length > 0 ? plain : errors).slice(0, ERRORS_MAX)
	return shown.map(inWords)
}

function inWords({ instanceLocation, keyword, error }: OutputUnit): SchemaError {
	const path = decodeFragment(instanceLocation.slice(1))
	const missing = keyword === 'required' ? /"(.*)"\.$/s.exec(error)?.[1] : undefined
	if (missing !== undefined) return { path: path + pointerOf([missing]), message: 'is required' }
	if (keyword === 'false') return { path, message: 'is not allowed here' }
	const [, is, must] = /^Instance type "(\w+)" is invalid\. Expected "(.*)"\.$/.exec(error) ?? []
	if (is && must) return { path, message: `must be ${must.replaceAll('", "', ' or ')}, is ${is}` }
	return { path, message: error.replace(/^Instance /, '').replace(/\.$/, '') }
}

function decodeFragment(pointer: string): string {
	try {
		return decodeURIComponent(pointer)
	} catch {
		return pointer
	}
}
