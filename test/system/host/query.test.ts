import { afterAll, beforeAll, expect, test } from 'vitest'
import { bundleOf, deploy, type Running, upload } from '../../kit/agent.ts'
import type { Call, TestAccount, TestHost } from '../../kit/host.ts'
import { type ModelServer, startModelServer } from '../../kit/model-server.ts'
import { sharedHost } from '../../kit/shared-host.ts'

// Queries with a parameter that an address does not have: refused, and nothing is done.

let host: TestHost
let models: ModelServer
let account: TestAccount
let agent: Running
let bundle: Uint8Array

beforeAll(async () => {
	models = await startModelServer({ m: { text: 'Hello.' } })
	host = await sharedHost()
	account = await host.account()
	bundle = await bundleOf({
		model: `{ provider: openai, name: m, base_url: "${models.openaiUrl}" }`,
		files: { 'memory/list.md': 'first' },
	})
	agent = await deploy(host, account, bundle)
})
afterAll(async () => {
	await host?.close()
	await models?.close()
})

const own = <T = Record<string, unknown>>(path: string, call: Call = {}) =>
	host.call<T>(path, { token: account.token, ...call })
const refused = (name: string) => ({
	status: 400,
	body: {
		code: 'invalid_request',
		detail: `/${name}: There is no such member.`,
		errors: [{ path: `/${name}`, message: 'There is no such member.' }],
	},
})

// Proves: error.unknown-parameter
test.each<[string, (agent: Running) => string, string, () => Call]>([
	[
		'deletes no deployment',
		({ id }) => `/v1/deployments/${id}?dry_run=true`,
		'dry_run',
		() => ({ method: 'DELETE' }),
	],
	[
		'activates no version',
		({ id }) => `/v1/deployments/${id}/versions?dryrun=true`,
		'dryrun',
		() => ({ method: 'POST', body: upload(bundle) }),
	],
	[
		'stops nothing',
		({ id }) => `/v1/deployments/${id}/stop?drain_seconds=1`,
		'drain_seconds',
		() => ({ json: {} }),
	],
	['erases no memory', ({ url }) => `${url}/memory?path=list.md`, 'path', () => ({ method: 'DELETE' })],
	['runs nothing', ({ url }) => `${url}/run?dry_run=true`, 'dry_run', () => ({ json: { inputs: {} } })],
	['runs no form', ({ url }) => `${url}/run?dry_run`, 'dry_run', () => ({ method: 'POST', body: runForm() })],
	['reads no account', () => '/v1/account?x', 'x', () => ({})],
])('a parameter that does not exist %s', async (_what, path, name, call) => {
	expect(await own(path(agent), call())).toMatchObject(refused(name))
	const [deployment, memory, runs] = await Promise.all([
		own(`/v1/deployments/${agent.id}`),
		own<{ data: unknown[] }>(`${agent.url}/memory`),
		own<{ data: unknown[] }>(`${agent.url}/runs`),
	])
	expect(deployment.body).toMatchObject({ state: 'running', version: 1 })
	expect([memory.body.data.length, runs.body.data.length]).toEqual([1, 0])
})

function runForm(): FormData {
	const form = new FormData()
	form.set('inputs', '{}')
	return form
}

// Proves: error.unknown-parameter
test('a misspelt `full` of the events is refused, and an empty query is none', async () => {
	const { body } = await own<{ id: string }>(`${agent.url}/run?`, { json: { inputs: {} } })
	expect(await own(`${agent.url}/runs/${body.id}/events?ful`)).toMatchObject(refused('ful'))
	expect((await own(`${agent.url}/runs/${body.id}/events?full`)).status).toBe(200)
})

// Proves: error.unauthenticated-first
test('who is not signed in hears of that first', async () => {
	expect((await own('/v1/account?x', { token: 'bpt_wrong' })).status).toBe(401)
	expect((await own(`${agent.url}/run?x`, { token: 'wrong', json: { inputs: {} } })).status).toBe(401)
})
