import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Run } from '../../../host/api/runs.ts'
import {
	cloneTemplate,
	dropDatabase,
	startHost,
	type TestAccount,
	type TestHost,
} from '../../support/host.ts'
import { type ModelServer, startModelServer } from '../../support/model-server.ts'
import { bundleOf, deploy, type Running, run, until, withSql } from '../agent.ts'

// Two hosts on one database: whose run it is, what a dead host leaves, and that any of them answers for it.

let models: ModelServer
let database: string
let one: TestHost
let two: TestHost
let account: TestAccount

const leaseSeconds = 1

beforeAll(async () => {
	models = await startModelServer({
		m: { text: 'Hello.' },
		slow: { text: 'At last.', delayMs: 1500 },
		endless: { text: 'Never.', delayMs: 60_000 },
		sleepy: ({ count }) => ({ text: 'Good morning.', delayMs: count === 0 ? 60_000 : 0 }),
		handed: { text: 'Handed over.', delayMs: 800 },
		drip: { text: 'One two three four five six seven.', dripMs: 100, chunk: 5 },
	})
	database = await cloneTemplate()
	one = await startHost(options())
	two = await startHost(options({ MASTER_KEY_FILE: join(one.dataDir, 'master.key') }))
	account = await one.account({ plan: 'team' })
})
afterAll(async () => {
	await Promise.all([one?.close(), two?.close()])
	if (database) await dropDatabase(database)
	await models?.close()
})

const options = (env: Record<string, string> = {}) => ({
	database,
	egressAllow: ['127.0.0.1'],
	env: { HOST_LEASE_SECONDS: String(leaseSeconds), MAX_CONCURRENT_RUNS: '20', ...env },
})
const made = async (name: string, host = one) =>
	deploy(
		host,
		account,
		await bundleOf({ model: `{ provider: openai, name: ${name}, base_url: "${models.openaiUrl}" }` }),
	)
/** The same deployment, by the other host's address. */
const at = (agent: Running, host: TestHost): Running => ({
	...agent,
	url: agent.url.replace(one.url, host.url),
})
const begin = async (host: TestHost, agent: Running) =>
	(await run(host, agent, {}, { prefer: 'respond-async' })).body.id
const read = async (host: TestHost, agent: Running, id: string) =>
	(await host.call<Run>(`${at(agent, host).url}/runs/${id}`, { token: agent.run_key })).body
const ended = (host: TestHost, agent: Running, id: string) =>
	until(async () => {
		const found = await read(host, agent, id)
		return found.completed_at !== null && found
	}, 15_000)
/** Types of the run's events, as stored. */
const journal = (id: string) =>
	withSql(one, async (sql) => {
		const rows = await sql`select entries from journal where run_id = ${id} order by first_seq`
		return rows.flatMap(({ entries }) => JSON.parse(entries) as { seq: number; type: string; data: object }[])
	})
const terminals = async (id: string) =>
	(await journal(id)).filter(({ type }) => /^run\.(completed|failed|cancelled)$/.test(type))
const runtimeOf = (host: TestHost) =>
	host.processes().find((pid) => readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes('runtime.mjs')) ?? 0

