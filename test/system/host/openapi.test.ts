// The documents that programs read: what they say is what the routes do, and tools of others can work with them.
import { fastify } from 'fastify'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { readPage } from '../../../.tools/pages.ts'
import { Problem } from '../../../host/http/errors.ts'
import { openApiRoute } from '../../../host/http/openapi/index.ts'
import { owner } from '../../../host/http/operation.ts'
import type { App } from '../../../host/http/route.ts'
import { answerError, serializerCompiler, validatorCompiler } from '../../../host/http/validation.ts'
import { bundleOf, deploy, run } from '../../kit/agent.ts'
import type { TestHost } from '../../kit/host.ts'
import { type ModelServer, startModelServer } from '../../kit/model-server.ts'
import { sharedHost } from '../../kit/shared-host.ts'

interface Operation {
	operationId: string
	responses: Record<string, { $ref?: string }>
	parameters?: { name: string }[]
}
interface Document {
	paths: Record<string, Record<string, Operation>>
	components: {
		schemas: Record<string, { required?: string[]; properties?: Record<string, unknown> }>
		responses: Record<string, unknown>
	}
}

const yaml = `inputs:
  type: object
  required: [question]
  additionalProperties: false
  $defs: { tone: { enum: [dry, warm] } }
  properties:
    question: { type: string }
    tone: { $ref: '#/$defs/tone' }
output:
  type: object
  required: [answer]
  properties: { answer: { type: string } }
`

let host: TestHost
let models: ModelServer
let whole: Document
let own: Document
let agent: Awaited<ReturnType<typeof deploy>>

beforeAll(async () => {
	models = await startModelServer({ m: { text: '{"answer":"42"}' } })
	host = await sharedHost()
	const model = `{ provider: openai, name: m, base_url: "${models.openaiUrl}" }`
	agent = await deploy(host, await host.account(), await bundleOf({ model, yaml }))
	whole = (await host.call<Document>('/openapi.json')).body
	own = (await host.call<Document>(`${agent.url}/openapi.json`, { token: agent.run_key })).body
})
afterAll(async () => {
	await host?.close()
	await models?.close()
})

const operations = ({ paths }: Document) =>
	Object.entries(paths).flatMap(([path, methods]) =>
		Object.entries(methods).map(([method, operation]) => ({ name: `${method} ${path}`, ...operation })),
	)
