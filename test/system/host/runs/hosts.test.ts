import { describe, expect, test } from 'vitest'
import { bundleOf, deploy, run, until, withSql } from '../../../kit/agent.ts'
import { withHost } from '../../../kit/host.ts'
import { at, begin, ended, made, pair, read, terminals, withPair } from '../../../kit/pair.ts'

// Two hosts on one database: whose run it is, and that any of them answers for it.

withPair(
	{
		m: { text: 'Hello.' },
		slow: { text: 'At last.', delayMs: 1500 },
		endless: { text: 'Never.', delayMs: 60_000 },
		drip: { text: 'One two three four five six seven.', dripMs: 100, chunk: 5 },
		long: { text: 'word '.repeat(400), dripMs: 10, chunk: 10 },
	},
	{ MAX_CONCURRENT_RUNS: '100' },
)

describe('a run on one host', () => {
	// Proves: run.other-host
	test('is seen, awaited, streamed and cancelled on the other', async () => {
		const agent = await made('drip')
		const key = { 'idempotency-key': 'shared' }
		const first = await run(pair.one, agent, {}, { ...key, prefer: 'respond-async' })
		const attached = run(pair.two, at(agent, pair.two), {}, key)
		const events = await fetch(`${at(agent, pair.two).url}/runs/${first.body.id}/events`, {
			headers: { authorization: `Bearer ${agent.run_key}` },
		})
		const streamed = await events.text()
		expect((await attached).body).toMatchObject({ id: first.body.id, status: 'succeeded' })
		expect(streamed).toMatch(/event: run\.completed\n/)

		const endless = await made('endless')
		const id = await begin(pair.one, endless)
		const cancelled = await pair.two.call(`${at(endless, pair.two).url}/runs/${id}/cancel`, {
			method: 'POST',
			token: endless.run_key,
		})
		expect(cancelled.body).toMatchObject({ id, status: 'cancelled' })
	})

	// Proves: deployment.stop-drains
	test('of a deployment that the other stops is drained, and the stop says what was in flight', async () => {
		const agent = await made('slow')
		const id = await begin(pair.one, agent)
		await until(async () => (await read(pair.one, agent, id)).status === 'running')
		const stopped = await pair.two.call(`/v1/deployments/${agent.id}/stop`, {
			token: pair.account.token,
			json: { drain_seconds: 10 },
		})
		expect(stopped.body).toMatchObject({
			state: 'stopped',
			in_flight: [{ run: id, status: 'running' }],
			cancelled: [],
		})
		expect((await read(pair.two, agent, id)).status).toBe('succeeded')
		const refused = await run(pair.one, agent)
		expect([refused.status, refused.body.code]).toEqual([409, 'deployment_not_running'])
	})

	test('whose clock is behind is drained like any other', async () => {
		const agent = await made('slow')
		await withSql(pair.one, async (sql) => {
			// As a host dates its runs whose clock is ten minutes off.
			await sql.unsafe(`
				create function behind() returns trigger language plpgsql as
					$$ begin new.created_at = new.created_at - interval '10 minutes'; return new; end $$;
				create trigger behind before insert on runs for each row execute function behind()`)
			const id = await begin(pair.one, agent)
			const stopped = await pair.two.call(`/v1/deployments/${agent.id}/stop`, {
				token: pair.account.token,
				json: { drain_seconds: 10 },
			})
			expect(stopped.body).toMatchObject({ state: 'stopped', in_flight: [{ run: id }], cancelled: [] })
			expect((await read(pair.two, agent, id)).status).toBe('succeeded')
			await sql.unsafe('drop function behind cascade')
		})
	})

	// Proves: deployment.stop-drains
	test('that outlasts the drain is cancelled with its event', async () => {
		const agent = await made('endless')
		const id = await begin(pair.one, agent)
		const answer = run(pair.one, agent)
		await until(async () => (await read(pair.one, agent, id)).status === 'running')
		const stopped = await pair.one.call<{ in_flight: unknown[]; cancelled: string[] }>(
			`/v1/deployments/${agent.id}/stop`,
			{
				token: pair.account.token,
				json: { drain_seconds: 0.2 },
			},
		)
		expect(stopped.body.in_flight).toHaveLength(2)
		expect(stopped.body.cancelled).toHaveLength(2)
		expect((await answer).body).toMatchObject({ status: 409, code: 'cancelled' })
		expect(await terminals(id)).toMatchObject([{ type: 'run.cancelled' }])
	})

	// Proves: deployment.changes-seen
	test('sees a credential and a version that were changed through the other at its next run', async () => {
		const agent = await made('m')
		expect((await run(pair.one, agent)).body.output).toBe('Hello.')
		expect((await run(pair.two, at(agent, pair.two))).body.output).toBe('Hello.')
		const patched = await pair.two.call(`/v1/deployments/${agent.id}`, {
			method: 'PATCH',
			token: pair.account.token,
			json: { name: 'renamed' },
		})
		expect(patched.status).toBe(200)
		// Whether or not the hint has come: the insert finds the change.
		expect((await run(pair.one, agent)).status).toBe(200)
		await pair.two.call(`/v1/deployments/${agent.id}/stop`, { method: 'POST', token: pair.account.token })
		expect((await run(pair.one, agent)).status).toBe(409)
	})
})

