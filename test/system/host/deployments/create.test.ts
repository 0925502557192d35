import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { request } from 'node:http'
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { defaultLimits } from '../../../../bundles/index.ts'
import type { CreatedDeployment } from '../../../../host/api/deployments.ts'
import * as api from '../../../../host/api/deployments.ts'
import { uploadMaxBytes } from '../../../../host/deployments/upload.ts'
import { bundleOf, create, deploy, putProviderKey, run, upload, withSql } from '../../../kit/agent.ts'
import type { TestHost } from '../../../kit/host.ts'
import { type ModelServer, startModelServer } from '../../../kit/model-server.ts'
import { sharedHost, startBeside } from '../../../kit/shared-host.ts'

let host: TestHost
/** Beside it, with ceilings of its own. */
let strict: TestHost
let models: ModelServer
let bundle: Uint8Array
let platform: Uint8Array

const model = (name: string) => `{ provider: openai, name: ${name}, base_url: "${models.openaiUrl}" }`
const inputs = `inputs:
  type: object
  required: [who, times]
  properties:
    who: { type: string }
    times: { type: integer, minimum: 1 }
    style: { enum: [plain, "it's loud"] }
`

beforeAll(async () => {
	models = await startModelServer({ m: { text: 'Hello.' } }, { key: 'sk-test' })
	bundle = await bundleOf({ model: model('m'), yaml: inputs })
	platform = await bundleOf({ model: '{ provider: platform, name: any }' })
	host = await sharedHost()
	strict = await startBeside(host, { MAX_RUN_STEPS: '60', MAX_RUN_SECONDS: '200', MAX_RUN_USD: '2.5' })
})
afterAll(async () => {
	await Promise.all([host?.close(), strict?.close()])
	await models?.close()
})

const count = () =>
	withSql(host, async (sql) => (await sql`select count(*)::int as n from deployments`)[0]?.n)

