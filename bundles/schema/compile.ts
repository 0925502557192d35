import { canonicalJson, sha256 } from '../canonical.ts'
import { remoteValidator } from './remote.ts'
import { interpreter } from './validate.ts'

/** `path`: JSON Pointer to the value at fault, empty for the value itself. */
export interface SchemaError {
	path: string
	message: string
}

/**
 * Answers at once where schema and value allow no long work, and after a turn of the worker otherwise. No error: the
 * value fits. Never throws or rejects.
 */
export type Validate = (value: unknown) => SchemaError[] | Promise<SchemaError[]>

/** Together, as text; a compiled one takes several times that, and the smallest as much as this. */
const CACHE_CHARS = 4 * 1024 * 1024
const SCHEMA_MIN_CHARS = 2048
/** A value this large (members and elements) is checked off the event loop whatever its schema says. */
const INLINE_NODES = 5000
/** Time that grows faster than the value: expressions, references that meet again, comparing all pairs. */
const heavy = new Set(['$ref', 'format', 'pattern', 'patternProperties', 'uniqueItems'])

/** The oldest first. */
const cache = new Map<string, { validate: Validate; chars: number }>()
let cachedChars = 0

/** One validator a schema, found again by the schema's digest while there is room. The schema must have passed `checkSchema`. */
export function compileSchema(schema: object): Validate {
	const text = canonicalJson(schema)
	const key = sha256(text)
	const known = cache.get(key)
	if (known) return known.validate
	const inline = isHeavy(schema) ? null : interpreter(schema)
	const remote = remoteValidator(key, text)
	const validate: Validate = (value) => (inline && !isLarge(value) ? inline(value) : remote(value))
	remember(key, validate, Math.max(text.length, SCHEMA_MIN_CHARS))
	return validate
}

function remember(key: string, validate: Validate, chars: number): void {
	cache.set(key, { validate, chars })
	cachedChars += chars
	for (const [oldest, entry] of cache) {
		if (cachedChars <= CACHE_CHARS) return
		cache.delete(oldest)
		cachedChars -= entry.chars
	}
}

function isHeavy(schema: unknown): boolean {
	if (typeof schema !== 'object' || schema === null) return false
	return Object.entries(schema).some(([name, value]) => heavy.has(name) || isHeavy(value))
}

function isLarge(value: unknown): boolean {
	let nodes = 0
	const stack = [value]
	while (stack.length > 0) {
		const next = stack.pop()
		if (typeof next !== 'object' || next === null) continue
		const children = Object.values(next)
		nodes += children.length
		if (nodes > INLINE_NODES) return true
		for (const child of children) if (typeof child === 'object') stack.push(child)
	}
	return false
}
