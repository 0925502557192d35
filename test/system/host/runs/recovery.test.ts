import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, describe, expect, onTestFinished, test } from 'vitest'
import type { Run } from '../../../../host/api/runs.ts'
import { bundleOf, deploy, run, until, withSql } from '../../../kit/agent.ts'
import type { TestHost } from '../../../kit/host.ts'
import { outage } from '../../../kit/outage.ts'
import {
	third as another,
	at,
	begin,
	ended,
	journal,
	made,
	pair,
	read,
	runtimeOf,
	terminals,
	withOne,
} from '../../../kit/pair.ts'
import { put } from '../connect/agent.ts'

// What a host, a runtime or a database leaves behind when it goes, is gone on with.

withOne({
	m: { text: 'Hello.' },
	endless: { text: 'Never.', delayMs: 60_000 },
	once: { text: 'Once.' },
	slow: { text: 'At last.', delayMs: 1500 },
	sleepy: ({ count }) => ({ text: 'Good morning.', delayMs: count === 0 ? 60_000 : 0 }),
	handed: { text: 'Handed over.', delayMs: 800 },
	soon: { text: 'Thought.', delayMs: 800 },
})

/** Another host that runs, for one test after the other; a test that ends it takes it. */
let other: TestHost | undefined
const sharing = async () => (other ??= await another())
const taking = async () => {
	const host = await sharing()
	other = undefined
	return host
}
afterAll(() => other?.close())

/** Stops the host first, so that it starts no process meanwhile; one that ends just now is none to stop. */
function freeze(host: TestHost): number[] {
	return host.processes().filter((pid) => {
		try {
			return process.kill(pid, 'SIGSTOP')
		} catch {
			return false
		}
	})
}

/** Stood still before; it may be gone by now. */
function goesOn(pid: number): void {
	try {
		process.kill(pid, 'SIGCONT')
	} catch {}
}

describe('a database that drops every connection', () => {
	// Proves: event.one-terminal, journal.database-lost
	test('costs no accepted run its end, and no run ends twice', async () => {
		const agent = await made('slow')
		const ids = await Promise.all(Array.from({ length: 10 }, () => begin(pair.one, agent)))
		const deadline = Date.now() + 2500
		await withSql(pair.one, async (sql) => {
			while (Date.now() < deadline) {
				await sql`
					select pg_terminate_backend(pid) from pg_stat_activity
					where datname = current_database() and pid <> pg_backend_pid()`
				await new Promise((resolve) => setTimeout(resolve, 100))
			}
		})
		for (const id of ids) {
			const done = await until(async () => {
				const found = await read(pair.one, agent, id).catch(() => null)
				return found?.completed_at && found
			})
			expect(done).toMatchObject({ status: 'succeeded', output: 'At last.' })
			expect(await terminals(id)).toHaveLength(1)
		}
		await until(async () => (await run(pair.one, agent)).status === 200)
	})
})

describe('a database whose disk is full', () => {
	// Proves: start.disk-full
	test('has a call answered 503 with Retry-After, and made again with its key once there is room', async () => {
		const agent = await made('m')
		const key = { 'idempotency-key': 'room' }
		await withSql(pair.one, async (sql) => {
			await sql.unsafe(`
				create function full_disk() returns trigger language plpgsql as
					$$ begin raise exception 'No space left on device' using errcode = 'disk_full'; end $$;
				create trigger full_disk before insert on runs for each row execute function full_disk()`)
			const refused = await run(pair.one, agent, {}, key)
			await sql.unsafe('drop function full_disk cascade')
			expect([refused.status, refused.body.code, refused.headers.get('retry-after')]).toEqual([
				503,
				'overloaded',
				'30',
			])
		})
		const two = await sharing()
		expect((await run(two, at(agent, two), {}, key)).status).toBe(200)
	})
})

describe('the runtime', () => {
	// Proves: journal.runtime-killed
	test('that is killed under its runs comes back, and they go on to their end', async () => {
		const agent = await made('slow')
		const answers = Array.from({ length: 5 }, () => run(pair.one, agent))
		await until(
			async () =>
				(await pair.one.call<{ data: unknown[] }>('/v1/runs', { token: pair.account.token })).body.data
					.length === 5,
		)
		await until(async () => pair.models.requests.filter(({ body }) => body.model === 'slow').length > 0)
		process.kill(runtimeOf(pair.one), 'SIGKILL')
		for (const answer of await Promise.all(answers)) {
			expect([answer.status, answer.body.output]).toEqual([200, 'At last.'])
			expect(await terminals(answer.body.id)).toHaveLength(1)
		}
	})
})

