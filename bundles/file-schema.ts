/**
 * `type: file` in `agent.yaml`: directly below `properties` of inputs or output, or as `items` of a list there. The build
 * writes it as the JSON Schema of a reference, so that whoever reads schemas needs to know nothing of files.
 */
import { isObject } from './schema/relocate.ts'

/** In the schema of a reference: what the file itself may be. */
export const FILE_KEYWORD = 'x-berth-file'
/** A build does not know it yet. */
const ADDRESS = '{deployment_url}'
/** Base64 of more does not fit the 32 MB that Anthropic takes in one request. */
export const FILE_MAX_KB = 20 * 1024

export interface FileRule {
	/** Media types, also as `image/*`; empty: any. */
	accept: string[]
	max_kb: number
}

/** Where an input or an output holds files. `name`: '' is the output itself. */
export interface FilePlace extends FileRule {
	name: string
	list: boolean
}

interface Finding {
	path: (string | number)[]
	message: string
}

const MEDIA_TYPE = /^[a-z0-9][a-z0-9.+-]*\/(?:\*|[a-z0-9][a-z0-9.+-]*)$/
const ACCEPT_MAX = 32
const MEMBERS = new Set(['type', 'accept', 'max_kb', 'title', 'description'])

const isFile = (schema: unknown) => isObject(schema) && (schema as { type?: unknown }).type === 'file'

/** `agent` as it was written; its schemas are replaced where they have files. */
export function lowerFiles(agent: unknown): { agent: unknown; findings: Finding[] } {
	if (!isObject(agent)) return { agent, findings: [] }
	const findings: Finding[] = []
	const lowered: Record<string, unknown> = { ...(agent as object) }
	for (const member of ['inputs', 'output']) {
		const schema = lowered[member]
		if (!isObject(schema)) continue
		if (JSON.stringify(schema).includes(`"${FILE_KEYWORD}"`))
			findings.push({ path: [member], message: `write \`type: file\` in place of ${FILE_KEYWORD}` })
		const at = (path: (string | number)[], found: string) =>
			findings.push({ path: [member, ...path], message: found })
		lowered[member] = isFile(schema) && member === 'output' ? reference(schema, [], at) : ofObject(schema, at)
	}
	return { agent: lowered, findings }
}

type Tell = (path: (string | number)[], message: string) => void

function ofObject(schema: object, tell: Tell): object {
	const { properties } = schema as { properties?: unknown }
	if (!isObject(properties)) return schema
	const changed = Object.entries(properties as object).map(([name, value]) => {
		const path = ['properties', name]
		if (isFile(value)) return [name, reference(value, path, tell)]
		const { items } = (isObject(value) ? value : {}) as { items?: unknown }
		return [name, isFile(items) ? { ...value, items: reference(items, [...path, 'items'], tell) } : value]
	})
	return { ...schema, properties: Object.fromEntries(changed) }
}

function reference(schema: unknown, path: (string | number)[], tell: Tell): object {
	const { accept = [], max_kb = FILE_MAX_KB, title, description, ...rest } = schema as Record<string, unknown>
	for (const name of Object.keys(rest))
		if (!MEMBERS.has(name)) tell([...path, name], 'a file has accept, max_kb, title and description only')
	const types = Array.isArray(accept) ? accept : [undefined]
	if (types.length > ACCEPT_MAX || !types.every((type) => typeof type === 'string' && MEDIA_TYPE.test(type)))
		tell([...path, 'accept'], 'accept lists up to 32 media types, such as application/pdf or image/*')
	if (!Number.isInteger(max_kb) || Number(max_kb) < 1 || Number(max_kb) > FILE_MAX_KB)
		tell([...path, 'max_kb'], `max_kb is a whole number from 1 to ${FILE_MAX_KB}`)
	return {
		...(title !== undefined && { title }),
		...(description !== undefined && { description }),
		type: 'object',
		[FILE_KEYWORD]: { accept, max_kb },
		required: ['file'],
		properties: {
			file: { type: 'string', description: `Its id, as POST ${ADDRESS}/files answers.` },
			name: { type: 'string' },
			type: { type: 'string' },
			size: { type: 'integer' },
			sha256: { type: 'string' },
			url: { type: 'string' },
		},
		additionalProperties: false,
	}
}

/** A schema as the build wrote it, with the deployment's address where it says how a file is uploaded. */
export function withAddress<Schema extends object>(schema: Schema, url: string): Schema {
	const { properties } = schema as { properties?: object }
	if (!properties) return schema
	const changed = Object.entries(properties).map(([name, value]) => {
		if (ruleOf(value)) return [name, addressed(value, url)]
		const { items } = value as { items?: unknown }
		return [name, ruleOf(items) ? { ...value, items: addressed(items as object, url) } : value]
	})
	return { ...schema, properties: Object.fromEntries(changed) }
}

function addressed(reference: object, url: string): object {
	const { properties } = reference as { properties: { file: { description: string } } }
	const description = properties.file.description.replace(ADDRESS, url)
	return { ...reference, properties: { ...properties, file: { ...properties.file, description } } }
}

/** Of a schema as the build wrote it. */
export function filePlaces(schema: object): FilePlace[] {
	const own = ruleOf(schema)
	if (own) return [{ name: '', list: false, ...own }]
	const { properties } = schema as { properties?: object }
	return Object.entries(properties ?? {}).flatMap(([name, value]): FilePlace[] => {
		const [one, each] = [ruleOf(value), ruleOf((value as { items?: unknown }).items)]
		if (one) return [{ name, list: false, ...one }]
		return each ? [{ name, list: true, ...each }] : []
	})
}

function ruleOf(schema: unknown): FileRule | undefined {
	return isObject(schema) ? (schema as Record<string, FileRule | undefined>)[FILE_KEYWORD] : undefined
}

/** The value with what `change` makes of each file in it; what stands there in another shape is left to its schema. */
export function mapFiles(
	places: readonly FilePlace[],
	value: unknown,
	change: (file: Record<string, unknown>, place: FilePlace, pointer: string) => unknown,
): unknown {
	if (places.length === 0 || !isObject(value)) return value
	const of = (held: unknown, place: FilePlace, pointer: string) =>
		isObject(held) ? change(held as Record<string, unknown>, place, pointer) : held
	const [first] = places
	if (first?.name === '') return of(value, first, '')
	const changed = { ...(value as Record<string, unknown>) }
	for (const place of places) {
		if (!Object.hasOwn(changed, place.name)) continue
		const held = changed[place.name]
		const pointer = `/${place.name.replaceAll('~', '~0').replaceAll('/', '~1')}`
		changed[place.name] =
			place.list && Array.isArray(held)
				? held.map((item, i) => of(item, place, `${pointer}/${i}`))
				: place.list
					? held
					: of(held, place, pointer)
	}
	return changed
}

/** Why a file may not stand there; null where it may. */
export function fileFault({ accept, max_kb }: FileRule, file: { type: string; size: number }): string | null {
	if (file.size > max_kb * 1024) return `is over ${max_kb} KiB`
	const [group] = file.type.split('/', 1)
	if (accept.length === 0 || accept.some((type) => type === file.type || type === `${group}/*`)) return null
	return `is ${file.type}; ${accept.join(', ')} ${accept.length === 1 ? 'is' : 'are'} accepted`
}
