// What a form knows of a JSON schema (2020-12): enough to offer an input for the common shapes. The host checks; what is
// not known here is written as JSON.

export type Schema = Record<string, unknown>

export type Kind = 'line' | 'text' | 'number' | 'boolean' | 'choice' | 'list' | 'object' | 'file' | 'json'

/** Deeper than this, and where a schema holds itself, JSON is written. */
const depthMax = 5
const refsMax = 10
const lineMax = 100

export const isObject = (value: unknown): value is Record<string, unknown> =>
	typeof value === 'object' && value !== null && !Array.isArray(value)

/** With what its local `$ref` names. */
export function resolved(schema: unknown, root: Schema): Schema {
	let found = isObject(schema) ? schema : {}
	for (let i = 0; i < refsMax && typeof found.$ref === 'string'; i++) {
		const { $ref, ...beside } = found
		const named = at(root, String($ref))
		if (!named) return beside
		found = { ...named, ...beside }
	}
	return found
}

function at(root: Schema, ref: string): Schema | undefined {
	if (ref !== '#' && !ref.startsWith('#/')) return undefined
	let found: unknown = root
	for (const step of ref.split('/').slice(1))
		found = isObject(found)
			? found[decodeURIComponent(step).replaceAll('~1', '/').replaceAll('~0', '~')]
			: null
	return isObject(found) ? found : undefined
}

export function kindOf(schema: Schema, depth: number): Kind {
	if (depth > depthMax) return 'json'
	if (fileRuleOf(schema)) return 'file'
	if (choicesOf(schema)) return 'choice'
	switch (typeOf(schema)) {
		case 'string':
			return isLine(schema) ? 'line' : 'text'
		case 'integer':
		case 'number':
			return 'number'
		case 'boolean':
			return 'boolean'
		case 'array':
			return isObject(schema.items) ? 'list' : 'json'
		case 'object':
			return Object.keys(propertiesOf(schema)).length > 0 ? 'object' : 'json'
		default:
			return 'json'
	}
}

/** Of `type: file` in agent.yaml, as the build writes it. */
export function fileRuleOf(schema: Schema): { accept: string[]; max_kb: number } | undefined {
	const rule = schema['x-berth-file']
	return isObject(rule) && Array.isArray(rule.accept) ? (rule as never) : undefined
}

/** The one type beside `null`; undefined where there are several. */
function typeOf(schema: Schema): unknown {
	const types = (Array.isArray(schema.type) ? schema.type : [schema.type]).filter((type) => type !== 'null')
	if (types.length === 1 && types[0] !== undefined) return types[0]
	return types[0] === undefined && isObject(schema.properties) ? 'object' : undefined
}

function isLine({ format, pattern, maxLength }: Schema): boolean {
	return (
		format !== undefined || pattern !== undefined || (typeof maxLength === 'number' && maxLength <= lineMax)
	)
}

/** Of `enum` and `const`. */
export function choicesOf(schema: Schema): unknown[] | undefined {
	if (schema.const !== undefined) return [schema.const]
	return Array.isArray(schema.enum) && schema.enum.length > 0 ? schema.enum : undefined
}

export const propertiesOf = (schema: Schema): Record<string, unknown> =>
	isObject(schema.properties) ? schema.properties : {}

export const isRequired = (schema: Schema, name: string): boolean =>
	Array.isArray(schema.required) && schema.required.includes(name)

/** What stands in the form before anything is typed: defaults, what can be nothing else, and what holds these. */
export function initialOf(given: unknown, root: Schema, required = true, depth = 0): unknown {
	const schema = resolved(given, root)
	if (schema.default !== undefined) return schema.default
	if (schema.const !== undefined) return required ? schema.const : undefined
	const kind = kindOf(schema, depth)
	if (kind === 'list') return required ? [] : undefined
	if (kind === 'boolean') return required ? false : undefined
	if (kind !== 'object') return undefined
	const entries = Object.entries(propertiesOf(schema))
		.map(
			([name, property]) => [name, initialOf(property, root, isRequired(schema, name), depth + 1)] as const,
		)
		.filter(([, value]) => value !== undefined)
	return required || entries.length > 0 ? Object.fromEntries(entries) : undefined
}

/** What the schema asks of a value, in a few words. */
export function hintOf(schema: Schema): string {
	const { description, minimum, maximum, minLength, maxLength, minItems, maxItems, format } = schema
	const range = (least: unknown, most: unknown, unit: string) => {
		if (typeof least === 'number' && typeof most === 'number') return `${least} to ${most}${unit}`
		if (typeof least === 'number') return `${least}${unit} or more`
		return typeof most === 'number' ? `at most ${most}${unit}` : ''
	}
	const file = fileRuleOf(schema)
	if (file) {
		const kinds = file.accept.length > 0 ? file.accept.join(', ') : 'any type'
		const most = file.max_kb >= 1024 ? `${Math.floor(file.max_kb / 102.4) / 10} MiB` : `${file.max_kb} KiB`
		return [description, kinds, `at most ${most}`].filter(Boolean).join(' · ')
	}
	return [
		typeof description === 'string' ? description : '',
		typeOf(schema) === 'integer' ? 'Whole number.' : '',
		range(minimum, maximum, ''),
		// One character is what any text has.
		range(minLength === 1 ? undefined : minLength, maxLength, ' characters'),
		range(minItems, maxItems, ' items'),
		typeof format === 'string' ? format : '',
	]
		.filter(Boolean)
		.join(' · ')
}

/** `examples[0]`, as one would type it. */
export function exampleOf({ examples }: Schema): string | undefined {
	const [first] = Array.isArray(examples) ? examples : []
	if (first === undefined) return undefined
	return typeof first === 'string' ? first : JSON.stringify(first)
}

export const step = (pointer: string, name: string | number): string =>
	`${pointer}/${String(name).replaceAll('~', '~0').replaceAll('/', '~1')}`
