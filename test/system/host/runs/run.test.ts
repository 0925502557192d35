import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import * as api from '../../../../host/api/runs.ts'
import { bundleOf, deploy, type Running, run, until, upload } from '../../../kit/agent.ts'
import type { TestAccount, TestHost } from '../../../kit/host.ts'
import { type ModelServer, startModelServer } from '../../../kit/model-server.ts'
import { sharedHost } from '../../../kit/shared-host.ts'

// One address, its ways to answer, and what each failure looks like.

let host: TestHost
let models: ModelServer
let account: TestAccount
let agent: Running
let slow: Running

const yaml = `inputs:
  type: object
  required: [name]
  additionalProperties: false
  properties: { name: { type: string, minLength: 1 } }
`

beforeAll(async () => {
	models = await startModelServer({
		m: { text: 'Hello, Ada!' },
		slow: { text: 'At last.', delayMs: 700 },
		broken: { fault: { status: 500 } },
		unauthorized: { fault: { status: 401 } },
		limited: { fault: { status: 429, headers: { 'retry-after': '1' } } },
	})
	host = await sharedHost()
	account = await host.account({ plan: 'team' })
	agent = await made('m')
	slow = await made('slow')
})
afterAll(async () => {
	await host?.close()
	await models?.close()
})

const made = async (name: string) =>
	deploy(
		host,
		account,
		await bundleOf({
			model: `{ provider: openai, name: ${name}, base_url: "${models.openaiUrl}", retry_seconds: 0 }`,
			yaml,
		}),
	)
const ada = { name: 'Ada' }
const runsOf = async (at: Running, query = '', token = at.run_key) =>
	(await host.call<api.RunPage>(`${at.url}/runs${query}`, { token })).body

describe('a run', () => {
	// Proves: deployment.address, key.bearer, run.inputs-body, run.waits
	test('answers 200 with the run when it has succeeded', async () => {
		const { status, body, headers } = await run(host, agent, ada)
		expect(status).toBe(200)
		expect(api.Run.parse(body)).toEqual(body)
		expect(body).toMatchObject({
			deployment: agent.id,
			version: 1,
			status: 'succeeded',
			inputs: ada,
			output: 'Hello, Ada!',
			error: null,
			usage: { model_calls: 1, tool_calls: 0 },
		})
		expect(headers.get('content-location')).toBe(`${agent.url}/runs/${body.id}`)
		expect((await host.call(`${agent.url}/runs/${body.id}`, { token: agent.run_key })).body).toEqual(body)
	})

	// Proves: run.respond-async
	test('with respond-async answers 202 at once and is found at its Location', async () => {
		const accepted = await run(host, slow, ada, { prefer: 'respond-async' })
		expect(accepted.status).toBe(202)
		expect(api.Run.parse(accepted.body)).toEqual(accepted.body)
		expect(accepted.body.status).toBe('queued')
		expect(accepted.headers.get('preference-applied')).toBe('respond-async')
		const location = accepted.headers.get('location') ?? ''
		const done = await until(async () => {
			const { body } = await host.call(location, { token: slow.run_key })
			return body.status === 'succeeded' && body
		})
		expect(done).toMatchObject({ id: accepted.body.id, output: 'At last.' })
	})

	// Proves: run.prefer-wait
	test('past Prefer: wait=N turns into a 202 and goes on', async () => {
		const { status, body, headers } = await run(host, slow, ada, { prefer: 'wait=0' })
		expect([status, headers.get('preference-applied')]).toEqual([202, 'wait=0'])
		// What is ignored is not named.
		const ignored = await run(host, slow, ada, { prefer: 'wait=soon, handling=lenient, respond-async' })
		expect([ignored.status, ignored.headers.get('preference-applied')]).toEqual([202, 'respond-async'])
		await until(
			async () =>
				(await host.call(`${slow.url}/runs/${body.id}`, { token: slow.run_key })).body.status === 'succeeded',
		)
	})

	// Proves: run.caller-hangs-up
	test('goes on when its caller has hung up', async () => {
		const before = (await runsOf(slow)).data.length
		const gone = new AbortController()
		const call = fetch(`${slow.url}/run`, {
			method: 'POST',
			headers: { authorization: `Bearer ${slow.run_key}`, 'content-type': 'application/json' },
			body: JSON.stringify({ inputs: ada }),
			signal: gone.signal,
		})
		await until(async () => (await runsOf(slow, '?status=live')).data.length === 1)
		gone.abort()
		await expect(call).rejects.toThrow()
		const after = await until(async () => {
			const { data } = await runsOf(slow)
			return data.length > before && data[0]?.status === 'succeeded' && data
		})
		expect(after).toHaveLength(before + 1)
	})

	// Proves: run.failed-problem
	test.each([
		['provider_auth_failed', 502, 'unauthorized'],
		['provider_unavailable', 502, 'broken'],
		['provider_rate_limited', 502, 'limited'],
		['agent_error', 500, 'nowhere'],
	])(
		'that fails with %s answers %i with the run and its code (%s)',
		async (code, status, model) => {
			const failing = await made(model)
			const answer = await run(host, failing, ada)
			expect([answer.status, answer.body.code]).toEqual([status, code])
			expect(answer.headers.get('content-type')).toContain('application/problem+json')
			const failed = answer.body.run as api.Run
			expect(api.Run.parse(failed)).toEqual(failed)
			expect(failed).toMatchObject({ status: 'failed', error: { code: answer.body.code }, output: null })
		},
		60_000,
	)

	// Proves: run.not-running
	test('of a stopped deployment is refused, and what was run stays readable', async () => {
		const at = await made('m')
		const { body } = await run(host, at, ada)
		await host.call(`/v1/deployments/${at.id}/stop`, { method: 'POST', token: account.token })
		const refused = await run(host, at, ada)
		expect([refused.status, refused.body.code]).toEqual([409, 'deployment_not_running'])
		expect((await host.call(`${at.url}/runs/${body.id}`, { token: at.run_key })).status).toBe(200)
		await host.call(`/v1/deployments/${at.id}/start`, { method: 'POST', token: account.token })
		expect((await run(host, at, ada)).status).toBe(200)
	})

	// Proves: key.own-runs, run.owner-calls
	test('by its owner needs no run key, and no run key sees it', async () => {
		const { status, body } = await run(host, agent, ada, {}, account.token)
		expect(status).toBe(200)
		expect((await host.call(`${agent.url}/runs/${body.id}`, { token: agent.run_key })).status).toBe(404)
		expect((await host.call(`${agent.url}/runs/${body.id}`, { token: account.token })).status).toBe(200)
	})
})

