// An example of what a schema asks for, for requests that are ready to be sent.

type Schema = Record<string, unknown>

const depthMax = 6

export interface SampleFile {
	name: string
	list: boolean
	/** Where the agent names one that it takes; else the program that sends it guesses. */
	type: string | undefined
	/** What stands for it in an example. */
	path: string
}

/** Inputs of a request, and those of them that are files: a request with files is a form. */
export function sampleForm(schema: Schema): { inputs: Record<string, unknown>; files: SampleFile[] } {
	const inputs = sampleObject(schema)
	const properties = (schema.properties ?? {}) as Record<string, Schema>
	const files = Object.entries(properties).flatMap(([name, property]): SampleFile[] => {
		const [one, each] = [fileRule(property), fileRule(property.items)]
		const rule = one ?? each
		const path = `PATH-OF-${name.toUpperCase().replace(/[^A-Z0-9]+/g, '-')}`
		return rule ? [{ name, list: !one, type: rule.accept?.find((type) => !type.endsWith('*')), path }] : []
	})
	for (const { name } of files) delete inputs[name]
	return { inputs, files }
}

/** As the build writes `type: file` (bundles/file-schema.ts). */
const fileRule = (schema: unknown) =>
	(schema as { 'x-berth-file'?: { accept?: string[] } } | null | undefined)?.['x-berth-file']

/** For `curl -F`. */
export const formPart = ({ name, path, type }: SampleFile) => `${name}=@${path}${type ? `;type=${type}` : ''}`

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