describe('a create', () => {
	// Proves: bundle.connector-url-length
	test('takes the longest address of a connector that its dry run takes', async () => {
		const account = await host.account()
		// Random, so that no compression makes the database's key shorter than it is.
		const path = Array.from({ length: 30 }, () => randomBytes(32).toString('hex')).join('/')
		const requires = `requires:\n  - { connector: "https://connector.example/${path}", scopes: [], auth: bearer, kind: connector, tools: [t] }\n`
		const long = await bundleOf({ model: model('m'), yaml: requires })
		const { status, body } = await create(host, account, long, 'long')
		expect(status).toBe(201)
		const [, connector] = body.credentials
		expect(connector?.name.length).toBeGreaterThan(1900)
		const { token } = account
		const read = await host.call(`${body.url}/credentials/${connector?.name}`, { token })
		expect(read.body).toMatchObject({ name: connector?.name, state: 'missing' })
	})

	test('answers what the next steps need, and no more is asked of the owner', async () => {
		const account = await host.account()
		const { status, body } = await create(host, account, bundle, 'Greeter (stable)')
		expect(status).toBe(201)
		expect(api.CreatedDeployment.parse(body)).toEqual(body)
		expect(body.url).toMatch(/\/d\/greeter-stable-[0-9a-z]{8}$/)
		expect(body.state).toBe('creating')
		expect(body.credentials).toMatchObject([
			{
				name: 'provider',
				kind: 'provider',
				needed_by: 'openai',
				state: 'missing',
				aud: new URL(models.url).origin,
			},
		])
		expect(body).not.toHaveProperty('run_key')
	})

	// Proves: deployment.slots-race-free, deployment.limit-names-slots
	test('of twenty at once on a plan of one leaves one deployment and nineteen refusals that name the slot', async () => {
		const account = await host.account({ plan: 'free' })
		const answers = await Promise.all(
			Array.from({ length: 20 }, (_, i) => create(host, account, bundle, `at-once-${i}`)),
		)
		const created = answers.filter(({ status }) => status === 201)
		expect(created).toHaveLength(1)
		const refused = answers.filter(({ status }) => status !== 201)
		expect(refused).toHaveLength(19)
		for (const { status, body } of refused) {
			expect({ status, ...body }).toMatchObject({
				status: 409,
				code: 'running_agent_limit_reached',
				limit: 1,
				slots: [{ deployment: created[0]?.body.id, name: created[0]?.body.name, state: 'creating' }],
			})
		}
	})

	// Proves: deployment.abandoned-holds-slot
	test('that was abandoned holds its slot until it is stopped', async () => {
		const account = await host.account({ plan: 'free' })
		const abandoned = (await create(host, account, bundle, 'abandoned')).body
		expect((await create(host, account, bundle, 'next')).status).toBe(409)
		await host.call(`/v1/deployments/${abandoned.id}/cancel`, { method: 'POST', token: account.token })
		expect((await create(host, account, bundle, 'next')).status).toBe(201)
		const again = await host.call(`/v1/deployments/${abandoned.id}/start`, {
			method: 'POST',
			token: account.token,
		})
		expect([again.status, again.body.code]).toEqual([409, 'credentials_missing'])
		await putProviderKey(host, abandoned, account.token)
		const full = await host.call(`/v1/deployments/${abandoned.id}/start`, {
			method: 'POST',
			token: account.token,
		})
		expect([full.status, full.body.code]).toEqual([409, 'running_agent_limit_reached'])
	})

	// Proves: deployment.plan-lowered
	test('on a plan that was lowered below its use is refused, and nothing is stopped for it', async () => {
		const account = await host.account({ plan: 'pro' })
		const agents = [await deploy(host, account, bundle), await deploy(host, account, bundle)]
		await host.call(`/v1/admin/accounts/${account.id}`, {
			method: 'PATCH',
			token: host.operator,
			json: { plan: 'free' },
		})
		const refused = await create(host, account, bundle, 'one-more')
		expect(refused).toMatchObject({
			status: 409,
			body: {
				code: 'running_agent_limit_reached',
				detail: expect.stringMatching(/one running agent; .+ \(running\), .+ \(running\) hold it\. Stop one/),
			},
		})
		for (const agent of agents)
			expect((await run(host, agent, { who: 'Ada', times: 1, style: 'plain' })).status).toBe(200)
	})

	// Proves: deployment.many-names, deployment.name-taken
	test('refuses a name that is in use and takes the same agent under another', async () => {
		const account = await host.account({ plan: 'pro' })
		expect((await create(host, account, bundle, 'same')).status).toBe(201)
		const taken = await create(host, account, bundle, 'same')
		expect([taken.status, (taken.body as { code?: string }).code]).toEqual([409, 'name_taken'])
		expect((await create(host, account, bundle, 'other')).status).toBe(201)
		expect((await create(host, await host.account(), bundle, 'same')).status).toBe(201)
	})

	// Proves: deployment.misleading-name
	test.each([
		['--yes', 'begins with -, which commands read as an option'],
		['run/../x', 'holds a /, which addresses read as a folder'],
		['.', 'is . or .., which addresses read as a folder'],
		['..', 'is . or .., which addresses read as a folder'],
		['dep_01m87qdvhpe008fhxqybaqrscz', 'is the id of a deployment'],
	])('refuses the name %s, also for one that is there', async (name, message) => {
		const account = await host.account()
		expect(await create(host, account, bundle, name)).toMatchObject({
			status: 400,
			body: { code: 'invalid_request', detail: `name ${message}.` },
		})
		const { body } = await create(host, account, bundle, 'dep_plain')
		const at = `/v1/deployments/${body.id}`
		expect(await host.call(at, { method: 'PATCH', token: account.token, json: { name } })).toMatchObject({
			status: 400,
			body: { code: 'invalid_request', detail: `/name: ${message}` },
		})
		await withSql(host, (sql) => sql`update deployments set name = ${name} where id = ${body.id}`)
		expect(await host.call(at, { token: account.token })).toMatchObject({ status: 200, body: { name } })
	})

	// Proves: deployment.create-idempotent
	test('with the same Idempotency-Key makes one deployment', async () => {
		const account = await host.account()
		const call = () =>
			host.call<CreatedDeployment>('/v1/deployments', {
				token: account.token,
				body: upload(bundle, { name: 'once' }),
				headers: { 'idempotency-key': 'k1' },
			})
		const [first, second] = [await call(), await call()]
		expect([first.status, second.status]).toEqual([201, 201])
		expect(second.body).toEqual(first.body)
		expect(second.headers.get('idempotency-replayed')).toBe('true')
	})

	// Proves: deployment.invalid-form-refused
	test.each([
		['no name', {}, 400, 'invalid_request'],
		['an empty name', { name: '  ' }, 400, 'invalid_request'],
		['a name over 60 characters', { name: 'x'.repeat(61) }, 400, 'invalid_request'],
		['a place that is none', { name: 'a', place: 'moon' }, 400, 'invalid_request'],
		['a member nobody knows', { name: 'a', colour: 'red' }, 400, 'invalid_request'],
	])('with %s is refused and nothing is made', async (_what, fields, status, code) => {
		const account = await host.account()
		const before = await count()
		const answer = await host.call('/v1/deployments', {
			token: account.token,
			body: upload(bundle, fields as never),
		})
		expect([answer.status, answer.body.code]).toEqual([status, code])
		expect(await count()).toBe(before)
	})

	// Proves: deployment.invalid-bundle-refused
	test.each([
		['no zip', Buffer.from('hello'), 422, 'bundle_invalid'],
		['an empty file', Buffer.alloc(0), 422, 'bundle_invalid'],
		['more than 10 MiB', Buffer.alloc(10 * 1024 * 1024 + 1), 422, 'bundle_invalid'],
	])('whose bundle is %s is refused and nothing is made', async (_what, bytes, status, code) => {
		const account = await host.account()
		const before = await count()
		const answer = await host.call('/v1/deployments', {
			token: account.token,
			body: upload(bytes, { name: 'a' }),
		})
		expect([answer.status, answer.body.code]).toEqual([status, code])
		expect(await count()).toBe(before)
	})

	test('that announces far more than a bundle may have is refused before it is sent', async () => {
		const account = await host.account()
		const call = request(`${host.url}/v1/deployments`, {
			method: 'POST',
			headers: {
				authorization: `Bearer ${account.token}`,
				'content-type': 'multipart/form-data; boundary=x',
				'content-length': String(12 * 1024 * 1024),
			},
		})
		call.flushHeaders()
		const [response] = await once(call, 'response')
		expect(JSON.parse(await text(response))).toMatchObject({
			status: 413,
			code: 'payload_too_large',
			detail: expect.stringContaining(String(uploadMaxBytes)),
		})
		call.destroy()
	})
})