describe('bad input', () => {
	const call = (body: string, headers = {}) =>
		host.call(`${agent.url}/run`, {
			token: agent.run_key,
			body,
			headers: { 'content-type': 'application/json', ...headers },
		})

	// Proves: run.inputs-body, run.bad-body-refused, run.body-limit
	test.each([
		['no JSON', '{', 400, 'invalid_request'],
		['no object', '[]', 400, 'invalid_request'],
		['no inputs', '{}', 400, 'invalid_request'],
		['a member nobody knows', '{"inputs":{"name":"a"},"x":1}', 400, 'invalid_request'],
		['inputs that are no object', '{"inputs":[]}', 400, 'invalid_request'],
		['a lone surrogate', '{"inputs":{"name":"\\ud800"}}', 400, 'invalid_request'],
		['an input of the wrong type', '{"inputs":{"name":1}}', 422, 'inputs_invalid'],
		['an input too few and one too many', '{"inputs":{"other":1}}', 422, 'inputs_invalid'],
		['over 1 MiB', `{"inputs":{"name":"${'x'.repeat(1024 * 1024)}"}}`, 413, 'payload_too_large'],
	])('of %s is refused and no run is made', async (_what, body, status, code) => {
		const before = (await runsOf(agent, '?limit=100')).data.length
		const answer = await call(body)
		expect([answer.status, answer.body.code]).toEqual([status, code])
		expect((await runsOf(agent, '?limit=100')).data).toHaveLength(before)
	})

	// Proves: input.unspeakable-named
	test.each([
		['{"inputs":{"name":["a","\\ud800"]}}', '/inputs/name/1: holds half a surrogate pair'],
		['{"inputs":{"a/b":{"\\udc00":1}}}', '/inputs/a~1b: has a member whose name holds half'],
		['{"inputs":{"name":1e999}}', '/inputs/name: is a number too large for JSON'],
	])('that JSON cannot carry is told by its place: %s', async (body, told) => {
		const answer = await call(body)
		expect(answer).toMatchObject({ status: 400, body: { detail: expect.stringContaining(told) } })
		expect(answer.body.errors).toEqual([{ path: told.split(':')[0], message: expect.any(String) }])
	})

	// Proves: input.every-field-named
	test('of inputs names every field', async () => {
		const answer = await call('{"inputs":{"name":"","other":1}}')
		const errors = answer.body.errors as { path: string }[]
		expect(errors.map(({ path }) => path).sort()).toEqual(['/inputs/name', '/inputs/other'])
	})

	// Proves: run.bad-body-refused
	test('as text/plain is refused', async () => {
		expect((await call('{"inputs":{"name":"a"}}', { 'content-type': 'text/plain' })).status).toBe(400)
	})

	// Proves: key.bearer, key.unknown-401
	test.each([
		['no key', undefined, 401],
		['a key that is none', 'brk_nonsense', 401],
		['a personal token of another account', 'other', 404],
	])('with %s is turned away', async (_what, token, status) => {
		const used = token === 'other' ? (await host.account()).token : token
		const answer = await host.call(`${agent.url}/run`, {
			json: { inputs: ada },
			...(used && { token: used }),
		})
		expect(answer.status).toBe(status)
		if (status === 401) expect(answer.headers.get('www-authenticate')).toMatch(/^Bearer/)
	})

	// Proves: run.unknown-deployment
	test('at a deployment that is none answers 404', async () => {
		const answer = await host.call('/d/nothing-00000000/run', { token: agent.run_key, json: { inputs: ada } })
		expect([answer.status, answer.body.code]).toEqual([404, 'not_found'])
	})

	// Proves: input.any-text
	test('with NUL and every control character in the inputs is run and comes back as it was', async () => {
		const name = Array.from({ length: 32 }, (_, i) => String.fromCharCode(i)).join('')
		const answer = await run(host, agent, { name })
		expect([answer.status, answer.body.inputs]).toEqual([200, { name }])
		expect(
			(await host.call(`${agent.url}/runs/${answer.body.id}`, { token: agent.run_key })).body.inputs,
		).toEqual({ name })
	})
})

