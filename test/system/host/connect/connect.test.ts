import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { type Running, run, withSql } from '../../../kit/agent.ts'
import { berth } from '../../../kit/berth.ts'
import { startHost, type TestAccount, type TestHost } from '../../../kit/host.ts'
import { startMcpServer } from '../../../kit/mcp-server.ts'
import { type ModelServer, startModelServer } from '../../../kit/model-server.ts'
import { authorize, type Person } from '../../../kit/oauth-clients.ts'
import { sharedHost } from '../../../kit/shared-host.ts'
import { connectorState, deployWith, put, signInAt } from './agent.ts'
import { connectBy } from './command.ts'

// `berth connect`, from the shipped command line over the real pages to a run that calls the guard.

const tools = ['guard_verify', 'guard_screen', 'guard_find', 'guard_noul', 'guard_choice', 'guard_score']
const claim = { claims: ['The bridge was opened in 1998.'], evidence: 'The bridge was opened in 1998.' }

let host: TestHost
let models: ModelServer
let account: TestAccount
let person: Person
let env: Record<string, string>

beforeAll(async () => {
	models = await startModelServer({
		m: [{ calls: [{ name: 'guard_verify', input: claim }] }, { text: 'done' }],
	})
	// No address of this machine is allowed but the model's: the guard is reached because it is this host's own.
	host = await startHost({ egressAllow: [`127.0.0.1:${models.port}`] })
	person = { email: 'owner@example.com', password: 'a long enough password' }
	account = await host.account({ plan: 'team', tester: true, ...person })
	env = { BERTH_URL: host.url, BERTH_TOKEN: account.token, XDG_CONFIG_HOME: '/nonexistent' }
})
afterAll(async () => {
	await host?.close()
	await models?.close()
})

const connect = (at: Running, browse: (address: string) => Promise<unknown>) =>
	connectBy(env, at.name, browse)
/** Signs in, allows, and comes back to the command's own address. */
const allow = async (address: string) => fetch(await authorize(address, person))
const withGuard = () => deployWith(host, account, { connector: `${host.url}/mcp`, tools, models })

const verified = async () => {
	const { text } = await host.call('/metrics')
	return Number(
		/^berth_guard_verdicts_total\{tool="guard_verify",verdict="verified"\} (\d+)$/m.exec(text)?.[1] ?? 0,
	)
}