describe('a host with ceilings', () => {
	// Proves: deployment.ceilings
	test('refuses an agent that is over them, and names each limit', async () => {
		const account = await host.account()
		const greedy = await bundleOf({ yaml: 'limits: { steps: 61, memory_mb: 4096 }\n' })
		const answer = await create(strict, account, greedy, 'greedy')
		expect(answer.status).toBe(422)
		expect(answer.body).toMatchObject({
			code: 'bundle_invalid',
			errors: [{ path: 'agent.yaml#/limits/steps' }, { path: 'agent.yaml#/limits/memory_mb' }],
		})
	})

	// Proves: deployment.ceilings
	test('takes an agent that sets nothing, though the default would be over them', async () => {
		expect(defaultLimits.seconds).toBeGreaterThan(200)
		expect((await create(strict, await host.account(), bundle, 'modest')).status).toBe(201)
	})

	// Proves: run.ceilings-on-host
	test('holds every run that begins on it to them, also of an agent that was deployed under others', async () => {
		const account = await host.account({ plan: 'pro' })
		const agent = await deploy(host, account, bundle)
		const inputs = { who: 'Ada', times: 1 }
		expect((await run(host, agent, inputs)).body).toMatchObject({ status: 'succeeded' })
		const dear = await bundleOf({ yaml: 'limits: { usd: 2.6, steps: 61 }\n' })
		expect((await create(strict, account, dear, 'dear')).body).toMatchObject({
			code: 'bundle_invalid',
			errors: [
				{ path: 'agent.yaml#/limits/steps' },
				{
					path: 'agent.yaml#/limits/usd',
					message: 'agent.yaml /limits/usd: is over this host’s ceiling of 2.5',
				},
			],
		})
		const asked = models.requests.length
		const refused = await run(strict, { ...agent, url: agent.url.replace(host.url, strict.url) }, inputs)
		expect(refused).toMatchObject({ status: 402, body: { code: 'cost_limit_reached' } })
		expect(refused.text).toContain('The price of m is not known')
		expect(models.requests).toHaveLength(asked)
		expect((await run(host, agent, inputs)).body).toMatchObject({ status: 'succeeded' })
	})
})

