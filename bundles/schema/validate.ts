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
		return valid ? [] : tidy(schema, errors)
	}
}

/** The deepest reasons only, in the words of the schema's reader. */
function tidy(schema: object, errors: OutputUnit[]): SchemaError[] {
	const plain = errors.filter(({ keyword }) => !wrappers.has(keyword))
	const shown = (plain.length > 0 ? plain : errors).slice(0, ERRORS_MAX)
	return shown.map((unit) => inWords(schema, unit))
}

function inWords(
	schema: object,
	{ instanceLocation, keyword, keywordLocation, error }: OutputUnit,
): SchemaError {
	const path = decodeFragment(instanceLocation.slice(1))
	const missing = keyword === 'required' ? /"(.*)"\.$/s.exec(error)?.[1] : undefined
	if (missing !== undefined) return { path: path + pointerOf([missing]), message: 'is required' }
	const pattern = keyword === 'pattern' ? valueAt(schema, keywordLocation) : undefined
	if (pattern !== undefined) return { path, message: `must match ${String(pattern)}` }
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

/** What stands at a place of a schema, which the interpreter writes as it went there: through references. */
function valueAt(schema: object, location: string, references = true): unknown {
	let node: unknown = schema
	for (const part of location.split('/').slice(1)) {
		node = childOf(node, decodeFragment(part).replaceAll('~1', '/').replaceAll('~0', '~'))
		if (references && part === '$ref') node = referred(schema, String(node))
	}
	return node
}

const referred = (schema: object, ref: string) =>
	ref === '#' || ref.startsWith('#/') ? valueAt(schema, ref, false) : undefined

const childOf = (node: unknown, name: string): unknown =>
	typeof node === 'object' && node !== null && Object.hasOwn(node, name)
		? node[name as keyof typeof node]
		: undefined