describe('an Idempotency-Key', () => {
	// Proves: run.idempotency-key
	// Proves: run.idempotency-replayed
	test('of fifty callers at once gives fifty answers and one run', async () => {
		const answers = await Promise.all(
			Array.from({ length: 50 }, () => run(host, slow, ada, { 'idempotency-key': '"fifty"' })),
		)
		expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]))
		expect(new Set(answers.map(({ body }) => body.id)).size).toBe(1)
		expect(answers.filter(({ headers }) => headers.get('idempotency-replayed') === 'true')).toHaveLength(49)
		expect(models.requests.filter(({ body }) => body.model === 'slow').length).toBeLessThan(60)
	})

	// Proves: run.idempotency-mode
	test('attaches in the mode that is asked for, also to a run that has ended', async () => {
		const key = { 'idempotency-key': 'modes' }
		const first = await run(host, slow, ada, { ...key, prefer: 'respond-async' })
		const second = await run(host, slow, ada, key)
		const third = await run(host, slow, { name: 'Ada' }, { ...key, prefer: 'respond-async' })
		expect([first.status, second.status, third.status]).toEqual([202, 200, 200])
		expect(new Set([first, second, third].map(({ body }) => body.id)).size).toBe(1)
		expect(third.body).toEqual(second.body)
	})

	// Proves: run.idempotency-body
	test('with another body is refused', async () => {
		await run(host, agent, ada, { 'idempotency-key': 'body' })
		const other = await run(host, agent, { name: 'Bob' }, { 'idempotency-key': 'body' })
		expect([other.status, other.body.code]).toEqual([422, 'idempotency_key_reused'])
	})

	// Proves: run.idempotency-survives
	test('finds its run whatever has become of budget, inputs and deployment since', async () => {
		const agent = await made('m')
		const key = { 'idempotency-key': 'kept' }
		const { id } = (await run(host, agent, ada, key)).body
		const path = `/v1/deployments/${agent.id}`
		const { token } = account
		const stricter = await bundleOf({
			model: `{ provider: openai, name: m, base_url: "${models.openaiUrl}" }`,
			yaml: yaml.replaceAll('name', 'other'),
		})
		for (const change of [
			() => host.call(path, { method: 'PATCH', token, json: { budgets: { tokens_per_month: 1 } } }),
			() => host.call(`${path}/versions`, { token, body: upload(stricter) }),
			() => host.call(`${path}/stop`, { method: 'POST', token }),
		]) {
			expect((await change()).status).toBeLessThan(300)
			expect((await run(host, agent, ada)).status).toBeGreaterThan(400)
			const again = await run(host, agent, ada, key)
			expect([again.status, again.body.id, again.body.output]).toEqual([200, id, 'Hello, Ada!'])
			expect(again.headers.get('idempotency-replayed')).toBe('true')
		}
	})

	// Proves: run.idempotency-scope
	test('belongs to its run key and deployment', async () => {
		const key = { 'idempotency-key': 'mine' }
		const mine = await run(host, agent, ada, key)
		const owners = await run(host, agent, ada, key, account.token)
		const again = await run(host, agent, ada, key, account.token)
		const elsewhere = await run(host, slow, ada, key)
		expect(new Set([mine, owners, elsewhere].map(({ body }) => body.id)).size).toBe(3)
		expect(again.body.id).toBe(owners.body.id)
	})

	test.each(['', 'x'.repeat(256), 'caf\u00e9'])('that is no key is refused', async (value) => {
		const answer = await run(host, agent, ada, { 'idempotency-key': value })
		expect([answer.status, answer.body.code]).toEqual([400, 'invalid_request'])
	})
})

