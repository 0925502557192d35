import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { run, until } from '../../../kit/agent.ts'
import type { TestAccount, TestHost } from '../../../kit/host.ts'
import { type ModelServer, startModelServer } from '../../../kit/model-server.ts'
import { sharedHost, startBeside } from '../../../kit/shared-host.ts'
import { connectorState, deployWith, put } from './agent.ts'
import { type Connector, startConnector } from './servers.ts'

// Refresh: one at a time, stored before it is used, an owner's upload wins, a refusal is told before anything is spent.

let host: TestHost
let models: ModelServer
let account: TestAccount

beforeAll(async () => {
	models = await startModelServer({
		m: [{ calls: [{ name: 'echo', input: { text: 'hi' } }], delayMs: 0 }, { text: 'done' }],
	})
	host = await sharedHost()
	account = await host.account({ plan: 'team' })
})
afterAll(async () => {
	await host?.close()
	await models?.close()
})

/** `before`: what the connector shall do from the sign-in on, as its tools are listed with it at once. */
async function connected(
	ms: number,
	before: (connector: Connector) => void = () => {},
): Promise<{ connector: Connector; at: Awaited<ReturnType<typeof deployWith>> }> {
	const connector = await startConnector()
	onTestFinished(connector.close)
	before(connector)
	const at = await deployWith(host, account, { connector: connector.mcp.url, tools: ['echo'], models })
	const uploaded = await put(host, at, account.token, connector.signIn(ms))
	expect(uploaded).toMatchObject({ status: 200, body: { state: 'ready', version: 1 } })
	return { connector, at }
}
const state = (at: Parameters<typeof connectorState>[1]) => connectorState(host, at, account.token)

describe('a sign-in', () => {
	// Proves: connect.one-refresh
	test('is refreshed once when a hundred runs use it as its token expires', async () => {
		const { connector, at } = await connected(8_000)
		const { m } = models.scripts
		onTestFinished(() => void Object.assign(models.scripts, { m }))
		// Between the listing and the tool call of every run, the token comes to within five seconds of its end.
		models.scripts.m = async ({ turn }) => {
			if (turn > 0) return { text: 'done' }
			await sleep(Math.max(0, expiresAt - 4_500 - Date.now()))
			return { calls: [{ name: 'echo', input: { text: 'hi' } }] }
		}
		const expiresAt = Date.now() + 8_000
		const answers = await Promise.all(Array.from({ length: 100 }, () => run(host, at)))
		expect(answers.map(({ body }) => body.status)).toEqual(Array(100).fill('succeeded'))
		expect(connector.mcp.calls).toHaveLength(100)
		expect(connector.tokens.asked.map((form) => Object.fromEntries(form))).toEqual([
			{
				grant_type: 'refresh_token',
				refresh_token: 'refresh-0',
				client_id: 'client',
				resource: connector.mcp.url,
			},
		])
		expect(await state(at)).toEqual({ state: 'ready', version: 2, last_error: null })
	})

	// Proves: connect.refresh-early-end
	test('is refreshed when its token is turned away before its time', async () => {
		const { connector, at } = await connected(3_600_000)
		connector.mcp.options.token = 'revoked'
		const answers = await Promise.all(Array.from({ length: 10 }, () => run(host, at)))
		expect(answers.map(({ body }) => body.status)).toEqual(Array(10).fill('succeeded'))
		expect(connector.tokens.asked).toHaveLength(1)
	})

	// Proves: connect.owner-wins
	test('that its owner makes anew during a refresh is the one that stays', async () => {
		const stalled = Promise.withResolvers<void>()
		const { connector, at } = await connected(0, ({ tokens }) => {
			tokens.after = () => stalled.promise
		})
		const running = run(host, at)
		await until(async () => connector.tokens.asked.length === 1)
		connector.mcp.options.token = 'the-owners'
		const own = { ...connector.signIn(3_600_000), access_token: 'the-owners' }
		expect((await put(host, at, account.token, own)).body).toMatchObject({ version: 2 })
		stalled.resolve()
		// What the server gave last is not what is stored: the run goes on with the owner's.
		connector.mcp.options.token = 'the-owners'
		expect((await running).body.status).toBe('succeeded')
		expect(connector.mcp.requests.at(-1)?.headers.authorization).toBe('Bearer the-owners')
		expect(await state(at)).toMatchObject({ state: 'ready', version: 2 })
		expect(connector.tokens.asked).toHaveLength(1)
	})

	// Proves: connect.refusal
	test('whose refresh is refused must be made anew: the next run says so before anything is spent', async () => {
		const { connector, at } = await connected(0, (one) => {
			one.refusal = { status: 400, body: { error: 'invalid_grant', error_description: 'revoked' } }
		})
		const before = models.requests.length
		const first = await run(host, at)
		expect(first).toMatchObject({ status: 409, body: { code: 'connector_not_connected' } })
		expect(await state(at)).toMatchObject({ state: 'needs_sign_in', version: 1 })
		const second = await run(host, at)
		expect(second).toMatchObject({ status: 409, body: { code: 'connector_not_connected' } })
		expect(second.body.run).toBeUndefined()
		expect(connector.tokens.asked).toHaveLength(1)
		expect(models.requests).toHaveLength(before)
		connector.refusal = undefined
		await put(host, at, account.token, connector.signIn(3_600_000))
		expect((await run(host, at)).body.status).toBe('succeeded')
	})

	// Proves: connect.no-refusal
	test.each([
		['answers 503', { status: 503, body: {}, headers: { 'retry-after': '60' } }],
		[
			'asks to wait',
			{ status: 400, body: { error: 'temporarily_unavailable' }, headers: { 'retry-after': '60' } },
		],
	])('is kept where the authorization server %s', async (_, refusal) => {
		const { connector, at } = await connected(0, (one) => {
			one.refusal = refusal
		})
		const before = models.requests.length
		expect(await run(host, at)).toMatchObject({ status: 502, body: { code: 'connector_unavailable' } })
		expect(await state(at)).toMatchObject({ state: 'ready', version: 1 })
		expect(models.requests).toHaveLength(before)
		connector.refusal = undefined
		expect((await run(host, at)).body.status).toBe('succeeded')
		expect(await state(at)).toMatchObject({ state: 'ready', version: 2 })
	})

	test('sealed for another connector is refused', async () => {
		const { at } = await connected(3_600_000)
		const answer = await put(host, at, account.token, { token: 't' }, 'https://evil.example/mcp')
		expect(answer).toMatchObject({ status: 422, body: { code: 'credential_rejected' } })
	})

	// Proves: connect.one-refresh
	test('is refreshed by one of two hosts, and used by both', async () => {
		const other = await startBeside(host)
		onTestFinished(() => other.close())
		const { connector, at } = await connected(0, ({ tokens }) => {
			tokens.before = () => sleep(500)
		})
		const there = { ...at, url: at.url.replace(host.url, other.url) }
		const answers = await Promise.all([run(host, at), run(other, there), run(host, at), run(other, there)])
		expect(answers.map(({ body }) => body.status)).toEqual(Array(4).fill('succeeded'))
		expect(connector.tokens.asked).toHaveLength(1)
	})
})
