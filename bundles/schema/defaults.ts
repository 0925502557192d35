import type { SchemaFault } from './check.ts'
import { compileSchema } from './compile.ts'
import { placeOf } from './place.ts'
import { isObject, relocate } from './relocate.ts'

/** The value with its defaults; or why they cannot be put into it. */
export type Completed = { value: unknown } | { fault: string }

/** What all defaults put into one value may come to as JSON, each counted as this much at least. */
const DEFAULTS_MAX_CHARS = 1024 * 1024
const DEFAULT_MIN_CHARS = 64
/** References may lead in a circle. */
const DEPTH_MAX = 192
const TOO_MANY = `its defaults come to more than ${DEFAULTS_MAX_CHARS / 1024 / 1024} MiB, or without an end`

class TooMany extends Error {}

/**
 * Puts in the `default` of each property that is absent: of objects at any depth, in arrays' items, and in what a default
 * itself holds. Followed are `properties`, `items`, `allOf` and `$ref`, which say what holds in any case. What was given is
 * never changed, nor the value itself. Null: the schema has no default, so there is nothing to do.
 */
export function completer(schema: object): ((value: unknown) => Completed) | null {
	return hasDefault(schema) ? (value) => complete(schema, schema, value) : null
}

function complete(root: object, schema: object, value: unknown): Completed {
	try {
		return { value: fill(schema, value, { root, left: DEFAULTS_MAX_CHARS, depth: 0 }) }
	} catch (error) {
		if (error instanceof TooMany) return { fault: TOO_MANY }
		throw error
	}
}

const hasDefault = (schema: unknown): boolean =>
	typeof schema === 'object' &&
	schema !== null &&
	(Object.hasOwn(schema, 'default') || Object.values(schema).some(hasDefault))

interface Filling {
	root: object
	left: number
	depth: number
}

function fill(schema: unknown, value: unknown, filling: Filling): unknown {
	if (!isObject(schema) || typeof value !== 'object' || value === null) return value
	if (filling.depth >= DEPTH_MAX) throw new TooMany()
	filling.depth += 1
	const { $ref, allOf, properties, items } = schema
	let filled: unknown = value
	if (typeof $ref === 'string') filled = fill(placeOf(filling.root, $ref), filled, filling)
	if (Array.isArray(allOf)) for (const part of allOf) filled = fill(part, filled, filling)
	if (Array.isArray(filled)) filled = isObject(items) ? fillItems(items, filled, filling) : filled
	else if (isObject(properties)) filled = fillMembers(properties, filled as Record<string, unknown>, filling)
	filling.depth -= 1
	return filled
}

function fillItems(schema: object, items: unknown[], filling: Filling): unknown[] {
	const filled = items.map((item) => fill(schema, item, filling))
	return filled.some((item, at) => item !== items[at]) ? filled : items
}

function fillMembers(properties: object, value: Record<string, unknown>, filling: Filling) {
	const changed: [string, unknown][] = []
	for (const [name, schema] of Object.entries(properties)) {
		const there = Object.hasOwn(value, name)
		const before = there ? value[name] : defaultOf(schema, filling)
		if (before === undefined) continue
		const after = fill(schema, before, filling)
		if (!there || after !== before) changed.push([name, after])
	}
	// Never by assignment: a name may be `__proto__`.
	return changed.length === 0 ? value : Object.fromEntries([...Object.entries(value), ...changed])
}

/** Undefined: it has none, as no JSON is. */
function defaultOf(schema: unknown, filling: Filling): unknown {
	const found = defaultIn(filling.root, schema)
	if (found === undefined) return undefined
	filling.left -= Math.max(JSON.stringify(found).length, DEFAULT_MIN_CHARS)
	if (filling.left < 0) throw new TooMany()
	return found
}

/** Of a property: its own, or that of what it refers to. */
export function defaultIn(root: unknown, schema: unknown): unknown {
	let at = schema
	for (let hops = 0; isObject(at) && hops < DEPTH_MAX; hops++) {
		if (Object.hasOwn(at, 'default')) return at.default
		at = typeof at.$ref === 'string' ? placeOf(root, at.$ref) : undefined
	}
	return undefined
}

/**
 * Defaults that do not fit the schema they stand in, or that have no end. The schema must have passed `checkSchema`. All
 * are looked at as one value, within the time that any value has.
 */
export async function defaultFaults(schema: object): Promise<SchemaFault[]> {
	if (!hasDefault(schema) || JSON.stringify(schema).includes('"$id"')) return []
	const places = [...defaultsIn(schema, [])]
	const filled = places.map(({ node, value }) => complete(schema, node, value))
	const endless = filled.findIndex((one) => 'fault' in one)
	if (endless >= 0) return [{ path: [...(places[endless]?.path ?? []), 'default'], message: TOO_MANY }]
	const wrapped = {
		$defs: { inputs: relocate(schema, (pointer) => `#/$defs/inputs${pointer}`) },
		prefixItems: places.map(({ path }) => ({ $ref: `#/$defs/inputs${pointer(path)}` })),
	}
	const errors = await compileSchema(wrapped)(
		filled.map((one) => ('value' in one ? one.value : null)),
		{ queue: 'defaults' },
	)
	return errors.map(({ path, message }) => {
		const [, at = '', rest = ''] = /^\/(\d+)(.*)$/s.exec(path) ?? []
		const where = places[Number(at)]?.path ?? []
		return {
			path: at === '' ? [] : [...where, 'default'],
			message: `does not fit its own schema: ${rest}${rest && ' '}${message}`,
		}
	})
}

const pointer = (path: (string | number)[]) =>
	path.map((part) => `/${encodeURI(String(part).replaceAll('~', '~0').replaceAll('/', '~1'))}`).join('')

/** Where schemas stand in a schema: by name, in a list, alone. */
const maps = new Set(['$defs', 'definitions', 'properties'])

function* defaultsIn(
	node: unknown,
	path: (string | number)[],
): Generator<{ node: object; path: (string | number)[]; value: unknown }> {
	if (!isObject(node)) return
	if (Object.hasOwn(node, 'default')) yield { node, path, value: node.default }
	for (const [name, member] of Object.entries(node)) {
		if (maps.has(name) && isObject(member))
			for (const [key, one] of Object.entries(member)) yield* defaultsIn(one, [...path, name, key])
		else if (name === 'allOf' && Array.isArray(member))
			for (const [at, one] of member.entries()) yield* defaultsIn(one, [...path, name, at])
		else if (name === 'items') yield* defaultsIn(member, [...path, name])
	}
}