describe('a run on one host', () => {
	test('is seen, awaited, streamed and cancelled on the other', async () => {
		const agent = await made('drip')
		const key = { 'idempotency-key': 'shared' }
		const first = await run(one, agent, {}, { ...key, prefer: 'respond-async' })
		const attached = run(two, at(agent, two), {}, key)
		const events = await fetch(`${at(agent, two).url}/runs/${first.body.id}/events`, {
			headers: { authorization: `Bearer ${agent.run_key}` },
		})
		const streamed = await events.text()
		expect((await attached).body).toMatchObject({ id: first.body.id, status: 'succeeded' })
		expect(streamed).toMatch(/event: run\.completed\n/)

		const endless = await made('endless')
		const id = await begin(one, endless)
		const cancelled = await two.call(`${at(endless, two).url}/runs/${id}/cancel`, {
			method: 'POST',
			token: endless.run_key,
		})
		expect(cancelled.body).toMatchObject({ id, status: 'cancelled' })
	})

	test('of a deployment that the other stops is drained, and the stop says what was in flight', async () => {
		const agent = await made('slow')
		const id = await begin(one, agent)
		await until(async () => (await read(one, agent, id)).status === 'running')
		const stopped = await two.call(`/v1/deployments/${agent.id}/stop`, {
			token: account.token,
			json: { drain_seconds: 10 },
		})
		expect(stopped.body).toMatchObject({
			state: 'stopped',
			in_flight: [{ run: id, status: 'running' }],
			cancelled: [],
		})
		expect((await read(two, agent, id)).status).toBe('succeeded')
		const refused = await run(one, agent)
		expect([refused.status, refused.body.code]).toEqual([409, 'deployment_not_running'])
	})

	test('that outlasts the drain is cancelled with its event', async () => {
		const agent = await made('endless')
		const id = await begin(one, agent)
		const answer = run(one, agent)
		await until(async () => (await read(one, agent, id)).status === 'running')
		const stopped = await one.call<{ in_flight: unknown[]; cancelled: string[] }>(
			`/v1/deployments/${agent.id}/stop`,
			{
				token: account.token,
				json: { drain_seconds: 0.2 },
			},
		)
		expect(stopped.body.in_flight).toHaveLength(2)
		expect(stopped.body.cancelled).toHaveLength(2)
		expect((await answer).body).toMatchObject({ status: 409, code: 'cancelled' })
		expect(await terminals(id)).toMatchObject([{ type: 'run.cancelled' }])
	})

	test('sees a credential and a version that were changed through the other at its next run', async () => {
		const agent = await made('m')
		expect((await run(one, agent)).body.output).toBe('Hello.')
		expect((await run(two, at(agent, two))).body.output).toBe('Hello.')
		const patched = await two.call(`/v1/deployments/${agent.id}`, {
			method: 'PATCH',
			token: account.token,
			json: { name: 'renamed' },
		})
		expect(patched.status).toBe(200)
		// Whether or not the hint has come: the insert finds the change.
		expect((await run(one, agent)).status).toBe(200)
		await two.call(`/v1/deployments/${agent.id}/stop`, { method: 'POST', token: account.token })
		expect((await run(one, agent)).status).toBe(409)
	})
})

describe('a warm run', () => {
	test('costs two transactions that write: one as it begins, one as it ends', async () => {
		const agent = await made('m')
		await run(one, agent)
		const xid = () =>
			withSql(one, async (sql) => Number((await sql`select pg_current_xact_id()::text as id`)[0]?.id))
		const before = await xid()
		const runs = 40
		for (let i = 0; i < runs; i++) expect((await run(one, agent)).status).toBe(200)
		// Beside them two hosts renew their leases.
		expect((await xid()) - before).toBeLessThan(runs * 2 + 25)
	})
})

describe('a host with all the runs it may have', () => {
	test('answers 503 with Retry-After and makes no run', async () => {
		const agent = await made('endless')
		const ids = await Promise.all(Array.from({ length: 20 }, () => begin(one, agent)))
		const refused = await run(one, agent)
		expect([refused.status, refused.body.code]).toEqual([503, 'overloaded'])
		expect(refused.headers.get('retry-after')).toMatch(/^\d+$/)
		await one.call('/v1/runs/cancel', { token: account.token, json: { deployment: agent.id } })
		await Promise.all(ids.map((id) => ended(one, agent, id)))
	})
})

describe('a database that drops every connection', () => {
	test('costs no accepted run its end, and no run ends twice', async () => {
		const agent = await made('slow')
		const ids = await Promise.all(Array.from({ length: 10 }, () => begin(one, agent)))
		const deadline = Date.now() + 2500
		await withSql(one, async (sql) => {
			while (Date.now() < deadline) {
				await sql`
					select pg_terminate_backend(pid) from pg_stat_activity
					where datname = current_database() and pid <> pg_backend_pid()`
				await new Promise((resolve) => setTimeout(resolve, 100))
			}
		})
		for (const id of ids) {
			const done = await until(async () => {
				const found = await read(one, agent, id).catch(() => null)
				return found?.completed_at && found
			}, 20_000)
			expect(done).toMatchObject({ status: 'succeeded', output: 'At last.' })
			expect(await terminals(id)).toHaveLength(1)
		}
		await until(async () => (await run(one, agent)).status === 200)
	})
})

