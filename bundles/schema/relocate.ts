/** Keywords whose values are data, and those that hold schemas by names of the author's. */
const data = new Set(['const', 'default', 'enum', 'examples'])
const named = new Set(['properties', 'patternProperties', 'dependentSchemas', '$defs', 'definitions'])

export const isObject = (value: unknown): value is Record<string, unknown> =>
	typeof value === 'object' && value !== null && !Array.isArray(value)

/** A schema that is to stand in another document: `to` says where each of its own places (`/$defs/…`) is there. */
export function relocate(schema: unknown, to: (pointer: string) => string): unknown {
	if (Array.isArray(schema)) return schema.map((one) => relocate(one, to))
	// One with an `$id` is a document of its own.
	if (!isObject(schema) || '$id' in schema) return schema
	return mapValues(schema, (member, name) => {
		if (name === '$ref') return /^#(\/|$)/.test(String(member)) ? to(String(member).slice(1)) : member
		if (data.has(name)) return member
		if (named.has(name) && isObject(member)) return mapValues(member, (one) => relocate(one, to))
		return relocate(member, to)
	})
}

const mapValues = (object: Record<string, unknown>, map: (value: unknown, name: string) => unknown) =>
	Object.fromEntries(Object.entries(object).map(([name, value]) => [name, map(value, name)]))
