import { z } from 'zod'
import { Problem } from '../../api/common.ts'
import { eventData, ModelDelta, ModelRetrying, Run, RunEvent } from '../../api/runs.ts'
import { answersOf, problemResponses } from './answers.ts'
import { connectorPaths, connectorSchemas } from './connector.ts'
import { type Operation, operationOf } from './operation.ts'
import { pathOf, type Route } from './route.ts'

/** The parts of an OpenAPI 3.1 document that come of routes: zod schemas as JSON Schema 2020-12. */
export interface Parts {
	paths: Record<string, Record<string, Operation>>
	components: { schemas: Record<string, unknown>; responses: Record<string, unknown> }
}

/** The whole host's. */
export function hostDocument(routes: Route[], { baseUrl, version }: { baseUrl: string; version: string }) {
	const { paths, components } = partsOf(routes)
	return {
		openapi: '3.1.0',
		info: { title: 'Berth', version, description: 'A self-hosted home for deployed AI agents.' },
		servers: [{ url: baseUrl }],
		paths: { ...paths, ...connectorPaths },
		components: {
			schemas: { ...components.schemas, ...connectorSchemas },
			responses: components.responses,
			securitySchemes,
		},
	}
}

export function partsOf(routes: Route[]): Parts {
	const parts: Parts = { paths: {}, components: { schemas: {}, responses: {} } }
	const { schemas, responses } = parts.components
	const toJson = (schema: z.ZodType, io: 'input' | 'output') => asReference(schema, io, schemas)
	for (const always of [Problem, Run, RunEvent, ModelDelta, ModelRetrying]) toJson(always, 'output')
	const known = ['ModelDelta', 'ModelRetrying'].map((name) => ({ $ref: `#/components/schemas/${name}` }))
	const data = { description: eventData, anyOf: [...known, { type: 'object' }] }
	Object.assign((schemas.RunEvent as { properties: object }).properties, { data })
	// Of a run that failed while its caller waited.
	Object.assign((schemas.Problem as { properties: object }).properties, {
		run: { $ref: '#/components/schemas/Run' },
	})
	for (const route of routes) {
		const path = pathOf(route)
		parts.paths[path] ??= {}
		parts.paths[path][route.method.toLowerCase()] = operationOf(
			route,
			problemResponses(answersOf(route), responses),
			toJson,
		)
	}
	return parts
}

const bearer = (description: string) => ({ type: 'http', scheme: 'bearer', description })

const securitySchemes = {
	token: bearer('Personal access token, or OAuth access token for {base_url}/v1.'),
	run_key: bearer('Run key of the deployment, or its owner’s token.'),
	upload_token: bearer('One-hour upload token of one deployment, or its owner’s token.'),
	mcp: bearer('OAuth access token for {base_url}/mcp.'),
	registration: bearer('The `registration_access_token` of the client.'),
}

/** Answers may get further members: only what is sent, and says so itself, is closed. */
const openEnded: NonNullable<Parameters<typeof z.toJSONSchema>[1]>['override'] = ({
	zodSchema,
	jsonSchema,
}) => {
	const { def } = zodSchema._zod
	if (def.type === 'object' && !def.catchall) delete jsonSchema.additionalProperties
}

/** Schemas that have an id stand once under components; an object that is read and written stands there twice. */
function asReference(schema: z.ZodType, io: 'input' | 'output', schemas: Record<string, unknown>): unknown {
	const {
		$schema: _,
		$defs = {},
		...json
	} = z.toJSONSchema(schema, { io, unrepresentable: 'any', override: openEnded }) as Record<
		string,
		unknown
	> & {
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