test('inputs that nest without end are refused in words of ours', async () => {
	const agent = await deploy(host, await host.account(), bundle, 'deep')
	for (const depth of [200, 100_000]) {
		const body = `{"inputs":{"who":${'['.repeat(depth)}${']'.repeat(depth)},"times":1}}`
		const headers = { 'content-type': 'application/json' }
		const answer = await host.call(`${agent.url}/run`, { token: agent.run_key, body, headers })
		expect(answer.body).toMatchObject({
			status: 400,
			code: 'invalid_request',
			detail: '/inputs: is nested over 192 deep',
			errors: [{ path: '/inputs' }],
		})
	}
})

describe('the platform’s own provider', () => {
	// Proves: deployment.platform-provider, deployment.platform-provider-later
	test('is refused before anything exists: create, new version, roll back, start', async () => {
		const account = await host.account()
		const refused = { status: 422, code: 'platform_provider_refused' }
		const before = await count()
		expect((await create(host, account, platform, 'p')).body).toMatchObject(refused)
		expect(await count()).toBe(before)

		const agent = await deploy(host, account, bundle, 'p')
		const at = `/v1/deployments/${agent.id}`
		const version = await host.call(`${at}/versions`, { token: account.token, body: upload(platform) })
		expect(version.body).toMatchObject(refused)
		// A version that got there by another way.
		await withSql(host, async (sql) => {
			await sql`insert into bundles (digest, bytes) values ('p', ${Buffer.from(platform)})`
			const told = {
				name: 'x',
				model: { provider: 'platform', name: 'any' },
				inputs: {},
				requires: [],
				limits: {},
			}
			await sql`
				insert into versions (deployment_id, version, digest, agent, commit)
				values (${agent.id}, 2, 'p', ${told as never}, 'c')`
		})
		expect(
			(await host.call(`${at}/versions/2/activate`, { method: 'POST', token: account.token })).body,
		).toMatchObject(refused)
		await host.call(`${at}/stop`, { method: 'POST', token: account.token })
		await withSql(host, (sql) => sql`update deployments set version = 2 where id = ${agent.id}`)
		expect((await host.call(`${at}/start`, { method: 'POST', token: account.token })).body).toMatchObject(
			refused,
		)
		expect((await host.call(at, { token: account.token })).body).toMatchObject({ state: 'stopped' })
	})
})

describe('a dry run', () => {
	// Proves: deployment.dry-run
	test('returns every fault at once and makes nothing', async () => {
		const account = await host.account({ plan: 'free' })
		await create(host, account, bundle, 'mine')
		const before = await count()
		const greedy = await bundleOf({
			model: '{ provider: platform, name: any }',
			yaml: 'limits: { steps: 1000 }\n',
		})
		const answer = await strict.call<typeof api.DryRun._output>('/v1/deployments?dry_run=true', {
			token: account.token,
			body: upload(greedy, { name: 'mine' }),
		})
		expect(answer.status).toBe(200)
		expect(api.DryRun.parse(answer.body)).toEqual(answer.body)
		expect(answer.body.ok).toBe(false)
		expect(answer.body.faults.map(({ code }) => code)).toEqual([
			'bundle_invalid',
			'platform_provider_refused',
			'running_agent_limit_reached',
			'name_taken',
		])
		expect(await count()).toBe(before)
	})

	// Proves: deployment.dry-run-credentials
	test('of what could be deployed says so, and which credentials it will need', async () => {
		const account = await host.account()
		const answer = await host.call('/v1/deployments?dry_run=true', {
			token: account.token,
			body: upload(bundle, { name: 'fine' }),
		})
		expect(answer.body).toMatchObject({
			ok: true,
			faults: [],
			credentials: [{ name: 'provider', needed_by: 'openai' }],
		})
	})
})

