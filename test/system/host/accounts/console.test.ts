// The token that the console's page holds, and deployments at other origins than the page's.
import { once } from 'node:events'
import { type IncomingMessage, request } from 'node:http'
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type ConsoleToken, SessionList } from '../../../../host/api/sessions.ts'
import { beginSignIn, createClient } from '../../../../host/owner/client/index.ts'
import { bundleOf, create, withSql } from '../../../kit/agent.ts'
import { startHost, type TestAccount, type TestHost } from '../../../kit/host.ts'
import { authorize, connect, redirect } from '../../../kit/oauth-clients.ts'

const password = 'correct horse battery'
let host: TestHost
let account: TestAccount
/** Below the host's own address. */
let at: string

beforeAll(async () => {
	host = await startHost({ env: { DEPLOYMENT_DOMAIN: 'agents.test' } })
	account = await host.account({ password })
	const { body } = await create(host, account, await bundleOf({}), 'one')
	at = `/d/${new URL(body.url).hostname.split('.')[0]}`
})
afterAll(async () => {
	await host?.close()
})

const ours = { 'sec-fetch-site': 'same-origin' }
async function signIn({ email }: { email: string }): Promise<string> {
	const { headers } = await host.call('/v1/session', { json: { email, password }, headers: ours })
	return (headers.get('set-cookie') ?? '').split(';')[0] ?? ''
}
const ask = (headers: Record<string, string>, token?: string) =>
	host.call<ConsoleToken>('/v1/session/token', {
		method: 'POST',
		headers,
		...(token !== undefined && { token }),
	})

// Proves: account.console-token
test('the page of a session gets a token that is its owner at /v1 and at its deployments', async () => {
	const cookie = await signIn(account)
	const { status, body } = await ask({ cookie, ...ours, 'idempotency-key': 'k' })
	expect([status, body.token]).toEqual([201, expect.stringMatching(/^bco_/)])
	const left = Date.parse(body.expires_at) - Date.now()
	expect(left).toBeGreaterThan(800_000)
	expect(left).toBeLessThan(1_000_000)
	const { token } = body
	expect((await host.call('/v1/account', { token })).body).toMatchObject({ id: account.id })
	for (const path of ['/runs', '/memory', '/credentials'])
		expect([path, (await host.call(`${at}${path}`, { token })).status]).toEqual([path, 200])
	const stranger = await host.account({ password })
	const theirs = await ask({ cookie: await signIn(stranger), ...ours })
	expect((await host.call(`${at}/runs`, { token: theirs.body.token })).status).toBe(404)
	const stored = await withSql(host, (sql) => sql`select 1 from idempotency where account_id = ${account.id}`)
	expect(stored).toHaveLength(0)
})

// Proves: account.console-token-cookie
test('no other credential gets a console token, and no other site’s page', async () => {
	const cookie = await signIn(account)
	const { token } = (await ask({ cookie, ...ours })).body
	expect((await ask({}, account.token)).status).toBe(403)
	expect((await ask({}, token)).status).toBe(403)
	expect((await ask({ cookie, 'sec-fetch-site': 'same-site' })).status).toBe(403)
	expect((await ask({})).status).toBe(401)
})

// Proves: account.console-token-ends
test('a console token ends with its session, and the token of another session stays', async () => {
	const [cookie, other] = [await signIn(account), await signIn(account)]
	const { token } = (await ask({ cookie, ...ours })).body
	const kept = (await ask({ cookie: other, ...ours })).body.token
	const use = async (one: string) => (await host.call(`${at}/runs`, { token: one })).status
	expect([await use(token), await use(kept)]).toEqual([200, 200])
	await host.call('/v1/session', { method: 'DELETE', headers: { cookie, ...ours } })
	expect([await use(token), await use(kept)]).toEqual([401, 200])
	await withSql(host, (sql) => sql`delete from tokens where account_id = ${account.id} and kind = 'session'`)
	// Remembered for a minute where it was verified; a host that starts remembers nothing.
	await host.kill('SIGTERM')
	host = await host.again()
	expect(await use(kept)).toBe(401)
})

// Proves: deployment.subdomain
test('a deployment answers at its own subdomain when DEPLOYMENT_DOMAIN is set, and nothing else does there', async () => {
	const owner = await host.account()
	const made = await create(host, owner, await bundleOf({}), 'sub')
	const { hostname } = new URL(made.body.url)
	expect(hostname).toMatch(/^sub-[0-9a-z]{8}\.agents\.test$/)
	const get = async (path: string) => {
		const headers = { host: hostname, authorization: `Bearer ${owner.token}` }
		const call = request(`${host.url}${path}`, { headers }).end()
		const [response] = (await once(call, 'response')) as [IncomingMessage]
		return { status: response.statusCode, body: JSON.parse(await text(response)) }
	}
	expect(await get('/')).toMatchObject({ status: 200, body: { name: 'sub', state: 'creating' } })
	expect(await get('/runs')).toMatchObject({ status: 200, body: { data: [] } })
	expect((await get('/v1/deployments')).status).toBe(404)
	expect((await get('/healthz')).status).toBe(404)
})

