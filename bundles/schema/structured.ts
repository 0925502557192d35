/** Output schemas as each provider takes them. The engine checks the answer against the owner's schema all the same. */
import type { apiOf } from '../provider-address.ts'
import { placeOf } from './place.ts'

export type Schema = Record<string, unknown>

const NAME = 'output'
const OPENAI_SUBSET =
	'is no schema that OpenAI guarantees: each object must have `additionalProperties: false` and require all its properties, and few other keywords are taken'

/** Why a schema is outside of what an interface guarantees; after the name of the schema. */
export const STRICT_SUBSET: Record<ReturnType<typeof apiOf>, string> = {
	responses: OPENAI_SUBSET,
	chat: OPENAI_SUBSET,
	messages: 'is no schema that Anthropic guarantees: each object must name its properties',
}

export function canBeStrict(api: ReturnType<typeof apiOf>, schema: object): boolean {
	return api === 'messages' ? anthropicFormat(schema) !== null : isStrict(schema)
}

/**
 * OpenAI: `strict` guarantees the shape, but refuses a schema outside its subset, so it is asked for only inside it
 * unless its owner says.
 */
export function openaiFormat(schema: object, strict: boolean = isStrict(schema)) {
	return { name: NAME, schema: schema as Schema, strict }
}

const strictKeywords = new Set([
	'$defs',
	'$ref',
	'$schema',
	'additionalProperties',
	'anyOf',
	'const',
	'description',
	'enum',
	'items',
	'properties',
	'required',
	'title',
	'type',
])

/** The root is one object, and not a choice of several. */
function isStrict(schema: unknown): boolean {
	return isSchema(schema) && schema.type === 'object' && schema.anyOf === undefined && fitsStrict(schema)
}

function fitsStrict(schema: unknown): boolean {
	if (!isSchema(schema) || Object.keys(schema).some((keyword) => !strictKeywords.has(keyword))) return false
	if (!shaping.some((keyword) => keyword in schema)) return false
	if (isOfObjects(schema)) {
		const names = Object.keys(children(schema.properties))
		const required = Array.isArray(schema.required) ? schema.required : []
		if (![schema.type].flat().includes('object')) return false
		if (schema.additionalProperties !== false || !names.every((name) => required.includes(name))) return false
	}
	return subschemas(schema).every(fitsStrict)
}

/** A schema without any of these takes whatever there is. */
const shaping = ['$ref', 'anyOf', 'const', 'enum', 'type']

const isOfObjects = ({ type, properties }: Schema) =>
	[type].flat().includes('object') || properties !== undefined

/**
 * Anthropic: every object is closed, and a constraint outside its subset is refused, so it is left out. Null where a
 * schema leaves open what an object holds, as closed it could only be empty, and where a reference leads to what is left out.
 */
export function anthropicFormat(schema: object) {
	const reduced = reduce(schema)
	if (!reduced || !referencesIn(reduced).every((ref) => leadsTo(reduced, ref))) return null
	return { type: 'json_schema' as const, schema: reduced }
}

function referencesIn(schema: Schema): string[] {
	const own = typeof schema.$ref === 'string' ? [schema.$ref] : []
	return [...own, ...subschemas(schema).flatMap((child) => (isSchema(child) ? referencesIn(child) : []))]
}

/** Anchors are left out, so it is a pointer. */
function leadsTo(root: Schema, ref: string): boolean {
	return ref.startsWith('#') && isSchema(placeOf(root, ref))
}

const kept = new Set([
	'$ref',
	'anyOf',
	'allOf',
	'const',
	'description',
	'enum',
	'items',
	'required',
	'title',
	'type',
])
const formats = new Set([
	'date',
	'date-time',
	'duration',
	'email',
	'hostname',
	'ipv4',
	'ipv6',
	'time',
	'uri',
	'uuid',
])

function reduce(schema: unknown): Schema | null {
	if (!isSchema(schema)) return null
	const result: Schema = {}
	for (const [keyword, value] of Object.entries(schema)) {
		if (keyword === 'properties' || keyword === '$defs' || keyword === 'definitions') {
			const reduced = Object.entries(children(value)).map(([name, child]) => [name, reduce(child)])
			if (reduced.some(([, child]) => child === null)) return null
			result[keyword] = Object.fromEntries(reduced)
		} else if (keyword === 'anyOf' || keyword === 'oneOf' || keyword === 'allOf') {
			const reduced = (value as unknown[]).map(reduce)
			if (reduced.includes(null)) return null
			result[keyword === 'oneOf' ? 'anyOf' : keyword] = reduced
		} else if (keyword === 'items') {
			const reduced = reduce(value)
			if (!reduced) return null
			result.items = reduced
		} else if (kept.has(keyword) || isKept(keyword, value)) {
			result[keyword] = value
		}
	}
	if (isOfObjects(schema)) {
		if (Object.keys(children(schema.properties)).length === 0) return null
		result.additionalProperties = false
	}
	return Object.keys(result).some((keyword) => keyword !== 'description' && keyword !== 'title')
		? result
		: null
}

function isKept(keyword: string, value: unknown): boolean {
	return (
		(keyword === 'format' && formats.has(String(value))) ||
		(keyword === 'minItems' && (value === 0 || value === 1))
	)
}

function subschemas(schema: Schema): unknown[] {
	const { properties, $defs, definitions, items, anyOf, allOf } = schema
	const maps = [properties, $defs, definitions].flatMap((map) => Object.values(children(map)))
	const lists = [anyOf, allOf].flatMap((list) => (Array.isArray(list) ? list : []))
	return [...maps, ...lists, ...(items === undefined ? [] : [items])]
}

function children(value: unknown): Record<string, unknown> {
	return isSchema(value) ? value : {}
}

function isSchema(value: unknown): value is Schema {
	return typeof value === 'object' && value !== null && !Array.isArray(value)
}
