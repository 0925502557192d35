// What the page needs of an OpenAPI 3.1 document. The host writes both documents itself (host/http/openapi).

export interface Schema {
	$ref?: string
	type?: string | string[]
	description?: string
	properties?: Record<string, Schema>
	required?: string[]
	items?: Schema
	enum?: unknown[]
	const?: unknown
	anyOf?: Schema[]
	oneOf?: Schema[]
	additionalProperties?: Schema | boolean
	format?: string
	default?: unknown
	minimum?: number
	maximum?: number
	maxLength?: number
}

export interface Parameter {
	$ref?: string
	name: string
	in: string
	required?: boolean
	description?: string
	schema?: Schema
}

interface Content {
	content?: Record<string, { schema?: Schema }>
	description?: string
	$ref?: string
}

interface OperationObject {
	operationId: string
	summary?: string
	description?: string
	parameters?: Parameter[]
	requestBody?: Content & { required?: boolean }
	responses: Record<string, Content>
}

export interface Document {
	openapi: string
	servers?: { url: string }[]
	paths: Record<string, Record<string, OperationObject>>
	components?: {
		schemas?: Record<string, Schema>
		responses?: Record<string, Content>
		parameters?: Record<string, Parameter>
	}
}

export interface Operation {
	id: string
	method: string
	path: string
	summary: string
	/** What it belongs to: below `/v1` the first two parts of its path. */
	group: string
	parameters: Parameter[]
	body: { type: string; schema: Schema } | undefined
	answers: { status: string; description: string; type: string | undefined; schema: Schema | undefined }[]
}

const methods = ['get', 'post', 'put', 'patch', 'delete']
const groupParts = 2
const oauth = /^\/(mcp|authorize|token|revoke|register|device|oauth|\.well-known)/

export function operationsOf(document: Document): Operation[] {
	return Object.entries(document.paths).flatMap(([path, item]) =>
		methods.flatMap((method) => {
			const one = item[method]
			return one ? [operationOf(document, method, path, one)] : []
		}),
	)
}

function operationOf(document: Document, method: string, path: string, one: OperationObject): Operation {
	const body = one.requestBody && firstContent(one.requestBody)
	return {
		id: one.operationId,
		method: method.toUpperCase(),
		path,
		summary: one.summary ?? one.description ?? '',
		group: groupOf(path),
		parameters: (one.parameters ?? []).map((given) =>
			given.$ref ? (document.components?.parameters?.[nameOf(given.$ref)] ?? given) : given,
		),
		body: body?.schema && { type: body.type, schema: body.schema },
		answers: Object.entries(one.responses).map(([status, given]) => {
			const answer = given.$ref ? (document.components?.responses?.[nameOf(given.$ref)] ?? given) : given
			const content = firstContent(answer)
			return { status, description: answer.description ?? '', type: content?.type, schema: content?.schema }
		}),
	}
}

function firstContent({ content }: Content): { type: string; schema: Schema | undefined } | undefined {
	const [type, given] = Object.entries(content ?? {})[0] ?? []
	return type === undefined ? undefined : { type, schema: given?.schema }
}

function groupOf(path: string): string {
	const parts = path.split('/').filter((part) => part !== '' && !part.startsWith('{'))
	if (parts[0] === 'v1') return `/${parts.slice(0, groupParts).join('/')}`
	if (parts[0] === 'd') return 'A deployment’s own address'
	return oauth.test(path) ? 'Guard and its sign-in' : 'Host'
}

export const nameOf = (ref: string): string => ref.split('/').at(-1) ?? ref

/** Past a reference; the name is what it is called. */
export function resolve(document: Document, schema: Schema): { name?: string; schema: Schema } {
	if (!schema.$ref) return { schema }
	const name = nameOf(schema.$ref)
	return { name, schema: document.components?.schemas?.[name] ?? {} }
}