describe('the runtime', () => {
	test('that is killed under its runs comes back, and they go on to their end', async () => {
		const agent = await made('slow')
		const answers = Array.from({ length: 5 }, () => run(one, agent))
		await until(
			async () =>
				(await one.call<{ data: unknown[] }>('/v1/runs', { token: account.token })).body.data.length === 5,
		)
		await until(async () => models.requests.filter(({ body }) => body.model === 'slow').length > 0)
		process.kill(runtimeOf(one), 'SIGKILL')
		for (const answer of await Promise.all(answers)) {
			expect([answer.status, answer.body.output]).toEqual([200, 'At last.'])
			expect(await terminals(answer.body.id)).toHaveLength(1)
		}
	})
})

describe('a host that died', () => {
	test('leaves runs that another goes on with, once its lease is over', async () => {
		const third = await startHost(options({ MASTER_KEY_FILE: join(one.dataDir, 'master.key') }))
		const agent = await made('slow')
		const id = await begin(third, at(agent, third))
		await until(async () => (await read(one, agent, id)).status === 'running')
		await third.kill('SIGKILL')
		expect(await ended(one, agent, id)).toMatchObject({ status: 'succeeded', output: 'At last.' })
		const entries = await journal(id)
		expect(entries.filter(({ type }) => type === 'run.started')).toMatchObject([
			{ data: { attempt: 1 } },
			{ data: { attempt: 2 } },
		])
		expect(entries.map(({ seq }) => seq)).toEqual(entries.map((_, i) => i + 1))
		expect(await terminals(id)).toMatchObject([{ type: 'run.completed' }])
		await third.close()
	})

	test('for a while only writes nothing more when it is back: its run was ended by another', async () => {
		const third = await startHost(options({ MASTER_KEY_FILE: join(one.dataDir, 'master.key') }))
		const agent = await made('slow')
		const id = await begin(third, at(agent, third))
		await until(async () => (await read(one, agent, id)).status === 'running')
		const frozen = third.processes()
		for (const pid of frozen) process.kill(pid, 'SIGSTOP')
		const done = await ended(one, agent, id)
		const entries = await journal(id)
		for (const pid of frozen) process.kill(pid, 'SIGCONT')
		// Its model answers now, and it tries to write the end.
		await until(async () => (await third.call('/healthz')).status === 200)
		await run(third, at(agent, third))
		expect(done).toMatchObject({ status: 'succeeded', output: 'At last.' })
		expect(await read(one, agent, id)).toEqual(done)
		expect(await journal(id)).toEqual(entries)
		await third.close()
	})

	test('leaves a stop that another finishes', async () => {
		const agent = await made('m')
		await withSql(one, async (sql) => {
			await sql`
				update deployments set state = 'stopping', drain_until = now() - interval '1 minute', rev = rev + 1
				where id = ${agent.id}`
		})
		await until(
			async () =>
				(await one.call(`/v1/deployments/${agent.id}`, { token: account.token })).body.state === 'stopped',
			15_000,
		)
	})
})

describe('a host that is stopped', () => {
	test('hands its runs to another at once, and answers who waits with a 202', async () => {
		const third = await startHost(
			options({
				MASTER_KEY_FILE: join(one.dataDir, 'master.key'),
				SHUTDOWN_SECONDS: '0',
				// So long that it is not the end of the lease that frees the run.
				HOST_LEASE_SECONDS: '60',
			}),
		)
		const agent = await made('sleepy')
		const waiting = run(third, at(agent, third))
		const [found] = await until(async () => {
			const { body } = await one.call<{ data: Run[] }>(`${agent.url}/runs`, { token: agent.run_key })
			return body.data[0]?.status === 'running' && body.data
		})
		const id = found?.id ?? ''
		await third.kill('SIGTERM')
		expect(await waiting).toMatchObject({ status: 202, body: { id, status: 'running' } })
		expect(await ended(one, agent, id)).toMatchObject({ status: 'succeeded', output: 'Good morning.' })
		expect((await journal(id)).filter(({ type }) => type === 'run.started')).toHaveLength(2)
		await third.close()
	})

	test('finishes the call under way, and nobody makes it again', async () => {
		const third = await startHost(
			options({ MASTER_KEY_FILE: join(one.dataDir, 'master.key'), SHUTDOWN_SECONDS: '0' }),
		)
		const agent = await made('handed')
		const id = await begin(third, at(agent, third))
		await until(async () => models.requests.some(({ body }) => body.model === 'handed'))
		await third.kill('SIGTERM')
		expect(await ended(one, agent, id)).toMatchObject({ status: 'succeeded', output: 'Handed over.' })
		expect(models.requests.filter(({ body }) => body.model === 'handed')).toHaveLength(1)
		await third.close()
	})
})
