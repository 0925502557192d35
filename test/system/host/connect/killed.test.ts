import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { type Running, run, until, withSql } from '../../../kit/agent.ts'
import { startHost, type TestAccount, type TestHost } from '../../../kit/host.ts'
import { type ModelServer, startModelServer } from '../../../kit/model-server.ts'
import type { Person } from '../../../kit/oauth-clients.ts'
import { sharedHost } from '../../../kit/shared-host.ts'
import { connectorState, deployWith, put, signInAt } from './agent.ts'
import { stallingProxy, type TokenEndpoint } from './servers.ts'

// SIGKILL at each step of a refresh leaves the connector signed in. The authorization server is the guard's own, on a
// host that lives on; between it and the agents' host stands a proxy that stops at the step in question.

let guard: TestHost
let host: TestHost
let models: ModelServer
let person: Person
let account: TestAccount

beforeAll(async () => {
	models = await startModelServer({
		m: [{ calls: [{ name: 'guard_noul', input: { propositions: ['Water is wet.'] } }] }, { text: 'done' }],
	})
	guard = await sharedHost()
	const password = 'a long enough password'
	person = { password, ...(await guard.account({ password, tester: true })) }
	host = await startHost({ egressAllow: ['127.0.0.1'], env: { HOST_LEASE_SECONDS: '2' } })
	account = await host.account({ plan: 'team' })
})
afterAll(async () => {
	await host?.close()
	await guard?.close()
	await models?.close()
})

interface Scene {
	at: Running
	proxy: TokenEndpoint
	/** Kills the agents' host or its runtime, and has it back. */
	kill(): Promise<void>
}

/** An agent whose sign-in is over: it is refreshed by the first listing or run. `stall` is set before that can be. */
async function scene(
	victim: 'runtime' | 'host',
	stall: Partial<Pick<TokenEndpoint, 'before' | 'after'>> = {},
): Promise<Scene> {
	const proxy = Object.assign(await stallingProxy(`${guard.url}/token`), stall)
	onTestFinished(proxy.close)
	const connector = `${guard.url}/mcp`
	const at = await deployWith(host, account, { connector, tools: ['guard_noul'], models })
	const signIn = await signInAt(connector, person)
	const sealed = { ...signIn, expires_at: 0, token_endpoint: proxy.url }
	expect((await put(host, at, account.token, sealed)).status).toBe(200)
	const kill = async () => {
		if (victim === 'host') {
			await host.kill('SIGKILL')
			host = await host.again()
			return
		}
		const pid = host
			.processes()
			.find((one) => readFileSync(`/proc/${one}/cmdline`, 'utf8').includes('runtime.mjs'))
		process.kill(pid as number, 'SIGKILL')
	}
	return { at, proxy, kill }
}

/** Whoever asks now gets a tool's answer, by a sign-in that is stored. */
async function works({ at }: Scene, version: number): Promise<void> {
	const answer = await run(host, at)
	expect(answer.body).toMatchObject({ status: 'succeeded', usage: { tool_calls: 1 } })
	expect(await connectorState(host, at, account.token)).toMatchObject({ state: 'ready', version })
}

const asked = ({ proxy }: Scene) => until(async () => proxy.asked.length > 0)

describe.each(['runtime', 'host'] as const)('a sign-in is kept when the %s is killed', (victim) => {
	// Proves: connect.crash-keeps-sign-in
	test('before the server has read the refresh', async () => {
		const stalled = Promise.withResolvers<void>()
		const at = await scene(victim, { before: () => stalled.promise })
		const first = run(host, at.at).catch(() => null)
		await asked(at)
		await at.kill()
		at.proxy.before = () => {}
		stalled.resolve()
		await works(at, 2)
		await first
	})

	// Proves: connect.crash-keeps-sign-in
	test('after the server has answered, before the answer is there', async () => {
		const stalled = Promise.withResolvers<void>()
		const answered = Promise.withResolvers<void>()
		const after = () => {
			answered.resolve()
			return stalled.promise
		}
		const at = await scene(victim, { after })
		const first = run(host, at.at).catch(() => null)
		await answered.promise
		await at.kill()
		at.proxy.after = () => {}
		stalled.resolve()
		await works(at, 2)
		// The server was asked twice with one token, and gave the same successor.
		expect(new Set(at.proxy.asked.map((form) => form.get('refresh_token'))).size).toBe(1)
		expect(at.proxy.asked).toHaveLength(2)
		await first
	})

	// Proves: connect.crash-keeps-sign-in
	test('with the answer in hand, before it is stored', async () => {
		const stalled = Promise.withResolvers<void>()
		const answered = Promise.withResolvers<void>()
		const after = () => {
			answered.resolve()
			return stalled.promise
		}
		const at = await scene(victim, { after })
		await answered.promise
		await withSql(host, (sql) =>
			sql.begin(async (tx) => {
				await tx`select 1 from credentials where deployment_id = ${at.at.id} and kind = 'oauth' for update`
				at.proxy.after = () => {}
				stalled.resolve()
				await until(async () => {
					const [row] = await sql`
						select 1 from pg_stat_activity
						where datname = current_database() and wait_event_type = 'Lock' and query like '%update credentials%'`
					return row !== undefined
				})
				await at.kill()
			}),
		)
		// Killed with its runtime, the host still stores what it was told to; killed itself, it asks the server again.
		await works(at, 2)
	})

	// Proves: connect.crash-keeps-sign-in
	test('once it is stored, before it is used', async () => {
		const at = await scene(victim)
		const first = run(host, at.at).catch(() => null)
		await until(() =>
			withSql(host, async (sql) => {
				const [row] = await sql`
					select 1 from credentials where deployment_id = ${at.at.id} and kind = 'oauth' and version = 2`
				return row !== undefined
			}),
		)
		await at.kill()
		await works(at, 2)
		expect(at.proxy.asked).toHaveLength(1)
		await first
	})
})