describe('a start', () => {
	// Proves: deployment.start-request, key.shown-once
	test('shows the run key once and the ready-made request with the input names filled in', async () => {
		const account = await host.account()
		const agent = await deploy(host, account, bundle, 'ready')
		expect(agent.run_key).toMatch(/^brk_/)
		expect(agent.request).toMatchObject({
			method: 'POST',
			url: `${agent.url}/run`,
			headers: { Authorization: `Bearer ${agent.run_key}`, 'Content-Type': 'application/json' },
			body: { inputs: { who: '<who>', times: 1, style: 'plain' } },
		})
		const { method, headers, body, url } = agent.request
		const pasted = await host.call(url, { method, headers, body: JSON.stringify(body) })
		expect([pasted.status, pasted.body.output]).toEqual([200, 'Hello.'])
		const again = await host.call(`/v1/deployments/${agent.id}/start`, {
			method: 'POST',
			token: account.token,
		})
		expect(again.status).toBe(200)
		expect(again.body).not.toHaveProperty('run_key')
		expect(again.text).not.toContain(agent.run_key)
		expect(again.body.run_key_issued_at).toEqual(expect.any(String))
	})

	test('of ten at once issues one run key', async () => {
		const account = await host.account()
		const { body } = await create(host, account, bundle, 'ten')
		await putProviderKey(host, body, account.token)
		const answers = await Promise.all(
			Array.from({ length: 10 }, () =>
				host.call(`/v1/deployments/${body.id}/start`, { method: 'POST', token: account.token }),
			),
		)
		expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]))
		expect(answers.filter((answer) => 'run_key' in answer.body)).toHaveLength(1)
	})

	// Proves: deployment.start-rejected-key
	test('with a key its provider refuses answers credential_rejected and leaves it creating', async () => {
		const account = await host.account()
		const { body } = await create(host, account, bundle, 'refused')
		await putProviderKey(host, body, account.token, 'sk-wrong')
		const start = () =>
			host.call(`/v1/deployments/${body.id}/start`, { method: 'POST', token: account.token })
		const answer = await start()
		expect([answer.status, answer.body.code]).toEqual([422, 'credential_rejected'])
		expect(answer.text).not.toContain('sk-wrong')
		const now = await host.call(`/v1/deployments/${body.id}`, { token: account.token })
		expect(now.body).toMatchObject({ state: 'creating', credentials: [{ state: 'rejected' }] })
		await putProviderKey(host, body, account.token)
		expect((await start()).body.state).toBe('running')
	})
})

describe('a deployment of another account', () => {
	// Proves: deployment.other-account-404
	test('is not there, whatever is asked', async () => {
		const [mine, theirs] = [await host.account(), await host.account()]
		const agent = await deploy(host, mine, bundle, 'mine')
		const asks: [method: string, path: string, json?: unknown][] = [
			['GET', ''],
			['PATCH', '', { name: 'x' }],
			['DELETE', ''],
			['POST', '/start'],
			['POST', '/stop'],
			['POST', '/cancel'],
			['GET', '/versions'],
			['POST', '/versions/1/activate'],
			['GET', '/keys'],
			['POST', '/keys', {}],
			['GET', '/endpoints'],
			['POST', '/endpoints', { url: 'https://example.com' }],
			['GET', '/deliveries'],
		]
		for (const [method, path, json] of asks) {
			const answer = await host.call(`/v1/deployments/${agent.id}${path}`, {
				method,
				token: theirs.token,
				json,
			})
			expect([method, path, answer.status, answer.body.code]).toEqual([method, path, 404, 'not_found'])
		}
		const list = await host.call<{ data: unknown[] }>('/v1/deployments', { token: theirs.token })
		expect(list.body.data).toEqual([])
		for (const path of ['', '/runs', '/credentials', '/openapi.json']) {
			expect((await host.call(`${agent.url}${path}`, { token: theirs.token })).status).toBe(404)
		}
		expect((await run(host, agent, { who: 'a', times: 1 })).status).toBe(200)
	})
})
