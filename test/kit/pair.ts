import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll } from 'vitest'
import type { Run } from '../../host/api/runs.ts'
import { bundleOf, deploy, type Running, run, until, withSql } from './agent.ts'
import { cloneTemplate, dropDatabase, startHost, type TestAccount, type TestHost } from './host.ts'
import { type ModelServer, type Script, startModelServer } from './model-server.ts'
import { sharedHost, startBeside } from './shared-host.ts'

/** Two hosts on one database, and what their tests ask of them. Filled before the first test of a file. */
export const pair = {} as {
	models: ModelServer
	one: TestHost
	two: TestHost
	account: TestAccount
}
let database: string

const leaseSeconds = 1

/** For files that end neither: `pair.one` is the shared host, and `pair.two` one beside it, with these settings. */
export function withPair(scripts: Record<string, Script>, env: Record<string, string> = {}): void {
	beforeAll(async () => {
		pair.models = await startModelServer(scripts)
		pair.one = await sharedHost()
		pair.two = await startBeside(pair.one, env)
		pair.account = await pair.one.account({ plan: 'team' })
	})
	afterAll(async () => {
		await Promise.all([pair.one?.close(), pair.two?.close()])
		await pair.models?.close()
	})
}

/** `pair.one` alone, on a database of its own, for files whose other host is `third`. */
export function withOne(scripts: Record<string, Script>): void {
	beforeAll(async () => {
		pair.models = await startModelServer(scripts)
		database = await cloneTemplate()
		pair.one = await startHost(options())
		pair.account = await pair.one.account({ plan: 'team' })
	})
	afterAll(async () => {
		await pair.one?.close()
		if (database) await dropDatabase(database)
		await pair.models?.close()
	})
}

const options = (env: Record<string, string> = {}) => ({
	database,
	egressAllow: ['127.0.0.1'],
	env: { HOST_LEASE_SECONDS: String(leaseSeconds), MAX_CONCURRENT_RUNS: '100', ...env },
})

/** Another host of theirs; the caller closes it. */
export const third = (env: Record<string, string> = {}) =>
	startHost(options({ MASTER_KEY_FILE: join(pair.one.dataDir, 'master.key'), ...env }))

export const made = async (name: string) =>
	deploy(
		pair.one,
		pair.account,
		await bundleOf({ model: `{ provider: openai, name: ${name}, base_url: "${pair.models.openaiUrl}" }` }),
	)

/** The same deployment, by another host's address. */
export const at = (agent: Running, host: TestHost): Running => ({
	...agent,
	url: agent.url.replace(pair.one.url, host.url),
})

export const begin = async (host: TestHost, agent: Running) =>
	(await run(host, at(agent, host), {}, { prefer: 'respond-async' })).body.id

export const read = async (host: TestHost, agent: Running, id: string) =>
	(await host.call<Run>(`${at(agent, host).url}/runs/${id}`, { token: agent.run_key })).body

export const ended = (host: TestHost, agent: Running, id: string) =>
	until(async () => {
		const found = await read(host, agent, id)
		return found.completed_at !== null && found
	})

/** The run's events, as stored. */
export const journal = (id: string) =>
	withSql(pair.one, async (sql) => {
		const rows = await sql`select entries from journal where run_id = ${id} order by first_seq`
		return rows.flatMap(({ entries }) => JSON.parse(entries) as { seq: number; type: string; data: object }[])
	})

export const terminals = async (id: string) =>
	(await journal(id)).filter(({ type }) => /^run\.(completed|failed|cancelled)$/.test(type))

export const runtimeOf = (host: TestHost) =>
	host.processes().find((pid) => readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes('runtime.mjs')) ?? 0
