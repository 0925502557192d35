import { isCostly } from './cost.ts'
import { endless } from './endless.ts'
import { interpreter } from './validate.ts'

/** A fault in a schema itself. */
export interface SchemaFault {
	path: (string | number)[]
	message: string
}

const TYPES = ['array', 'boolean', 'integer', 'null', 'number', 'object', 'string']
const DIALECT = 'https://json-schema.org/draft/2020-12/schema'
/** Deep enough for any real schema, shallow enough for every recursive reader. */
const DEPTH_MAX = 64
const SCHEMA_MAX_BYTES = 256 * 1024

const schemas = [
	'additionalProperties',
	'contains',
	'else',
	'if',
	'items',
	'not',
	'propertyNames',
	'then',
	'unevaluatedItems',
	'unevaluatedProperties',
]
const schemaLists = ['allOf', 'anyOf', 'oneOf', 'prefixItems']
const schemaMaps = ['$defs', 'definitions', 'dependentSchemas', 'patternProperties', 'properties']
const counts = [
	'maxContains',
	'maxItems',
	'maxLength',
	'maxProperties',
	'minContains',
	'minItems',
	'minLength',
	'minProperties',
]
const numbers = ['exclusiveMaximum', 'exclusiveMinimum', 'maximum', 'minimum']
const strings = [
	'$anchor',
	'$comment',
	'$id',
	'$ref',
	'contentEncoding',
	'contentMediaType',
	'description',
	'format',
	'pattern',
	'title',
]
const booleans = ['deprecated', 'readOnly', 'uniqueItems', 'writeOnly']

type Check = (value: unknown) => string | null
const isObject = (value: unknown): value is Record<string, unknown> =>
	typeof value === 'object' && value !== null && !Array.isArray(value)
const isStrings = (value: unknown) =>
	Array.isArray(value) &&
	value.every((item) => typeof item === 'string') &&
	new Set(value).size === value.length
const every = (names: string[], check: Check) => names.map((name) => [name, check] as const)

const keywords = new Map<string, Check>([
	...every(counts, (v) =>
		Number.isInteger(v) && (v as number) >= 0 ? null : 'must be a whole number from 0',
	),
	...every(numbers, (v) => (typeof v === 'number' ? null : 'must be a number')),
	...every(strings, (v) => (typeof v === 'string' ? null : 'must be a string')),
	...every(booleans, (v) => (typeof v === 'boolean' ? null : 'must be true or false')),
	['multipleOf', (v) => (typeof v === 'number' && v > 0 ? null : 'must be a number over 0')],
	['enum', (v) => (Array.isArray(v) && v.length > 0 ? null : 'must be a list with at least one value')],
	['required', (v) => (isStrings(v) ? null : 'must be a list of strings, each once')],
	['examples', (v) => (Array.isArray(v) ? null : 'must be a list')],
	[
		'dependentRequired',
		(v) => (isObject(v) && Object.values(v).every(isStrings) ? null : 'must map names to lists of strings'),
	],
	[
		'type',
		(v) =>
			[v].flat().every((t, i, all) => TYPES.includes(t as string) && all.indexOf(t) === i) &&
			[v].flat().length > 0
				? null
				: [v].flat().includes('file')
					? 'file stands directly below `properties` of inputs or output, or as `items` of a list there'
					: `must be one or several of ${TYPES.join(', ')}`,
	],
	['$schema', (v) => (v === DIALECT ? null : `must be ${DIALECT}`)],
	...every(
		['$dynamicRef', '$dynamicAnchor', '$recursiveRef', '$recursiveAnchor'],
		() => 'is not supported; use $ref',
	),
])

/**
 * Faults of a JSON Schema 2020-12, all at once: keywords with values they cannot have, patterns that are no regular
 * expression, references that lead nowhere. Unknown keywords are annotations, as the standard says.
 */
export function checkSchema(schema: unknown): SchemaFault[] {
	const text = JSON.stringify(schema) ?? ''
	if (text.length > SCHEMA_MAX_BYTES)
		return [{ path: [], message: `the schema is over ${SCHEMA_MAX_BYTES / 1024} KiB` }]
	if (isCostly(schema))
		return [
			{ path: [], message: 'has names too long, or `$id` within `$id` too often, for the schemas below' },
		]
	const faults: SchemaFault[] = []
	const anchors = new Set<string>()
	const refs: { path: (string | number)[]; ref: string; node: object }[] = []
	walk(schema, [], 0)
	for (const { path, ref } of refs) {
		if (!resolves(schema, ref, anchors)) {
			faults.push({ path, message: `"${ref}" leads nowhere; a reference stays inside the schema (#/…)` })
		}
	}
	if (faults.length === 0) {
		const ends = endless(schema)
		for (const { path, ref, node } of refs)
			if (ends(node)) faults.push({ path, message: `"${ref}" leads back here, and so without an end` })
	}
	if (faults.length === 0) tryOut()
	return faults

	/** What only the interpreter finds: an `$id` that is no URI, or two of one name. */
	function tryOut(): void {
		try {
			interpreter(schema as object)
		} catch (error) {
			faults.push({ path: [], message: (error as Error).message })
		}
	}

	function walk(node: unknown, path: (string | number)[], depth: number): void {
		if (depth > DEPTH_MAX) return void faults.push({ path, message: `nested over ${DEPTH_MAX} deep` })
		if (typeof node === 'boolean') return
		if (!isObject(node)) return void faults.push({ path, message: 'a schema is an object, true or false' })
		for (const [name, value] of Object.entries(node)) {
			const here = [...path, name]
			const wrong = keywords.get(name)?.(value) ?? null
			if (wrong) faults.push({ path: here, message: `${name} ${wrong}` })
			else if (name === '$ref') refs.push({ path: here, ref: value as string, node })
			else if (name === '$anchor') anchors.add(value as string)
			else if (name === 'pattern') checkPattern(value as string, here)
			else if (schemas.includes(name)) walk(value, here, depth + 1)
			else if (schemaLists.includes(name)) walkList(name, value, here, depth)
			else if (schemaMaps.includes(name)) walkMap(name, value, here, depth)
		}
	}

	function walkList(name: string, value: unknown, path: (string | number)[], depth: number): void {
		if (!Array.isArray(value) || value.length === 0)
			faults.push({ path, message: `${name} must be a list of schemas` })
		else value.forEach((item, index) => void walk(item, [...path, index], depth + 1))
	}

	function walkMap(name: string, value: unknown, path: (string | number)[], depth: number): void {
		if (!isObject(value)) return void faults.push({ path, message: `${name} must map names to schemas` })
		for (const [key, item] of Object.entries(value)) {
			if (name === 'patternProperties') checkPattern(key, [...path, key])
			walk(item, [...path, key], depth + 1)
		}
	}

	function checkPattern(pattern: string, path: (string | number)[]): void {
		try {
			new RegExp(pattern, 'u')
		} catch {
			faults.push({ path, message: `"${pattern}" is no regular expression` })
		}
	}
}

function resolves(schema: unknown, ref: string, anchors: Set<string>): boolean {
	if (!ref.startsWith('#')) return false
	if (ref === '#') return true
	if (!ref.startsWith('#/')) return anchors.has(ref.slice(1))
	let node: unknown = schema
	for (const part of ref.slice(2).split('/')) {
		let key: string
		try {
			key = decodeURIComponent(part).replaceAll('~1', '/').replaceAll('~0', '~')
		} catch {
			return false
		}
		if (typeof node !== 'object' || node === null || !Object.hasOwn(node, key)) return false
		node = (node as Record<string, unknown>)[key]
	}
	return isObject(node) || typeof node === 'boolean'
}