describe('a cancel', () => {
	// Proves: run.cancel
	test('ends the run, stops its model call, and answers with the run', async () => {
		const endless = await made('slow')
		const waiting = run(host, endless, ada)
		const live = await until(async () => (await runsOf(endless, '?status=live')).data[0])
		const cancelled = await host.call(`${endless.url}/runs/${live.id}/cancel`, {
			method: 'POST',
			token: endless.run_key,
		})
		expect([cancelled.status, cancelled.body.status]).toEqual([200, 'cancelled'])
		const answer = await waiting
		expect([answer.status, answer.body.code]).toEqual([409, 'cancelled'])
		const again = await host.call(`${endless.url}/runs/${live.id}/cancel`, {
			method: 'POST',
			token: endless.run_key,
		})
		expect([again.status, again.body]).toEqual([200, cancelled.body])
	})

	// Proves: run.cancel-ended
	test('of a run that has succeeded answers it as it is', async () => {
		const { body } = await run(host, agent, ada)
		expect(body.status).toBe('succeeded')
		const late = await host.call(`${agent.url}/runs/${body.id}/cancel`, {
			method: 'POST',
			token: agent.run_key,
		})
		expect([late.status, late.body.status]).toEqual([200, 'succeeded'])
	})

	// Proves: run.cancel-many
	test('of every live run of a deployment, a key, or the account says what was in flight', async () => {
		const owner = await host.account({ plan: 'team' })
		const bundle = await bundleOf({
			model: `{ provider: openai, name: slow, base_url: "${models.openaiUrl}" }`,
			yaml,
		})
		const [one, two] = [await deploy(host, owner, bundle), await deploy(host, owner, bundle)]
		const begin = async () =>
			Promise.all(
				[one, two].map(async (at) => (await run(host, at, ada, { prefer: 'respond-async' })).body.id),
			)
		const cancel = (json: unknown) =>
			host.call<api.CancelRunsAnswer>('/v1/runs/cancel', { token: owner.token, json })
		const keys = await host.call<{ data: { id: string }[] }>(`/v1/deployments/${two.id}/keys`, {
			token: owner.token,
		})

		const ofStatus = async (status: string) =>
			(await host.call<api.AccountRunPage>(`/v1/runs?status=${status}`, { token: owner.token })).body.data
		const [first, second] = await begin()
		const live = await host.call<api.AccountRunPage>('/v1/runs?status=live', { token: owner.token })
		expect(live.body.data.map(({ id }) => id).sort()).toEqual([first, second].sort())
		expect(api.AccountRunPage.parse(live.body)).toEqual(live.body)
		await until(async () => (await ofStatus('running')).length === 2)
		expect([await ofStatus('queued'), await ofStatus('waiting')]).toEqual([[], []])
		expect((await cancel({ deployment: one.id })).body.in_flight.map(({ run: id }) => id)).toEqual([first])
		expect((await cancel({ key: keys.body.data[0]?.id })).body.in_flight.map(({ run: id }) => id)).toEqual([
			second,
		])
		await until(
			async () =>
				(await host.call<api.AccountRunPage>('/v1/runs', { token: owner.token })).body.data.length === 0,
		)
		const more = await begin()
		expect((await cancel({ all: true })).body.in_flight.map(({ run: id }) => id).sort()).toEqual(more.sort())
		await until(
			async () =>
				(await host.call<api.AccountRunPage>('/v1/runs', { token: owner.token })).body.data.length === 0,
		)
		expect((await runsOf(one, '', owner.token)).data.map(({ status }) => status)).toEqual([
			'cancelled',
			'cancelled',
		])

		for (const json of [{}, { all: true, deployment: one.id }, { all: false }])
			expect((await cancel(json)).status).toBe(400)
		expect((await cancel({ deployment: agent.id })).status).toBe(404)
		expect((await cancel({ key: 'key_nothing' })).status).toBe(404)
	})
})

