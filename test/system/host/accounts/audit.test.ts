// Who changed what: the log of owners and operators, and what operators see of hosts and runs.
import { afterAll, beforeAll, expect, test } from 'vitest'
import { AdminHostList, type AdminRun } from '../../../../host/api/admin.ts'
import { type AuditEntry, AuditPage } from '../../../../host/api/audit.ts'
import { createClient } from '../../../../host/owner/client/index.ts'
import { bundleOf, deploy, type Running, run, until, withSql } from '../../../kit/agent.ts'
import { openBrowser } from '../../../kit/browser.ts'
import { startHost, type TestAccount, type TestHost } from '../../../kit/host.ts'
import { type ModelServer, startModelServer } from '../../../kit/model-server.ts'
import { authorize, register, tokensFor } from '../../../kit/oauth-clients.ts'

const password = 'correct horse battery'
const ours = { 'sec-fetch-site': 'same-origin' }
let host: TestHost
let models: ModelServer
let account: TestAccount
let boss: TestAccount
let agent: Running

beforeAll(async () => {
	models = await startModelServer({ endless: { text: 'Never.', delayMs: 60_000 } })
	host = await startHost({ egressAllow: ['127.0.0.1'] })
	account = await host.account({ password })
	boss = await host.account({ operator: true })
	const model = `{ provider: openai, name: endless, base_url: "${models.openaiUrl}" }`
	agent = await deploy(host, account, await bundleOf({ model }))
})
afterAll(async () => {
	await host?.close()
	await models?.close()
})

const log = async (token: string, query = '') =>
	AuditPage.parse((await host.call(`/v1/audit?${query}`, { token })).body).data
/** Written after the answer. */
const entry = (token: string, holds: (one: AuditEntry) => boolean) =>
	until(async () => (await log(token, 'limit=100')).find(holds))
const signIn = (given: string) =>
	host.call('/v1/session', { json: { email: account.email, password: given }, headers: ours })

// Proves: account.audit
test('changes, sign-ins and failed sign-ins are written down, and no call of an agent is', async () => {
	await host.call('/v1/tokens', { token: account.token, json: { name: 'a name of mine' } })
	const made = await entry(account.token, ({ operation }) => operation === 'createToken')
	expect(made).toMatchObject({
		account: account.id,
		actor: { kind: 'personal', account: account.id, token: expect.stringMatching(/^tok_/) },
		status: 201,
		request_id: expect.stringMatching(/^req_/),
		address: '127.0.0.1',
	})
	const started = await entry(account.token, ({ operation }) => operation === 'startDeployment')
	expect(started).toMatchObject({ target: { id: agent.id }, status: 200 })
	expect(await log(account.token, 'operation=putCredential')).toMatchObject([
		{ target: { name: 'provider' }, status: 200 },
	])
	await host.call('/v1/deployments/dep_x', { method: 'DELETE', token: account.token })
	await entry(account.token, (one) => one.operation === 'deleteDeployment' && one.status === 404)

	expect((await signIn('wrong')).status).toBe(401)
	await entry(account.token, (one) => one.operation === 'signIn' && one.status === 401)
	const signed = await signIn(password)
	const cookie = (signed.headers.get('set-cookie') ?? '').split(';')[0] ?? ''
	const entered = await entry(account.token, (one) => one.operation === 'signIn' && one.status === 204)
	expect(entered.actor).toEqual({ kind: 'sign_in', account: account.id, token: expect.any(String) })
	await host.call('/v1/session', { method: 'DELETE', headers: { cookie, ...ours } })
	const left = await entry(account.token, ({ operation }) => operation === 'signOut')
	expect(left.actor).toMatchObject({ kind: 'session', token: entered.actor.token })

	const called = async () =>
		(await log(account.token, 'limit=100')).filter(({ operation }) => /run|account/i.test(operation))
	const before = await called()
	const { body } = await run(host, agent, {}, { prefer: 'respond-async' })
	await host.call(`${agent.url}/runs/${body.id}/cancel`, { method: 'POST', token: agent.run_key })
	await host.call('/v1/account', { token: account.token })
	// Entries are written in order: what had been said of these calls stands before this one.
	await host.call('/v1/tokens', { token: account.token, json: { name: 'another of mine' } })
	await entry(account.token, ({ id, operation }) => operation === 'createToken' && id !== made.id)
	expect(await called()).toEqual(before)
	expect(before.at(-1)).toMatchObject({ operation: 'createAccount' })
	const rows = await withSql(host, (sql) => sql`select * from audit`)
	for (const secret of ['a name of mine', password, account.token, agent.run_key])
		expect(JSON.stringify(rows)).not.toContain(secret)
	const all = await log(account.token, 'limit=100')
	const page = await host.call('/v1/audit?limit=2', { token: account.token })
	const { next_cursor } = AuditPage.parse(page.body)
	expect((await log(account.token, `limit=2&cursor=${next_cursor}`)).map(({ id }) => id)).toEqual(
		all.slice(2, 4).map(({ id }) => id),
	)
	const future = new Date(Date.now() + 60_000).toISOString()
	expect(await log(account.token, `since=${future}`)).toEqual([])
})