const quoted = (text: string) => [...text.matchAll(/`([^`]+)`/g)].map(([, word = '']) => word)
const codesOf = ({ responses }: Operation, status: number) =>
	responses[status]?.$ref?.split('/').at(-1)?.replace(/^\d+_/, '').split('_or_') ?? []

describe('the documents', () => {
	// Proves: openapi.operations
	test('name every operation once, for clients to call it by', () => {
		for (const document of [whole, own]) {
			const ids = operations(document).map(({ operationId }) => operationId)
			expect(ids.filter((id) => !/^[a-z][a-zA-Z]+$/.test(id))).toEqual([])
			expect(new Set(ids).size).toBe(ids.length)
		}
	})

	// Proves: openapi.addresses
	test('have the addresses of the guard, of sign-in, health and metrics, too', () => {
		expect(Object.keys(whole.paths)).toEqual(
			expect.arrayContaining(
				[
					'/mcp',
					'/authorize',
					'/token',
					'/revoke',
					'/register',
					'/register/{id}',
					'/healthz',
					'/readyz',
				].concat(
					['/metrics', '/openapi.json', '/', '/sign-in', '/.well-known/oauth-authorization-server'],
					['/.well-known/oauth-protected-resource/mcp', '/d/{slug}/memory/{path}'],
				),
			),
		)
	})

	// Proves: openapi.addresses
	test('tell that pages lead to the sign-in', async () => {
		for (const path of ['/', '/device']) {
			expect(whole.paths[path]?.get?.responses[303]).toMatchObject({ headers: { Location: {} } })
			const headers = { accept: 'text/html' }
			expect((await fetch(host.url + path, { redirect: 'manual', headers })).status).toBe(303)
		}
	})

	test('have the same operations as the page that describes them', () => {
		const rows = readPage('host/README.md').matchAll(/^\| ((?:`\/[^`|]*`(?:, )?)+) \| (.*) \|$/gm)
		const described = [...rows].flatMap(([, addresses = '', methods = '']) =>
			quoted(addresses).flatMap((path) =>
				quoted(methods)
					.filter((word) => /^(GET|POST|PUT|PATCH|DELETE)$/.test(word))
					.map((method) => `${method.toLowerCase()} ${path}`),
			),
		)
		expect(described.sort()).toEqual(
			operations(whole)
				.map(({ name }) => name)
				.sort(),
		)
	})

	// Proves: openapi.codes
	test('list the codes that an operation answers with, by status', () => {
		const start = whole.paths['/v1/deployments/{id}/start']?.post as Operation
		expect(Object.keys(start.responses)).toEqual([
			'200',
			'400',
			'401',
			'403',
			'404',
			'409',
			'410',
			'413',
			'415',
			'421',
			'422',
			'429',
			'500',
			'503',
		])
		expect(codesOf(start, 409)).toEqual([
			'conflict',
			'credentials_missing',
			'idempotency_in_progress',
			'running_agent_limit_reached',
		])
		expect(codesOf(start, 410)).toEqual(['deployment_not_running'])
		const file = whole.paths['/d/{slug}/files/{file}']?.get as Operation
		expect(Object.keys(file.responses)).toEqual(expect.arrayContaining(['200', '206', '304', '416']))
		const register = whole.paths['/register']?.post as Operation
		expect(Object.keys(register.responses)).toEqual(['201', '400', '413', '415', '429'])
		const ready = whole.paths['/readyz']?.get as Operation
		expect(codesOf(ready, 503)).toEqual(['overloaded'])
		expect(ready.responses).not.toHaveProperty('401')
		expect(codesOf(own.paths['/run']?.post as Operation, 402)).toEqual([
			'budget_reached',
			'cost_limit_reached',
		])
	})

	// Proves: openapi.references
	test('hold no reference that leads nowhere', () => {
		for (const document of [whole, own]) {
			const refs = [...JSON.stringify(document).matchAll(/"\$ref":"#\/([^"]+)"/g)].map(
				([, path]) => path ?? '',
			)
			const found = (path: string) =>
				path
					.split('/')
					.reduce<unknown>((at, part) => (at as Record<string, unknown> | undefined)?.[part], document)
			expect(refs.filter((path) => found(path) === undefined)).toEqual([])
		}
	})

	// Proves: deployment.own-openapi
	test('of a deployment says which members a run has, and all are there', async () => {
		const { body } = await run(host, agent, { question: 'What is it?' })
		const { Run, Usage, RunPage, Problem: problem } = own.components.schemas
		expect(Run?.required?.sort()).toEqual(Object.keys(body).sort())
		expect(Usage?.required?.sort()).toEqual(Object.keys(body.usage as object).sort())
		expect(RunPage?.required).toEqual(['data', 'next_cursor'])
		expect(problem?.required).toContain('code')
		expect(Run?.properties).toMatchObject({ inputs: { $ref: '#/components/schemas/Inputs' } })
		expect(own.components.schemas.Inputs?.required).toEqual(['question'])
		expect(own.paths['/runs/{run}']?.get?.parameters?.map(({ name }) => name)).toEqual(['run'])
	})
})

describe('a route', () => {
	const made = () => {
		const lines: string[] = []
		const stream = { write: (line: string) => void lines.push(line) }
		const app = fastify({ logger: { level: 'error', stream } }) as unknown as App
		app.setValidatorCompiler(validatorCompiler)
		app.setSerializerCompiler(serializerCompiler)
		app.setErrorHandler(answerError)
		openApiRoute(app, 'http://127.0.0.1')
		return { app, lines }
	}

	// Proves: openapi.complete
	test('that says nothing of itself is refused with what to add', async () => {
		const { app } = made()
		expect(() => app.get('/v1/new', async () => ({}))).toThrow(
			/^GET \/v1\/new is not described: .*owner\('operationId', 'One sentence'/,
		)
		app.get('/v1/old', { config: owner('getOld', 'Old') }, async () => ({}))
		expect(() => app.get('/v1/other', { config: owner('getOld', 'Other') }, async () => ({}))).toThrow(
			'GET /v1/other: another route has the operationId getOld.',
		)
		await app.close()
	})

	// Proves: openapi.complete
	test('that answers with a code it does not declare is told of in the log, with what to add', async () => {
		const { app, lines } = made()
		const refuse = async () => {
			throw new Problem('name_taken', 'There is one.')
		}
		app.post('/v1/said', { config: owner('said', 'Said', ['name_taken']) }, refuse)
		app.post('/v1/unsaid', { config: owner('unsaid', 'Unsaid', ['conflict']) }, refuse)
		expect((await app.inject({ method: 'POST', url: '/v1/said' })).statusCode).toBe(409)
		expect(lines).toEqual([])
		expect((await app.inject({ method: 'POST', url: '/v1/unsaid' })).statusCode).toBe(409)
		expect(JSON.parse(lines[0] ?? '{}').msg).toBe(
			"POST /v1/unsaid answered 409 name_taken, which its OpenAPI operation does not list: add 'name_taken' to the codes in the config of its route",
		)
		await app.close()
	})
})