describe('the list of runs', () => {
	// Proves: run.list
	test('comes in pages, newest first, by status, and only those the key may see', async () => {
		const at = await made('m')
		const ids: string[] = []
		for (let i = 0; i < 5; i++) ids.unshift((await run(host, at, ada)).body.id)
		const first = await runsOf(at, '?limit=2')
		const second = await runsOf(at, `?limit=2&cursor=${first.next_cursor}`)
		const third = await runsOf(at, `?limit=2&cursor=${second.next_cursor}`)
		expect([...first.data, ...second.data, ...third.data].map(({ id }) => id)).toEqual(ids)
		expect(third.next_cursor).toBeNull()
		expect(api.RunPage.parse(first)).toEqual(first)
		expect((await runsOf(at, '?status=failed')).data).toEqual([])
		expect((await runsOf(at, '?status=succeeded')).data).toHaveLength(5)
		expect((await host.call(`${at.url}/runs?status=odd`, { token: at.run_key })).status).toBe(400)
	})

	// Proves: key.own-runs
	test('shows a key the runs of its lineage, and with read:all everybody’s', async () => {
		const at = await made('m')
		const key = async (json: object) =>
			(
				await host.call<{ id: string; run_key: string }>(`/v1/deployments/${at.id}/keys`, {
					token: account.token,
					json,
				})
			).body
		const other = await key({ name: 'other' })
		const auditor = await key({ scopes: ['read', 'read:all'] })
		const { body } = await run(host, at, ada)
		expect((await host.call(`${at.url}/runs/${body.id}`, { token: other.run_key })).status).toBe(404)
		expect((await runsOf(at, '', other.run_key)).data).toEqual([])
		expect((await runsOf(at, '', auditor.run_key)).data).toHaveLength(1)
		const denied = await run(host, at, ada, {}, auditor.run_key)
		expect([denied.status, denied.body.code]).toEqual([403, 'forbidden'])
		const rotated = await host.call<{ run_key: string }>(`/v1/deployments/${at.id}/keys/${other.id}/rotate`, {
			method: 'POST',
			token: account.token,
		})
		const theirs = (await run(host, at, ada, {}, other.run_key)).body
		expect((await runsOf(at, '', rotated.body.run_key)).data.map(({ id }) => id)).toEqual([theirs.id])
	})
})

describe('a deployment’s address', () => {
	// Proves: deployment.address, deployment.describes-itself, deployment.own-openapi
	test('tells a run key its schemas and state, and OpenAPI typed for the agent', async () => {
		const card = await host.call<api.DeploymentCard>(agent.url, { token: agent.run_key })
		expect(api.DeploymentCard.parse(card.body)).toEqual(card.body)
		expect(card.body).toMatchObject({
			state: 'running',
			inputs: { required: ['name'] },
			run_url: `${agent.url}/run`,
		})
		const document = await host.call<{ components: { schemas: { Inputs: unknown } } }>(
			`${agent.url}/openapi.json`,
			{
				token: agent.run_key,
			},
		)
		expect(document.body).toMatchObject({ openapi: '3.1.0', servers: [{ url: agent.url }] })
		expect(document.body.components.schemas.Inputs).toMatchObject({ required: ['name'] })
	})

	// Proves: openapi.own-schemas
	test('is in the host’s own OpenAPI document, with the headers that choose the answer and the upload of a bundle', async () => {
		const { body } = await host.call<{ paths: Record<string, { post: Record<string, object> }> }>(
			'/openapi.json',
		)
		const run = body.paths['/d/{slug}/run']?.post
		expect(run?.parameters).toEqual(
			expect.arrayContaining([
				expect.objectContaining({ name: 'Prefer', in: 'header' }),
				expect.objectContaining({ name: 'Idempotency-Key', in: 'header' }),
			]),
		)
		expect(run?.responses).toMatchObject({
			200: { content: { 'text/event-stream': {}, 'application/json': {} } },
		})
		expect(body.paths['/v1/deployments']?.post.requestBody).toMatchObject({
			content: { 'multipart/form-data': { schema: { required: ['bundle', 'name'] } } },
		})
		expect(body.paths['/v1/deployments/{id}/stop']?.post.requestBody).toMatchObject({ required: false })
	})
})