// Proves: account.audit
test('what was made is named by its id, a dry run is no change, and an unknown operation is refused', async () => {
	const model = `{ provider: openai, name: endless, base_url: "${models.openaiUrl}" }`
	const bundle = await bundleOf({ model })
	const at = `/v1/deployments/${agent.id}`
	const post = async (path: string, json: object) =>
		(await host.call(path, { token: account.token, json })).body as { id: string }
	const key = await post(`${at}/keys`, { name: 'k' })
	const token = await post('/v1/tokens', { name: 't' })
	const endpoint = await post(`${at}/endpoints`, { url: 'https://hooks.example.com/x' })
	const form = new FormData()
	form.set('bundle', new Blob([new Uint8Array(bundle)]))
	form.set('name', 'third')
	const headers = { authorization: `Bearer ${account.token}` }
	const dry = await fetch(`${host.url}/v1/deployments?dry_run=true`, { method: 'POST', body: form, headers })
	expect(dry.status).toBe(200)
	const last = await post('/v1/tokens', { name: 'last' })
	await entry(account.token, ({ target }) => target.made === last.id)
	const targets = async (operation: string) =>
		(await log(account.token, `operation=${operation}`)).map(({ target }) => target)
	expect(await targets('createDeployment')).toEqual([{ made: agent.id }])
	expect(await targets('createKey')).toEqual([{ id: agent.id, made: key.id }])
	expect(await targets('createToken')).toContainEqual({ made: token.id })
	expect(await targets('createEndpoint')).toEqual([{ id: agent.id, made: endpoint.id }])
	for (const [path, token] of [
		['/v1/audit', account.token],
		['/v1/admin/audit', boss.token],
	]) {
		const refused = await host.call(`${path}?operation=nosuch`, { token })
		expect(refused).toMatchObject({ status: 400, body: { code: 'invalid_request' } })
		expect(JSON.stringify(refused.body)).toContain('createDeployment, ')
	}
})

test('a failed sign-in of the page that lets a program in is written down', async () => {
	const { client_id } = await register(host.url)
	const challenge = 'a'.repeat(43)
	const query = new URLSearchParams({
		...{ client_id, response_type: 'code', redirect_uri: 'http://127.0.0.1:49152/callback' },
		...{ code_challenge: challenge, code_challenge_method: 'S256', resource: `${host.url}/mcp` },
	})
	const address = `${host.url}/authorize?${query}`
	await expect(authorize(address, { email: account.email, password: 'wrong again' })).rejects.toThrow()
	await until(async () => (await log(account.token, 'operation=signIn')).some((one) => one.request_id === ''))
})

