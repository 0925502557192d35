// A table that somebody has locked, or a statement that is cut off by Postgres's own limits: come back later, nowhere a 500.
import postgres from 'postgres'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { parseDatabaseUrl } from '../../../../host/db/url.ts'
import { bundleOf, deploy, type Running, run } from '../../../kit/agent.ts'
import { cloneTemplate, dropDatabase, startHost, type TestHost } from '../../../kit/host.ts'
import { authorizeUrl, type Person, pkce, register, tokensFor } from '../../../kit/oauth-clients.ts'

let url = ''
let sql: postgres.Sql
let host: TestHost
let owner: Person & { token: string }
let agent: Running
let tokens: Awaited<ReturnType<typeof tokensFor>>

beforeAll(async () => {
	url = await cloneTemplate()
	sql = postgres({ ...parseDatabaseUrl(url), max: 2, onnotice: () => {} })
	host = await startHost({ database: url, env: { GUARD_ACCESS: 'everyone' } })
	const password = 'a long enough password'
	owner = { password, ...(await host.account({ password, plan: 'team' })) }
	agent = await deploy(host, owner as never, await bundleOf({ files: { 'agent.ts': program } }))
	tokens = await tokensFor(host.url, owner)
	expect((await run(host, agent)).status).toBe(200)
})
afterAll(async () => {
	await host?.close()
	await sql?.end()
	await dropDatabase(url)
})

const program = 'export default async () => "done"\n'

/** Holds the tables as `alter table` does, for as long as `ask` takes. */
async function locked<T>(tables: string, ask: () => Promise<T>): Promise<T> {
	const held = await sql.reserve()
	try {
		await held`begin`
		await held.unsafe(`lock table ${tables} in access exclusive mode`)
		return await ask()
	} finally {
		await held`rollback`
		held.release()
	}
}

/** Of every connection, from now on; those that the host has are made anew. */
async function limit(setting: string): Promise<void> {
	await sql.unsafe(`alter database ${/\/(\w+)\?/.exec(url)?.[1]} ${setting}`)
	await sql`
		select pg_terminate_backend(pid) from pg_stat_activity
		where datname = current_database() and pid <> pg_backend_pid()`
}

/** The host's connections are made anew meanwhile. */
const patient = { timeout: 60_000 }
const form = (fields: Record<string, string>) => ({ method: 'POST', body: new URLSearchParams(fields) })

// Proves: error.database-busy
test.each(['lock_timeout', 'statement_timeout'])(
	'every address answers 503 with Retry-After when %s cuts its statement off',
	async (setting) => {
		await limit(`set ${setting} = '200ms'`)
		try {
			const { client_id } = await vi.waitFor(() => register(host.url), patient)
			const signIn = await host.call(authorizeUrl(host.url, client_id, pkce().challenge).href)
			const cookie = signIn.headers
				.getSetCookie()
				.map((one) => one.split(';')[0])
				.join('; ')
			const answers = await locked('accounts, runs, deployments, tokens, guard_oauth', async () =>
				Object.entries({
					'GET /v1': await host.call('/v1/deployments', { token: owner.token }),
					'POST /v1': await host.call('/v1/tokens', { token: owner.token, json: { name: 'x' } }),
					run: await run(host, agent),
					stored: await host.call(`${agent.url}/runs`, { token: owner.token }),
					mcp: await host.call('/mcp', { method: 'POST', token: 'a'.repeat(43), json: {} }),
					token: await host.call(
						'/token',
						form({ grant_type: 'refresh_token', refresh_token: tokens.refresh_token, client_id }),
					),
					register: await host.call('/register', { json: { redirect_uris: ['http://127.0.0.1/back'] } }),
					authorize: await host.call(`/authorize?client_id=${client_id}&response_type=code`),
					interaction: await host.call(signIn.headers.get('location') as string, { headers: { cookie } }),
				}),
			)
			const seen = answers.map(([name, { status, headers, body }]) => [
				name,
				status,
				Number(headers.get('retry-after')) > 0,
				status === 503 ? '' : body,
			])
			expect(seen).toEqual(answers.map(([name]) => [name, 503, true, '']))
		} finally {
			await limit(`reset ${setting}`)
		}
		await expect.poll(async () => (await run(host, agent)).status).toBe(200)
	},
)