describe('a host that died', () => {
	// Proves: journal.host-died
	test('leaves runs that another goes on with, once its lease is over', async () => {
		const third = await taking()
		const agent = await made('slow')
		const id = await begin(third, agent)
		await until(async () => (await read(pair.one, agent, id)).status === 'running')
		await third.kill('SIGKILL')
		expect(await ended(pair.one, agent, id)).toMatchObject({ status: 'succeeded', output: 'At last.' })
		const entries = await journal(id)
		expect(entries.filter(({ type }) => type === 'run.started')).toMatchObject([
			{ data: { attempt: 1 } },
			{ data: { attempt: 2 } },
		])
		expect(entries.map(({ seq }) => seq)).toEqual(entries.map((_, i) => i + 1))
		expect(await terminals(id)).toMatchObject([{ type: 'run.completed' }])
		await third.close()
	})

	// Proves: journal.fenced
	test('for a while only writes nothing more when it is back: its run was ended by another', async () => {
		const third = await sharing()
		const agent = await made('slow')
		const id = await begin(third, agent)
		await until(async () => (await read(pair.one, agent, id)).status === 'running')
		const frozen = freeze(third)
		const done = await ended(pair.one, agent, id)
		const entries = await journal(id)
		for (const pid of frozen) process.kill(pid, 'SIGCONT')
		// Its model answers now, and it tries to write the end.
		await until(async () => (await third.call('/healthz')).status === 200)
		await run(third, at(agent, third))
		expect(done).toMatchObject({ status: 'succeeded', output: 'At last.' })
		expect(await read(pair.one, agent, id)).toEqual(done)
		expect(await journal(id)).toEqual(entries)
	})

	// Its runtime reads first what the host had told it, and only then that their pipe has ended.
	test('leaves a runtime that stood still, which asks no model for runs that another goes on with', async () => {
		const agent = await made('once')
		const dying = await taking()
		// With the agent and its key at hand it needs no word of its host to ask a model.
		await run(dying, at(agent, dying))
		const runtime = runtimeOf(dying)
		process.kill(runtime, 'SIGSTOP')
		onTestFinished(() => goesOn(runtime))
		const ids = await Promise.all(Array.from({ length: 5 }, () => begin(dying, agent)))
		await dying.kill('SIGKILL')
		for (const id of ids) expect(await ended(pair.one, agent, id)).toMatchObject({ status: 'succeeded' })
		goesOn(runtime)
		await dying.close()
		const asked = pair.models.requests.filter(({ body }) => (body as { model?: string }).model === 'once')
		expect(asked).toHaveLength(1 + ids.length)
	})

	// Proves: journal.host-died
	test('leaves runs that are gone on with also where the database is lost as they are taken over', async () => {
		const third = await taking()
		const agent = await made('slow')
		const ids = await Promise.all([0, 1, 2].map(() => begin(third, agent)))
		await until(async () =>
			(await Promise.all(ids.map((id) => read(pair.one, agent, id)))).every(
				({ status }) => status === 'running',
			),
		)
		await withSql(pair.one, async (sql) => {
			// Older than what a host that just began them may still be about to answer for.
			await sql`update runs set created_at = created_at - interval '1 minute' where id = any(${ids})`
			await sql.begin(async (tx) => {
				await third.kill('SIGKILL')
				await tx`lock table journal`
				const reading = () => sql<{ pid: number }[]>`
					select pid from pg_stat_activity
					where datname = current_database() and wait_event_type = 'Lock' and query like '%entries from journal%'`
				const [, , last] = await until(async () => {
					const pids = await reading()
					return pids.length === ids.length && pids
				})
				await sql`select pg_terminate_backend(${last?.pid ?? 0})`
			})
		})
		for (const id of ids)
			expect(await ended(pair.one, agent, id)).toMatchObject({ status: 'succeeded', output: 'At last.' })
		await third.close()
	})

	// Proves: journal.host-died
	test('leaves runs that another goes on with though the database is away more often than a lease lasts', async () => {
		const third = await taking()
		const agent = await made('slow')
		const id = await begin(third, agent)
		await until(async () => (await read(pair.one, agent, id)).status === 'running')
		await third.kill('SIGKILL')
		// Where an outage comes between claim and reading, the run is claimed once more, which is a third attempt.
		const taken = async () =>
			(await journal(id)).some(({ data }) => ((data as { attempt?: number }).attempt ?? 0) > 1)
		for (let times = 1; !(await taken()); times++) {
			expect(times).toBeLessThan(40)
			// Each longer than a lease, and no lease between two, until it is clear that the machine is too busy for that.
			await outage(pair.one.databaseUrl ?? '', 1_200)
			await sleep(Math.min(500 + 20 * times, 900) + 100 * Math.max(0, times - 20))
		}
		expect(await ended(pair.one, agent, id)).toMatchObject({ status: 'succeeded', output: 'At last.' })
		await third.close()
	})

	// Proves: run.cancel-dead-host
	test('leaves runs that can be cancelled at once, and the cancel says what was in flight', async () => {
		const third = await another({ HOST_LEASE_SECONDS: '60' })
		const agent = await made('endless')
		const id = await begin(third, agent)
		await until(async () => (await journal(id)).some(({ type }) => type === 'model.started'))
		await third.kill('SIGKILL')
		await withSql(
			pair.one,
			(sql) => sql`update hosts set lease_until = now() where lease_until > now() + interval '30 seconds'`,
		)
		const { body } = await pair.one.call<Run>(`${agent.url}/runs/${id}/cancel`, {
			method: 'POST',
			token: agent.run_key,
		})
		const message = /^The run was cancelled: it was asked for\..* (call \d+ \(model endless\))\.$/.exec(
			body.error?.message ?? '',
		)?.[1]
		expect([body.status, message]).toEqual(['cancelled', 'call 1 (model endless)'])
		expect(await terminals(id)).toMatchObject([{ data: { in_flight: [{ kind: 'model', name: 'endless' }] } }])
		await third.close()
	})

	// Proves: deployment.stop-finished-elsewhere
	test('leaves a stop that another finishes', async () => {
		const agent = await made('m')
		await withSql(pair.one, async (sql) => {
			await sql`
				update deployments set state = 'stopping', drain_until = now() - interval '1 minute', rev = rev + 1
				where id = ${agent.id}`
		})
		await until(
			async () =>
				(await pair.one.call(`/v1/deployments/${agent.id}`, { token: pair.account.token })).body.state ===
				'stopped',
		)
	})
})

