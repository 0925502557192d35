import { canonicalJson, sha256 } from '../canonical.ts'
import { pointerOf } from '../fault.ts'
import { isCostly } from './cost.ts'
import { validateRemotely } from './remote.ts'
import { interpreter } from './validate.ts'

/** `path`: JSON Pointer to the value at fault, empty for the value itself. */
export interface SchemaError {
	path: string
	message: string
	/** The value was not judged: its check took too long, now or lately. */
	timed_out?: true
	/** The value was not judged: it may be after so long. Without `timed_out` its check only waited or lost its thread. */
	retry_seconds?: number
}

/** Whose value it is. */
export interface Asker {
	/** A deployment: their checks take turns. */
	queue: string
	/** Who sent it there; whose values keep timing out is not heard for a while. Unset: nobody is blamed. */
	caller?: string
}

/**
 * Answers at once where schema and value allow no long work, and after a turn of a worker otherwise. No error: the
 * value fits. Never throws or rejects.
 */
export type Validate = (value: unknown, asker: Asker) => SchemaError[] | Promise<SchemaError[]>

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
	const slow = !heavyPointers(schema).next().done || isCostly(schema)
	const inline = slow ? null : interpreter(schema)
	const validate: Validate = (value, asker) =>
		inline && !isLarge(value) ? inline(value) : validateRemotely({ key, schema: text, value }, asker)
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

/** Pointers to what of a schema may take long on a small value; for people, who can make it simpler. */
export function* heavyPointers(schema: unknown, pointer = ''): Generator<string> {
	if (typeof schema !== 'object' || schema === null) return
	for (const [name, value] of Object.entries(schema)) {
		const here = pointer + pointerOf([name])
		if (heavy.has(name)) yield here
		else yield* heavyPointers(value, here)
	}
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