describe('a warm run', () => {
	// Proves: run.two-transactions
	test('costs two transactions that write: one as it begins, one as it ends', async () => {
		// Postgres counts transactions for a whole server, so this host has one of its own.
		await withHost({ database: 'embedded', egressAllow: ['127.0.0.1'] }, async (host) => {
			const model = `{ provider: openai, name: m, base_url: "${pair.models.openaiUrl}" }`
			const agent = await deploy(host, await host.account(), await bundleOf({ model }))
			const xid = () =>
				withSql(host, async (sql) => Number((await sql`select pg_current_xact_id()::text as id`)[0]?.id))
			await run(host, agent)
			const before = await xid()
			const runs = 40
			for (let i = 0; i < runs; i++) expect((await run(host, agent)).status).toBe(200)
			// Beside them the host renews its lease.
			expect((await xid()) - before).toBeLessThan(runs * 2 + 25)
		})
	})
})

describe('a host with all the runs it may have', () => {
	// Proves: run.overloaded
	test('answers 503 with Retry-After and makes no run', async () => {
		const agent = await made('endless')
		// At once, with a key that this host has not seen: all of them wait for the same look at it.
		const answers = await Promise.all(
			Array.from({ length: 120 }, () => run(pair.two, at(agent, pair.two), {}, { prefer: 'respond-async' })),
		)
		const ids = answers.filter(({ status }) => status === 202).map(({ body }) => body.id)
		expect(ids).toHaveLength(100)
		const others = [...answers, await run(pair.two, at(agent, pair.two))].filter(
			({ status }) => status !== 202,
		)
		expect(others).toHaveLength(21)
		for (const refused of others) {
			expect([refused.status, refused.body.code]).toEqual([503, 'overloaded'])
			expect(refused.headers.get('retry-after')).toMatch(/^\d+$/)
		}
		await pair.one.call('/v1/runs/cancel', { token: pair.account.token, json: { deployment: agent.id } })
		await Promise.all(ids.map((id) => ended(pair.one, agent, id)))
	})
})

/** Frames of a stream of events, and whether it came to its end. */
async function frames(url: string, key: string, after: string | undefined, most: number): Promise<string[]> {
	const cut = new AbortController()
	const response = await fetch(url, {
		headers: { authorization: `Bearer ${key}`, ...(after !== undefined && { 'last-event-id': after }) },
		signal: cut.signal,
	})
	const found: string[] = []
	let rest = ''
	for await (const chunk of response.body!.pipeThrough(new TextDecoderStream())) {
		const parts = (rest + chunk).split('\n\n')
		rest = parts.pop() ?? ''
		found.push(...parts.filter((part) => part.startsWith('id: ')))
		if (found.length < most) continue
		cut.abort()
		return found.slice(0, most)
	}
	return found
}

describe('a stream', () => {
	// Proves: event.resume
	test('that is cut ten times and gone on with on the other host has the events of one read in one go', async () => {
		const agent = await made('long')
		const id = await begin(pair.one, agent)
		const urlOn = (host: typeof pair.one) => `${at(agent, host).url}/runs/${id}/events`
		const whole = frames(urlOn(pair.one), agent.run_key, undefined, Number.POSITIVE_INFINITY)
		const parts: string[] = []
		for (let cuts = 0; cuts <= 10; cuts++) {
			const after = parts.at(-1) && /^id: (\d+)$/m.exec(parts.at(-1) as string)?.[1]
			const most = cuts === 10 ? Number.POSITIVE_INFINITY : 1 + Math.floor(Math.random() * 4)
			parts.push(...(await frames(urlOn(cuts % 2 ? pair.two : pair.one), agent.run_key, after, most)))
		}
		expect(parts.at(-1)).toContain('event: run.completed')
		expect(parts.filter((part) => part.includes('event: model.delta')).length).toBeGreaterThan(5)
		expect(parts).toEqual(await whole)
	})
})

describe('an Idempotency-Key', () => {
	// Proves: run.idempotency-key
	test('of fifty callers at once on two hosts gives fifty answers and one run', async () => {
		const agent = await made('slow')
		const answers = await Promise.all(
			Array.from({ length: 50 }, (_, i) => {
				const host = i % 2 ? pair.two : pair.one
				return run(host, at(agent, host), {}, { 'idempotency-key': 'fifty' })
			}),
		)
		expect(answers.map(({ status, body }) => [status, body.output])).toEqual(
			answers.map(() => [200, 'At last.']),
		)
		expect(new Set(answers.map(({ body }) => body.id)).size).toBe(1)
		const { body } = await pair.one.call<{ data: unknown[] }>(`${agent.url}/runs`, { token: agent.run_key })
		expect(body.data).toHaveLength(1)
	})
})
