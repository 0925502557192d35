import type { RouteOptions } from 'fastify'
import { z } from 'zod'
import { Problem } from './api/common.ts'
import { ModelDelta, ModelRetrying, RunEvent } from './api/runs.ts'
import type { Host } from './context.ts'
import type { App } from './http.ts'
import { version } from './root.ts'

// OpenAPI 3.1 from the routes themselves: every route with a `summary` is in the document, its zod schemas as JSON
// Schema 2020-12. Built at the first request for it and kept.

interface Route {
	method: string
	url: string
	config: NonNullable<RouteOptions['config']>
	schema: RouteSchema
}

interface RouteSchema {
	params?: z.ZodType
	querystring?: z.ZodType
	body?: z.ZodType
	response?: Record<string, z.ZodType>
}

/** Call before the routes are registered. */
export function openApiRoute(app: App, host: Host): void {
	const routes: Route[] = []
	app.addHook('onRoute', ({ method, url, config, schema }) => {
		if (!config?.summary) return
		const found = { url, config, schema: (schema ?? {}) as RouteSchema }
		for (const one of [method].flat()) if (one !== 'HEAD') routes.push({ ...found, method: one })
	})
	let text: string | null = null
	app.get('/openapi.json', async (_request, reply) => {
		text ??= JSON.stringify(describe(routes, host.config.BASE_URL))
		return reply.type('application/json; charset=utf-8').send(text)
	})
}

function describe(routes: Route[], baseUrl: string) {
	const schemas: Record<string, unknown> = {}
	const paths: Record<string, Record<string, unknown>> = {}
	const toJson = (schema: z.ZodType, io: 'input' | 'output') => asReference(schema, io, schemas)
	for (const always of [Problem, RunEvent, ModelDelta, ModelRetrying]) toJson(always, 'output')
	for (const route of routes) {
		const path = route.url.replace(/:(\w+)/g, '{$1}').replace(/\*$/, '{path}')
		paths[path] ??= {}
		paths[path][route.method.toLowerCase()] = operation(route, toJson)
	}
	return {
		openapi: '3.1.0',
		info: { title: 'Berth', version, description: 'A self-hosted home for deployed AI agents.' },
		servers: [{ url: baseUrl }],
		paths,
		components: { schemas, securitySchemes },
	}
}

const securitySchemes = {
	token: {
		type: 'http',
		scheme: 'bearer',
		description: 'Personal access token, or OAuth access token for {base_url}/v1.',
	},
	run_key: {
		type: 'http',
		scheme: 'bearer',
		description: 'Run key of the deployment, or its owner’s token.',
	},
	upload_token: {
		type: 'http',
		scheme: 'bearer',
		description: 'One-hour upload token of one deployment, or its owner’s token.',
	},
}

const security = {
	owner: [{ token: [] }],
	operator: [{ token: [] }],
	run_key: [{ run_key: [] }, { token: [] }],
	upload: [{ upload_token: [] }, { token: [] }],
}

type ToJson = (schema: z.ZodType, io: 'input' | 'output') => unknown

function operation({ method, url, config, schema }: Route, toJson: ToJson) {
	const responses: Record<string, unknown> = {
		default: {
			description: 'Problem',
			content: { 'application/problem+json': { schema: { $ref: '#/components/schemas/Problem' } } },
		},
	}
	for (const [status, answer] of Object.entries(schema.response ?? {})) {
		const empty = answer instanceof z.ZodUndefined
		responses[status] = {
			description: 'Success',
			...(!empty && { content: { 'application/json': { schema: toJson(answer, 'output') } } }),
		}
	}
	if (config.stream) responses[200] = withStream(responses[200])
	const parameters = [
		...members(
			url
				.replace(/\*$/, ':path')
				.match(/:(\w+)/g)
				?.map((name) => name.slice(1)) ?? [],
		),
		...queryMembers(schema.querystring),
		...headerMembers(config.headers),
		...(method === 'POST' && url.startsWith('/v1') && config.idempotency !== false ? [idempotencyKey] : []),
	]
	return {
		summary: config.summary,
		...(config.auth && { security: security[config.auth] }),
		...(parameters.length > 0 && { parameters }),
		...(config.upload && { requestBody: multipart(config.upload) }),
		...(schema.body && {
			requestBody: {
				required: !schema.body.safeParse(undefined).success,
				content: { 'application/json': { schema: toJson(schema.body, 'input') } },
			},
		}),
		responses,
	}
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

function withStream(answer: unknown) {
	const { description = 'Success', content = {} } = (answer ?? {}) as {
		description?: string
		content?: object
	}
	const schema = { type: 'string', description: 'Server-sent events; the `data` of each is a RunEvent.' }
	return { description, content: { ...content, 'text/event-stream': { schema } } }
}

function headerMembers(headers: Record<string, string> = {}) {
	return Object.entries(headers).map(([name, description]) => ({
		name,
		in: 'header',
		description,
		schema: { type: 'string' },
	}))
}

function members(names: string[]) {
	return names.map((name) => ({ name, in: 'path', required: true, schema: { type: 'string' } }))
}

function queryMembers(query: z.ZodType | undefined) {
	if (!query) return []
	const json = z.toJSONSchema(query, { io: 'input', unrepresentable: 'any' })
	return Object.entries(json.properties ?? {}).map(([name, schema]) => ({
		name,
		in: 'query',
		required: json.required?.includes(name) ?? false,
		schema,
	}))
}

/** Schemas that have an id stand once under components; an object that is read and written stands there twice. */
function asReference(schema: z.ZodType, io: 'input' | 'output', schemas: Record<string, unknown>): unknown {
	const {
		$schema: _,
		$defs = {},
		...json
	} = z.toJSONSchema(schema, { io, unrepresentable: 'any' }) as Record<string, unknown> & {
		$defs?: Record<string, unknown>
	}
	const moved = (value: unknown): unknown => {
		const text = JSON.stringify(value).replaceAll('"#/$defs/', '"#/components/schemas/')
		return JSON.parse(text)
	}
	for (const [id, definition] of Object.entries($defs)) schemas[id] ??= moved(definition)
	const id = typeof json.id === 'string' ? json.id : null
	if (!id) return moved(json)
	schemas[id] ??= moved(json)
	return { $ref: `#/components/schemas/${id}` }
}
