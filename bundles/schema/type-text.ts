import { defaultIn } from './defaults.ts'
import { placeOf } from './place.ts'
import { isObject } from './relocate.ts'

type Schema = Record<string, unknown>
interface Writing {
	root: unknown
	/** Properties with a default are there: the value is one that the host has completed. */
	completed: boolean
	/** As a caller gives it: a file may be one that is not stored yet. */
	given: boolean
	/** References that are being followed; one that leads back is `unknown`. */
	open: Set<string>
	depth: number
}

const DEPTH_MAX = 24
const UNKNOWN = 'unknown'
const names: Record<string, string> = {
	string: 'string',
	number: 'number',
	integer: 'number',
	boolean: 'boolean',
	null: 'null',
}

/** The TypeScript type of a JSON Schema's values. Whatever has no type in TypeScript is left out, or `unknown`. */
export function typeText(
	schema: unknown,
	{ completed = false, given = false }: { completed?: boolean; given?: boolean } = {},
): string {
	return write(schema, { root: schema, completed, given, open: new Set(), depth: 0 })
}

function write(schema: unknown, writing: Writing): string {
	if (!isObject(schema) || writing.depth > DEPTH_MAX) return UNKNOWN
	const { $ref, const: constant, enum: choices, anyOf, oneOf, allOf, type } = schema as Schema
	const inner = { ...writing, depth: writing.depth + 1 }
	if ('x-berth-file' in schema) return writing.given ? 'GivenFile' : 'FileRef'
	if (typeof $ref === 'string') return followed($ref, inner)
	if (constant !== undefined) return literal(constant)
	if (Array.isArray(choices)) return choices.map(literal).join(' | ') || 'never'
	const several = anyOf ?? oneOf
	if (Array.isArray(several)) return union(several.map((one) => write(one, inner)))
	if (Array.isArray(allOf)) return allOf.map((one) => `(${write(one, inner)})`).join(' & ') || UNKNOWN
	if (Array.isArray(type)) return union(type.map((one) => ofType(schema as Schema, one, inner)))
	return ofType(schema as Schema, type, inner)
}

function ofType(schema: Schema, type: unknown, writing: Writing): string {
	if (type === 'array') return `(${isObject(schema.items) ? write(schema.items, writing) : UNKNOWN})[]`
	if (type === 'object' || (type === undefined && isObject(schema.properties)))
		return members(schema, writing)
	return names[String(type)] ?? UNKNOWN
}

function members({ properties = {}, required = [], additionalProperties }: Schema, writing: Writing): string {
	const always = new Set(required as unknown[])
	const listed = Object.entries(properties as Schema).map(([name, schema]) => {
		const filled = writing.completed && defaultIn(writing.root, schema) !== undefined
		return `${JSON.stringify(name)}${always.has(name) || filled ? '' : '?'}: ${write(schema, writing)}`
	})
	const closed = additionalProperties === false || listed.length > 0
	return `{ ${[...listed, ...(closed ? [] : ['[name: string]: unknown'])].join('; ')} }`
}

function followed(ref: string, writing: Writing): string {
	if (writing.open.has(ref)) return UNKNOWN
	return write(placeOf(writing.root, ref), { ...writing, open: new Set([...writing.open, ref]) })
}

const union = (types: string[]) => `(${[...new Set(types)].join(' | ') || 'never'})`

/** Objects and lists as they stand are rare, and their type is longer than its use. */
const literal = (value: unknown) =>
	typeof value === 'object' && value !== null ? UNKNOWN : JSON.stringify(value)