describe('berth connect', () => {
	// Proves: connect.sign-in, guard.declared-by-agent
	test('leads from no sign-in to a run whose guard_verify answers ok: true, stored sealed', async () => {
		const at = await withGuard()
		const [asked, counted] = [models.requests.length, await verified()]
		const before = await run(host, at)
		expect(before).toMatchObject({ status: 409, body: { code: 'connector_not_connected' } })
		expect(models.requests).toHaveLength(asked)
		const done = await connect(at, allow)
		expect(done).toMatchObject({ code: 0 })
		expect(JSON.parse(done.stdout).data).toMatchObject([
			{ kind: 'oauth', state: 'ready', aud: `${host.url}/mcp` },
		])

		const after = await run(host, at)
		expect(after.body).toMatchObject({ status: 'succeeded', output: 'done', usage: { tool_calls: 1 } })
		const events = await host.call<string>(`${at.url}/runs/${after.body.id}/events`, {
			token: at.run_key,
			headers: { accept: 'text/event-stream' },
		})
		// The guard's own hints count: its calls may be made again.
		expect(events.text).toMatch(/"type":"tool.started".*"name":"guard_verify".*"repeatable":true/)
		const completed = [...events.text.matchAll(/^data: (.*)$/gm)]
			.map(([, data = '']) => JSON.parse(data) as { type: string; data: { name: string; output: string } })
			.find(({ type }) => type === 'tool.completed')
		expect(JSON.parse(completed?.data.output ?? '')).toMatchObject({
			ok: true,
			results: [{ verdict: 'verified' }],
		})

		expect(await verified()).toBe(counted + 1)
		const sent = await withSql(host, (sql) => sql<{ jwe: string }[]>`select jwe from credentials`)
		expect(sent.every(({ jwe }) => jwe === null || /^eyJ[\w-]+\.\.[\w-]+\.[\w-]+\.[\w-]+$/.test(jwe))).toBe(
			true,
		)
		const again = await connect(at, allow)
		expect(again.stderr).not.toContain('Open this address')
		const lock = await berth(['tools', at.name, '--json'], { env })
		const locked = (JSON.parse(lock.stdout) as { data: { tool: string; state: string }[] }).data
		expect(locked.map(({ tool, state }) => [tool, state])).toEqual(tools.map((tool) => [tool, 'locked']))
	})

	// Proves: connect.scopes-of-entry, connect.pkce, connect.resource-indicator
	test('asks for the scopes of the entry alone, for this resource, with PKCE and state', async () => {
		const at = await withGuard()
		let asked: URLSearchParams | undefined
		await connect(at, async (address) => {
			asked = new URL(address).searchParams
			return allow(address)
		})
		expect(Object.fromEntries(asked ?? [])).toMatchObject({
			response_type: 'code',
			resource: `${host.url}/mcp`,
			scope: 'guard:verify guard:screen guard:find',
			code_challenge_method: 'S256',
			code_challenge: expect.stringMatching(/^[\w-]{43}$/),
			state: expect.stringMatching(/^[\w-]{43}$/),
			redirect_uri: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+\/callback$/),
		})
	})

	// Proves: connect.forged-answer
	test.each([
		['of another issuer', { iss: 'https://evil.example' }, 'does not belong to this sign-in'],
		['that names no issuer', { iss: '' }, 'does not belong to this sign-in'],
		['in which the person said no', { error: 'access_denied', code: '' }, 'did not work: access_denied'],
		[
			'whose text is a page of its own',
			{ error: 'x', error_description: '<b>"no" & no</b>', code: '' },
			'&#60;b&#62;"no" &#38; no&#60;/b&#62;',
		],
	])('takes no answer %s, and says so in the browser', async (_, changes, page) => {
		const at = await withGuard()
		const done = await connect(at, async (address) => {
			const answer = await authorize(address, person)
			for (const [name, value] of Object.entries(changes)) {
				if (value === '') answer.searchParams.delete(name)
				else answer.searchParams.set(name, value)
			}
			const shown = await fetch(answer)
			expect([shown.status, await shown.text()]).toEqual([400, expect.stringContaining(page)])
		})
		expect(done.code).toBe(1)
		expect(JSON.parse(done.stdout)).toMatchObject({ code: 'sign_in_failed' })
		expect(await connectorState(host, at, account.token)).toMatchObject({ state: 'missing', version: 0 })
	})

	// Proves: connect.stray-answer
	test('refuses an answer of another sign-in, and goes on waiting for its own', async () => {
		const at = await withGuard()
		const done = await connect(at, async (address) => {
			const answer = await authorize(address, person)
			for (const state of ['another', undefined]) {
				const stray = new URL(answer)
				if (state === undefined) stray.search = ''
				else stray.searchParams.set('state', state)
				const shown = await fetch(stray)
				expect([shown.status, await shown.text()]).toEqual([400, expect.stringContaining('does not belong')])
			}
			const shown = await fetch(answer)
			expect([shown.status, await shown.text()]).toEqual([200, expect.stringContaining('Done.')])
		})
		expect(done.code).toBe(0)
		expect(await connectorState(host, at, account.token)).toMatchObject({ state: 'ready' })
	})

	test('refuses a connector that is no protected resource of its own', async () => {
		const mcp = await startMcpServer({ token: 't' })
		onTestFinished(mcp.close)
		const at = await deployWith(host, account, { connector: mcp.url, tools: ['echo'], models })
		const done = await connect(at, allow)
		expect(done.code).toBe(1)
		expect(done.stderr).toContain('has no metadata of an authorization server')
	})
})

// Proves: connect.own-listener
test('a sign-in at the guard of this host is refreshed through its own listener', async () => {
	const at = await withGuard()
	const signIn = await signInAt(`${host.url}/mcp`, person)
	await put(host, at, account.token, { ...signIn, expires_at: 0 })
	expect((await run(host, at)).body).toMatchObject({ status: 'succeeded', usage: { tool_calls: 1 } })
	expect(await connectorState(host, at, account.token)).toMatchObject({ state: 'ready', version: 2 })
	const stored = await withSql(
		host,
		(sql) => sql`
			select (select json_agg(c) from credentials c)::text || (select json_agg(e) from journal e)::text as text`,
	)
	for (const token of [signIn.access_token, signIn.refresh_token] as string[])
		expect(JSON.stringify([stored, host.logs()])).not.toContain(token)
})

// Proves: egress.own-origin-shut
test('nothing of this host but the guard is reached by an agent, whatever EGRESS_ALLOW says', async () => {
	const open = await sharedHost()
	onTestFinished(() => open.close())
	const owner = await open.account({ plan: 'team' })
	const elsewhere = `${open.url.replace('127.0.0.1', '127.0.0.2')}/mcp`
	for (const connector of [`${open.url}/v1`, `${open.url}/d/x`, elsewhere]) {
		const at = await deployWith(open, owner, { connector, tools: ['t'], auth: 'none', models })
		const answer = await run(open, at)
		expect(answer).toMatchObject({ status: 502, body: { code: 'connector_unavailable' } })
		expect(answer.text).toMatch(/is an address of this host itself and not allowed/)
	}
})
