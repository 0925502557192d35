// An example of what a schema asks for, for requests that are ready to be sent.

type Schema = Record<string, unknown>

const depthMax = 6

/** Every property of an object schema, with an example value. */
export function sampleObject(schema: Schema, depth = 0): Record<string, unknown> {
	const properties = (schema.properties ?? {}) as Record<string, unknown>
	return Object.fromEntries(
		Object.entries(properties).map(([name, property]) => [name, sample(property, name, depth + 1)]),
	)
}

/** What the schema itself offers first (examples, default, enum), else a value of its type that says its name. */
function sample(property: unknown, name: string, depth: number): unknown {
	if (typeof property !== 'object' || property === null || depth > depthMax) return `<${name}>`
	const schema = property as Schema
	for (const offered of [schema.const, (schema.examples as unknown[] | undefined)?.[0], schema.default]) {
		if (offered !== undefined) return offered
	}
	if (Array.isArray(schema.enum) && schema.enum.length > 0) return schema.enum[0]
	const type = Array.isArray(schema.type) ? schema.type[0] : schema.type
	switch (type) {
		case 'integer':
		case 'number':
			return typeof schema.minimum === 'number' ? schema.minimum : 1
		case 'boolean':
			return true
		case 'null':
			return null
		case 'array':
			return schema.items === undefined ? [] : [sample(schema.items, name, depth + 1)]
		case 'object':
			return sampleObject(schema, depth)
		default:
			return `<${name}>`
	}
}