// Proves: account.audit-program
test('a program that is let in and one that ends its access are written down', async () => {
	const person = { email: account.email, password }
	const resource = `${host.url}/v1`
	const consented = await tokensFor(host.url, person, { resource })
	const of = (operation: string, client: string) =>
		entry(account.token, (one) => one.operation === operation && one.target.client === client)
	const allowed = await of('allowProgram', consented.clientId)
	expect(allowed).toMatchObject({
		account: account.id,
		actor: { kind: 'session', account: account.id },
		target: { made: expect.any(String), resource, scopes: 'account' },
		address: '127.0.0.1',
	})
	const sessions = await host.call<{ data: { id: string }[] }>('/v1/sessions', { token: account.token })
	expect(sessions.body.data.map(({ id }) => id)).toContain(allowed.target.made)

	const revoked = await host.call('/revoke', {
		body: new URLSearchParams({ token: consented.refresh_token, client_id: consented.clientId }),
		headers: { 'x-forwarded-for': '192.0.2.77' },
	})
	expect(revoked.status).toBe(200)
	const { made, ...program } = allowed.target
	expect(await of('endProgram', consented.clientId)).toMatchObject({
		actor: { kind: 'oauth', account: account.id, token: made },
		target: { id: made, ...program },
		status: 200,
		address: '127.0.0.1',
	})

	const grant_type = 'urn:ietf:params:oauth:grant-type:device_code'
	const { client_id } = await register(host.url, { grant_types: [grant_type], client_name: 'Printer' })
	const asked = await host.call<Record<string, string>>('/device_authorization', {
		body: new URLSearchParams({ client_id, resource }),
	})
	const browser = openBrowser()
	const page = await browser.open(`${host.url}/device?user_code=${asked.body.user_code}`)
	await (await page.submit(person)).submit({}, 'Allow')
	expect(await of('allowProgram', client_id)).toMatchObject({
		actor: { kind: 'session', account: account.id, token: expect.stringMatching(/^tok_/) },
		target: { made: expect.any(String), program: 'Printer', client: client_id, resource, scopes: 'account' },
		status: 200,
		request_id: expect.stringMatching(/^req_/),
	})
	const rows = JSON.stringify(await withSql(host, (sql) => sql`select * from audit`))
	const { access_token, refresh_token } = consented
	for (const secret of [access_token, refresh_token, asked.body.device_code, asked.body.user_code])
		expect(rows).not.toContain(secret)
})

// Proves: account.audit-operator
test('what an operator changes of an account is in its log, and in the operator’s own', async () => {
	await host.call(`/v1/admin/accounts/${account.id}/credits`, { token: boss.token, json: { credits: 5 } })
	const seen = await entry(account.token, ({ operation }) => operation === 'changeCredits')
	expect(seen).toMatchObject({ account: account.id, actor: { account: boss.id }, target: { id: account.id } })
	expect(await log(boss.token, 'operation=changeCredits')).toEqual([seen])
	const [created] = await log(account.token, 'operation=createAccount')
	expect(created?.actor).toEqual({ kind: 'local', account: null, token: null })
	expect(
		(await host.call('/v1/admin/accounts', { token: account.token, json: { email: 'x@example.com' } }))
			.status,
	).toBe(403)
	const client = createClient({ baseUrl: host.url, token: boss.token })
	const priced = { provider: 'openai', model: 'our/model-1' } as const
	await client.admin.putPrice({ ...priced, input: 1, output: 2 })
	await client.admin.deletePrice(priced.provider, priced.model)
	for (const operation of ['putPrice', 'deletePrice']) {
		const { target } = await entry(boss.token, (one) => one.operation === operation)
		expect(target).toEqual(priced)
	}
	const tried = await until(async () =>
		(await client.admin.audit({ account: account.id, operation: 'createAccount' })).data.find(
			({ status }) => status === 403,
		),
	)
	expect(tried.actor.account).toBe(account.id)
	expect((await host.call('/v1/admin/audit', { token: account.token })).status).toBe(403)
})

// Proves: account.operator-runs
test('operators see hosts and live runs, and cancel one', async () => {
	const { body } = await run(host, agent, { secret: 'of a person' }, { prefer: 'respond-async' })
	const admin = (path: string, method = 'GET', token = boss.token) =>
		host.call<{ data: AdminRun[] }>(`/v1/admin${path}`, { method, token })
	const live = await until(async () => {
		const { data } = (await admin('/runs')).body
		return data.some(({ id, status }) => id === body.id && status === 'running') && data
	})
	expect(live).toMatchObject([
		{
			id: body.id,
			account: account.id,
			email: account.email,
			deployment: agent.id,
			deployment_name: agent.name,
		},
	])
	expect(JSON.stringify(live)).not.toContain('of a person')
	const { data } = AdminHostList.parse((await admin('/hosts')).body)
	expect(data).toMatchObject([
		{ id: live[0]?.host, lease: 'held', live_runs: 1, current: true, address: host.url, version: '0.1.0' },
	])
	expect((await admin(`/runs/${body.id}/cancel`, 'POST', account.token)).status).toBe(403)
	expect((await admin(`/runs/${body.id}/cancel`, 'POST')).body).toEqual({ run: body.id, status: 'running' })
	await until(async () => (await admin('/runs')).body.data.length === 0)
	expect((await admin(`/runs/${body.id}/cancel`, 'POST')).status).toBe(409)
	expect((await admin('/runs/run_x/cancel', 'POST')).status).toBe(404)
	await entry(account.token, ({ operation }) => operation === 'cancelRunAsOperator')
})