describe('a host that is stopped', () => {
	// Proves: journal.host-stopped, journal.stop-finishes-call
	test('finishes the call under way, hands its runs to another at once, and answers who waits with a 202', async () => {
		const third = await another({
			SHUTDOWN_SECONDS: '0',
			// So long that it is not the end of the lease that frees the runs.
			HOST_LEASE_SECONDS: '60',
		})
		const [sleepy, handed] = [await made('sleepy'), await made('handed')]
		const asked = (name: string) => pair.models.requests.filter(({ body }) => body.model === name)
		const waiting = run(third, at(sleepy, third))
		const [found] = await until(async () => {
			const { body } = await pair.one.call<{ data: Run[] }>(`${sleepy.url}/runs`, { token: sleepy.run_key })
			return body.data[0]?.status === 'running' && body.data
		})
		const id = found?.id ?? ''
		// The first answer is the slow one: it is the stopped host that must have asked for it.
		await until(async () => asked('sleepy').length > 0)
		const short = await begin(third, handed)
		await until(async () => asked('handed').length > 0)
		await third.kill('SIGTERM')
		expect(await waiting).toMatchObject({ status: 202, body: { id, status: 'running' } })
		expect(await ended(pair.one, sleepy, id)).toMatchObject({ status: 'succeeded', output: 'Good morning.' })
		expect((await journal(id)).filter(({ type }) => type === 'run.started')).toHaveLength(2)
		// Nobody made the call again that had its time.
		expect(await ended(pair.one, handed, short)).toMatchObject({
			status: 'succeeded',
			output: 'Handed over.',
		})
		expect(asked('handed')).toHaveLength(1)
		await third.close()
	})
	// Proves: journal.host-stopped
	test('hands over a run that calls another of its agents meanwhile', async () => {
		const third = await another({
			BASE_URL: pair.one.url,
			SHUTDOWN_SECONDS: '2',
			HOST_LEASE_SECONDS: '60',
		})
		const model = `{ provider: openai, name: soon, base_url: "${pair.models.openaiUrl}" }`
		const program = (body: string) => ({
			'agent.ts': `import { agent } from 'berth'\nexport default agent(async (_inputs: any, ctx) => { ${body} })\n`,
		})
		const inner = await deploy(
			pair.one,
			pair.account,
			await bundleOf({ model, yaml: 'description: Answers\n', files: program(`return 'Of the inner.'`) }),
			'inner',
		)
		const address = `${inner.url}/mcp`
		const outer = await deploy(
			pair.one,
			pair.account,
			await bundleOf({
				model,
				yaml: `requires: [{ connector: "${address}", scopes: [], auth: bearer, kind: connector, tools: [inner] }]\n`,
				files: program(`await ctx.model('Think.'); return JSON.stringify(await ctx.tools.call('inner', {}))`),
			}),
			'outer',
		)
		expect((await put(pair.one, outer, pair.account.token, { token: inner.run_key })).status).toBe(200)
		const id = await begin(third, outer)
		await until(async () => pair.models.requests.some(({ body }) => body.model === 'soon'))
		await third.kill('SIGTERM')
		const done = await ended(pair.one, outer, id)
		expect(done).toMatchObject({ status: 'succeeded', output: expect.stringContaining('Of the inner.') })
		expect((await journal(id)).filter(({ type }) => type === 'run.started')).toHaveLength(2)
		await third.close()
	})
})
