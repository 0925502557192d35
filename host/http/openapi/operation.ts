import { z } from 'zod'
import type { Route } from './route.ts'

export interface Operation {
	operationId: string
	parameters?: { name: string; in: string }[]
	[member: string]: unknown
}

type ToJson = (schema: z.ZodType, io: 'input' | 'output') => unknown

const security = {
	owner: [{ token: [] }],
	operator: [{ token: [] }],
	run_key: [{ run_key: [] }, { token: [] }],
	upload: [{ upload_token: [] }, { token: [] }],
}

/** A route that has an `operation`, as OpenAPI describes it. */
export function operationOf(route: Route, failures: Record<string, unknown>, toJson: ToJson): Operation {
	const { config, schema } = route
	const parameters = parametersOf(route)
	return {
		operationId: config.operation as string,
		summary: config.summary,
		security: config.auth ? security[config.auth] : [],
		...(parameters.length > 0 && { parameters }),
		...(config.upload && { requestBody: multipart(config.upload) }),
		...(config.bytes === 'request' && { requestBody: { required: true, content: anyBytes } }),
		...(schema.body && {
			requestBody: {
				required: !schema.body.safeParse(undefined).success,
				content: {
					'application/json': { schema: toJson(schema.body, 'input') },
					...(config.bytes === 'form' && { 'multipart/form-data': { schema: runForm } }),
				},
			},
		}),
		responses: {
			...answers(route, toJson),
			...(config.redirects && { 303: { description: config.redirects, headers: redirect } }),
			...failures,
		},
	}
}

const anyBytes = { 'application/octet-stream': { schema: { type: 'string', format: 'binary' } } }
const runForm = {
	type: 'object',
	description: 'Files stand under the names of their inputs.',
	properties: { inputs: { type: 'string', contentMediaType: 'application/json' } },
	additionalProperties: { type: 'string', format: 'binary' },
}

const descriptions: Record<string, string> = {
	200: 'Success',
	201: 'Created',
	202: 'Accepted; still under way',
	204: 'Success, with no content',
	304: 'Not modified',
}
const events = {
	type: 'string',
	description: 'Server-sent events; the `data` of each is a RunEvent.',
	contentMediaType: 'application/json',
	contentSchema: { $ref: '#/components/schemas/RunEvent' },
}
const redirect = { Location: { description: 'Where to go on', schema: { type: 'string' } } }
const location = { Location: { description: 'Leads to the run', schema: { type: 'string' } } }

function answers({ config: { media, bytes }, schema }: Route, toJson: ToJson): Record<string, unknown> {
	const entries = Object.entries(schema.response ?? {}).map(([status, answer]) => {
		const empty = answer instanceof z.ZodUndefined
		return [
			status,
			{
				description: descriptions[status] ?? 'Success',
				...(status === '202' && { headers: location }),
				...(!empty && { content: { 'application/json': { schema: toJson(answer, 'output') } } }),
			},
		] as const
	})
	const all = Object.fromEntries(entries)
	if (bytes === 'answer')
		return {
			200: { description: 'The bytes', content: anyBytes },
			206: { description: 'The part that `Range` names', content: anyBytes },
			304: { description: descriptions[304] },
		}
	if (!media) return all
	const { description = 'Success', content = {} } = (all[200] ?? {}) as {
		description?: string
		content?: object
	}
	const sent = media === 'text/event-stream' ? events : { type: 'string' }
	return { ...all, 200: { description, content: { ...content, [media]: { schema: sent } } } }
}

function parametersOf({ method, url, config, schema }: Route): NonNullable<Operation['parameters']> {
	const names = url.match(/:\w+|\*$/g)?.map((name) => (name === '*' ? 'path' : name.slice(1))) ?? []
	const inPath = propertiesOf(schema.params)
	return [
		...names.map((name) => ({
			name,
			in: 'path',
			required: true,
			schema: inPath.properties[name] ?? { type: 'string' },
		})),
		...queryMembers(schema.querystring),
		...Object.entries(config.headers ?? {}).map(([name, description]) => ({
			name,
			in: 'header',
			description,
			schema: { type: 'string' },
		})),
		...(method === 'POST' && url.startsWith('/v1/') && config.auth && config.idempotency !== false
			? [idempotencyKey]
			: []),
	]
}

const idempotencyKey = { name: 'Idempotency-Key', in: 'header', schema: { type: 'string', maxLength: 255 } }

function multipart(texts: Record<string, boolean>) {
	const properties = Object.keys(texts).map((name) => [name, { type: 'string' }])
	const schema = {
		type: 'object',
		properties: { bundle: { type: 'string', format: 'binary' }, ...Object.fromEntries(properties) },
		required: ['bundle', ...Object.keys(texts).filter((name) => texts[name])],
	}
	return { required: true, content: { 'multipart/form-data': { schema } } }
}

function propertiesOf(schema: z.ZodType | undefined) {
	const json = schema && z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' })
	return { properties: json?.properties ?? {}, required: json?.required ?? [] }
}

function queryMembers(query: z.ZodType | undefined) {
	const { properties, required } = propertiesOf(query)
	return Object.entries(properties).map(([name, schema]) => ({
		name,
		in: 'query',
		required: required.includes(name),
		schema,
	}))
}