// Proves: deployment.cross-origin
test('a deployment lets the page of BASE_URL read its answers, and no other page', async () => {
	const preflight = (origin: string) =>
		host.call(`${at}/runs`, {
			method: 'OPTIONS',
			headers: { origin, 'access-control-request-method': 'GET' },
		})
	const { status, headers } = await preflight(host.url)
	expect(status).toBe(204)
	expect(headers.get('access-control-allow-origin')).toBe(host.url)
	expect(headers.get('access-control-allow-credentials')).toBeNull()
	for (const name of ['Authorization', 'Idempotency-Key', 'Last-Event-ID', 'If-Match', 'Prefer'])
		expect(headers.get('access-control-allow-headers')).toContain(name)
	const foreign = await preflight('https://evil.example')
	expect(foreign.headers.get('access-control-allow-origin')).toBeNull()
	const get = (path: string, origin: string, token = account.token) =>
		host.call(path, { token, headers: { origin } })
	const read = await get(`${at}/runs`, host.url)
	expect([read.status, read.headers.get('access-control-allow-origin')]).toEqual([200, host.url])
	expect(read.headers.get('access-control-expose-headers')).toContain('ETag')
	// A refusal, too, is to be read.
	const refused = await get(`${at}/runs`, host.url, 'none')
	expect([refused.status, refused.headers.get('access-control-allow-origin')]).toEqual([401, host.url])
	// With a token it reads `/v1`, which may be another place's; no other page does.
	const readAccount = (origin: string) => get('/v1/account', origin)
	expect((await readAccount(host.url)).headers.get('access-control-allow-origin')).toBe(host.url)
	expect((await readAccount('https://evil.example')).headers.get('access-control-allow-origin')).toBeNull()
})

test('the client takes another token for each address', async () => {
	const cookie = await signIn(account)
	const { token } = (await ask({ cookie, ...ours })).body
	const client = createClient({
		baseUrl: host.url,
		token: async (url) => (url.startsWith(`${host.url}/v1`) ? undefined : token),
		fetch: (url, init) => fetch(url, { ...init, headers: { ...init?.headers, cookie, ...ours } }),
	})
	expect((await client.account.consoleToken()).token).toMatch(/^bco_/)
	expect((await client.runs.list(`${host.url}${at}`)).data).toEqual([])
})

// Proves: account.sessions
test('browsers, programs and MCP clients are listed, and any of them is signed out', async () => {
	const owner = await host.account({ password })
	const person = { email: owner.email, password }
	const agent = 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0'
	const signed = await host.call('/v1/session', { json: person, headers: { ...ours, 'user-agent': agent } })
	const cookie = (signed.headers.get('set-cookie') ?? '').split(';')[0] ?? ''
	const { token: page } = (await ask({ cookie, ...ours })).body
	const begun = await beginSignIn(host.url, redirect, 'Command line on a laptop')
	const answer = await authorize(begun.url, person)
	const { token: program } = await begun.finish(answer.searchParams)
	await connect.v1(host.url, person)
	const list = async (token: string) =>
		SessionList.parse((await host.call('/v1/sessions', { token })).body).data
	const found = await list(page)
	expect(found.map(({ kind, name, current }) => [kind, name, current]).toSorted()).toEqual([
		['browser', 'Firefox on Linux', true],
		['mcp', expect.any(String), false],
		['program', 'Command line on a laptop', false],
	])
	expect((await list(program)).filter(({ current }) => current)).toMatchObject([{ kind: 'program' }])
	const end = async (kind: string, token: string) => {
		const id = found.find((one) => one.kind === kind)?.id
		return (await host.call(`/v1/sessions/${id}`, { method: 'DELETE', token })).status
	}
	expect(await end('program', account.token)).toBe(404)
	expect(await end('browser', account.token)).toBe(404)
	expect(await end('program', page)).toBe(204)
	expect((await host.call('/v1/account', { token: program })).status).toBe(401)
	expect(await end('mcp', page)).toBe(204)
	expect(await end('browser', page)).toBe(204)
	expect((await host.call('/v1/account', { token: page })).status).toBe(401)
	expect((await host.call('/v1/account', { headers: { cookie } })).status).toBe(401)
	expect(await list(owner.token)).toEqual([])
})
