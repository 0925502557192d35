// How long ended runs are kept, what is left of them afterwards, and erasure on request.
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { AuditEntry } from '../../../../host/api/audit.ts'
import { ErasedRun, Run, RunDetail } from '../../../../host/api/runs.ts'
import type { Sql } from '../../../../host/db/index.ts'
import { firstId } from '../../../../host/lib/ids.ts'
import { deletesFrom } from '../../../../host/runs/retention/grace.ts'
import { sweepExpired } from '../../../../host/runs/retention/sweep.ts'
import type { Attempted } from '../../../../host/webhooks/attempt.ts'
import type { Due } from '../../../../host/webhooks/claim.ts'
import { attemptWriter } from '../../../../host/webhooks/settle.ts'
import { bundleOf, deploy, type Running, run, until, withSql } from '../../../kit/agent.ts'
import { berth } from '../../../kit/berth.ts'
import { startHost, type TestAccount, type TestHost } from '../../../kit/host.ts'
import { type ModelServer, startModelServer } from '../../../kit/model-server.ts'
import { type Receiver, startReceiver } from '../../../kit/receiver.ts'

const day = 86_400_000
const files = {
	'agent.ts': `import { agent } from 'berth'\nexport default agent(async (_, ctx) => { await ctx.approve('Go on?'); return 'gone on' })\n`,
}

let host: TestHost
let models: ModelServer
let receiver: Receiver
let account: TestAccount
let quick: Running
let other: Running
let asking: Running

beforeAll(async () => {
	models = await startModelServer({ m: { text: 'Hello.' } })
	receiver = await startReceiver()
	host = await startHost({ egressAllow: ['127.0.0.1'] })
	account = await host.account({ plan: 'team' })
	const bundle = await bundleOf({ model: `{ provider: openai, name: m, base_url: "${models.openaiUrl}" }` })
	quick = await deploy(host, account, bundle)
	other = await deploy(host, account, bundle)
	asking = await deploy(host, account, await bundleOf({ files }))
	await owner(`/v1/deployments/${other.id}/endpoints`, 'POST', { url: receiver.url })
})
afterAll(async () => {
	await host?.close()
	await Promise.all([models?.close(), receiver?.close()])
})

const owner = (path: string, method = 'GET', json?: object) =>
	host.call<Record<string, unknown> & { data: { id: string; status: string }[] }>(path, {
		method,
		token: account.token,
		...(json && { json }),
	})
const keep = (at: Running, retain_days: number | null) =>
	owner(`/v1/deployments/${at.id}`, 'PATCH', { retain_days })
const daysOf = (found: Record<string, unknown>) =>
	(Date.parse(String(found.expires_at)) - Date.parse(String(found.completed_at))) / day
const sql = <T>(use: (sql: Sql) => Promise<T>) => withSql(host, (sql) => use(sql as unknown as Sql))

let made = 0

/** A run as it would be had it begun and ended so long ago, with one row of each kind that tells of it. */
async function aged(at: Running, days: number, status = 'succeeded'): Promise<string> {
	const ms = Date.now() - days * day - ++made * 1000
	const id = firstId('run', ms)
	const ended = status === 'waiting' ? null : new Date(ms + 1000)
	await sql(async (sql) => {
		const [endpoint] = await sql`select id from endpoints where deployment_id = ${at.id}`
		await sql`
			insert into runs (id, deployment_id, version, status, inputs, output, seed, created_at, completed_at)
			values (${id}, ${at.id}, 1, ${status}, '{}', '"x"', 's', ${new Date(ms)}, ${ended})`
		await sql`insert into journal (run_id, first_seq, last_seq, entries) values (${id}, 1, 2, '[]')`
		await sql`
			insert into approvals (run_id, id, approved, account_id)
			values (${id}, ${firstId('apr', ms)}, true, ${account.id})`
		if (!endpoint) return
		const delivery = firstId('dlv', ms + 1000)
		await sql`
			insert into deliveries (id, endpoint_id, event_id, run_id, type, body, status, attempts, created_at)
			values (${delivery}, ${endpoint.id}, 'evt_1', ${id}, 'run.completed', '{}', 'delivered', 1, ${new Date(ms)})`
		await sql`insert into attempts (delivery_id, attempt, latency_ms) values (${delivery}, 1, 5)`
	})
	return id
}

/** Rows that tell of a run, by table. */
const left = (id: string) =>
	sql(async (sql) => {
		const [row] = await sql`
			select (select count(*) from runs where id = ${id})::int as runs,
				(select count(*) from journal where run_id = ${id})::int as journal,
				(select count(*) from approvals where run_id = ${id})::int as approvals,
				(select count(*) from deliveries where run_id = ${id})::int as deliveries`
		return row
	})
const all = { runs: 1, journal: 1, approvals: 1, deliveries: 1 }
const none = { runs: 0, journal: 0, approvals: 0, deliveries: 0 }

// Proves: retention.expires-at, retention.fewest-days, retention.limit
test('a run says until when it is kept: the fewest days of host, plan and deployment', async () => {
	const answered = (await run(host, quick)).body
	expect(daysOf(Run.parse(answered))).toBe(30)
	const read = async () => {
		const one = await owner(`${quick.url}/runs/${answered.id}`)
		const detail = RunDetail.parse((await owner(`/v1/runs/${answered.id}`)).body)
		return [daysOf(one.body), daysOf(detail)]
	}
	/** Of a plan, hosts hear a moment later. */
	const become = (days: number) => until(async () => (await read()).every((one) => one === days))
	expect(await read()).toEqual([30, 30])
	expect((await keep(quick, 7)).body.retain_days).toBe(7)
	expect(await read()).toEqual([7, 7])
	expect(daysOf((await run(host, quick)).body)).toBe(7)
	const refused = await keep(quick, 31)
	expect(refused.status).toBe(400)
	expect(refused.body).toMatchObject({
		errors: [{ path: '/retain_days' }],
		detail: expect.stringContaining('30'),
	})
	const plan = (retain_days: number | null) =>
		host.call('/v1/admin/plans/team', {
			method: 'PUT',
			token: host.operator,
			json: { running_agents: 25, paid: true, retain_days },
		})
	expect((await plan(3)).status).toBe(200)
	await become(3)
	expect((await keep(quick, 7)).status).toBe(400)
	expect((await plan(null)).status).toBe(200)
	await become(7)
	await keep(quick, null)
	const waiting = (await run(host, asking, {}, { prefer: 'respond-async' })).body
	expect(waiting.expires_at).toBeNull()
})

// Proves: retention.hidden
test('an expired run is in no answer, and by id the answer says how long runs are kept', async () => {
	const id = await aged(quick, 31)
	const kept = await aged(quick, 29)
	const missing = await owner(`${quick.url}/runs/${id}`)
	expect(missing.status).toBe(404)
	expect(missing.body.detail).toContain('30 days')
	for (const path of [
		`/v1/runs/${id}`,
		`${quick.url}/runs/${id}/events`,
		`${quick.url}/runs/${id}/approvals`,
	])
		expect((await owner(path)).status).toBe(404)
	expect((await owner(`/v1/runs/${id}/replay`, 'POST')).status).toBe(404)
	const since = new Date(Date.now() - 90 * day).toISOString()
	for (const list of [
		`${quick.url}/runs?limit=100`,
		'/v1/runs?status=all',
		`/v1/runs?status=all&since=${since}`,
	]) {
		const ids = (await owner(list)).body.data.map(({ id }) => id)
		expect(ids).toContain(kept)
		expect(ids).not.toContain(id)
	}
	await keep(quick, 40)
	expect((await owner(`${quick.url}/runs/${kept}`)).status).toBe(200)
	await keep(quick, 5)
	expect((await owner(`${quick.url}/runs/${kept}`)).status).toBe(404)
	await keep(quick, null)
	expect((await owner(`${quick.url}/runs/${kept}`)).status).toBe(200)
})

// Proves: retention.deleted, retention.grace
test('expired runs are deleted with all that tells of them; what has not ended, and what is younger, stays', async () => {
	const many = await Promise.all(Array.from({ length: 12 }, () => aged(other, 33)))
	const [young, waiting, short] = [
		await aged(other, 29),
		await aged(other, 60, 'waiting'),
		await aged(quick, 6),
	]
	const sweep = (byHost: boolean) =>
		sql((sql) =>
			sweepExpired({ sql, config: { RETAIN_RUNS_DAYS: 30 }, signal: new AbortController().signal }, byHost),
		)
	// The host has just begun with its setting: for a day, it only hides. It had no run to warn of.
	expect(host.logs().join('\n')).not.toContain('are hidden now')
	expect(await sql((sql) => deletesFrom(sql, 30))).toMatchObject({ now: false, begun: false })
	await keep(quick, 5)
	await sweep(false)
	await keep(quick, null)
	expect(await left(many[0] ?? '')).toEqual(all)
	// Of less than two weeks the journal goes at once; of more it goes with its week.
	expect(await left(short)).toEqual(none)
	await sql((sql) => sql`update settings set value = '{"days":30,"from":0}' where name = 'retain_runs'`)
	expect(await sql((sql) => deletesFrom(sql, 30))).toMatchObject({ now: true, begun: false })
	expect(await sweep(true)).toBeGreaterThanOrEqual(12)
	expect(await sweep(true)).toBe(0)
	for (const id of many) expect(await left(id)).toEqual({ ...none, journal: 1 })
	expect(await left(young)).toEqual(all)
	expect(await left(waiting)).toEqual(all)
	expect(await sql((sql) => sql`select 1 from attempts`)).toHaveLength(2)
	// More days act at once, and fewer begin another day.
	expect(await sql((sql) => deletesFrom(sql, 0))).toMatchObject({ now: true, begun: false })
	expect(await sql((sql) => deletesFrom(sql, 20))).toMatchObject({ now: false, begun: true })
	expect(await sql((sql) => deletesFrom(sql, 20))).toMatchObject({ now: false, begun: false })
})

// Proves: retention.erase-run, retention.fewest-days
test('berth erase and berth retain do the same', async () => {
	const env = { BERTH_URL: host.url, BERTH_TOKEN: account.token }
	const { id } = (await run(host, other)).body
	expect((await berth(['erase', id, '--json'], { env })).code).toBe(2)
	const erased = await berth(['erase', id, '--deployment', other.name, '--yes', '--json'], { env })
	expect(JSON.parse(erased.stdout)).toMatchObject({ run: id })
	expect(await left(id)).toEqual(none)
	const kept = await berth(['retain', other.name, '30', '--json'], { env })
	expect(JSON.parse(kept.stdout)).toMatchObject({ retain_days: 30 })
	// Runs that are older go: nobody loses them by a slip.
	await aged(other, 5)
	const unasked = await berth(['retain', other.name, '4'], { env })
	expect([unasked.code, unasked.stderr]).toEqual([2, expect.stringContaining('--yes')])
	expect((await owner(`/v1/deployments/${other.id}`)).body.retain_days).toBe(30)
	const agreed = await berth(['retain', other.name, '4', '--yes'], { env })
	expect(agreed.stdout).toBe(`ended runs of ${other.name} are kept 4 days\n`)
	await keep(other, null)
})

// Proves: retention.erase-run
test('the owner erases a run of a deleted deployment by its id', async () => {
	const gone = await deploy(
		host,
		account,
		await bundleOf({ model: `{ provider: openai, name: m, base_url: "${models.openaiUrl}" }` }),
		'gone',
	)
	const ids = await Promise.all([0, 1].map(async () => (await run(host, gone)).body.id))
	const [one = '', two = ''] = ids
	expect(
		(await host.call(`/v1/deployments/${gone.id}`, { method: 'DELETE', token: account.token })).status,
	).toBeLessThan(300)
	const erase = (token: string) => host.call(`/v1/runs/${one}`, { method: 'DELETE', token })
	expect((await erase((await host.account()).token)).status).toBe(404)
	const erased = await until(async () => {
		const answer = await erase(account.token)
		return answer.status !== 409 && answer
	})
	expect(ErasedRun.parse(erased.body)).toMatchObject({ run: one })
	expect(await left(one)).toEqual(none)
	const env = { BERTH_URL: host.url, BERTH_TOKEN: account.token }
	expect((await berth(['erase', two, '--yes', '--json'], { env })).code).toBe(0)
	expect(await left(two)).toEqual(none)
})

// Proves: retention.erase-run
test('the owner erases an ended run: nothing of it is left, and the audit log keeps the receipt', async () => {
	const { id } = (await run(host, other)).body
	await until(async () => receiver.received.find(({ body }) => body.includes(id)))
	await until(async () =>
		sql(
			async (sql) => (await sql`select from deliveries where run_id = ${id} and status = 'delivered'`).length,
		),
	)
	const erase = (run: string, at = other, token = account.token) =>
		host.call(`${at.url}/runs/${run}`, { method: 'DELETE', token })
	expect((await erase(id, other, other.run_key)).status).toBe(403)
	expect((await erase(id, other, (await host.account()).token)).status).toBe(404)
	expect((await erase(id, quick)).status).toBe(404)
	const erased = await erase(id)
	expect(erased.status).toBe(200)
	const receipt = ErasedRun.parse(erased.body)
	expect(receipt).toMatchObject({ run: id, journal: expect.any(Number), deliveries: 1, attempts: 1 })
	expect(await left(id)).toEqual(none)
	expect((await erase(id)).status).toBe(404)
	expect((await owner(`${other.url}/runs/${id}/events`)).status).toBe(404)
	const entry = await until(async () =>
		(await host.call<{ data: AuditEntry[] }>('/v1/audit?operation=eraseRun', account)).body.data.find(
			({ request_id }) => request_id === receipt.request_id,
		),
	)
	expect(entry).toMatchObject({ status: 200, target: { run: id, deliveries: '1' } })
	const live = (await run(host, asking, {}, { prefer: 'respond-async' })).body.id
	const refused = await erase(live, asking)
	expect(refused.body).toMatchObject({ code: 'conflict', detail: expect.stringContaining('Cancel') })
})

/** Until a statement of somebody else waits for a lock. */
const waits = () =>
	until(() => sql(async (sql) => (await sql`select 1 from pg_locks where not granted`).length > 0))
const deliveryOf = (run: string) =>
	sql(async (sql) => (await sql`select id from deliveries where run_id = ${run}`)[0]?.id as string)

// Proves: retention.erase-while-sent
test('a run is erased with an attempt that is being written', async () => {
	const id = await aged(other, 1)
	const delivery = await deliveryOf(id)
	const erased = await sql((sql) =>
		sql.begin(async (tx) => {
			await tx`insert into attempts (delivery_id, attempt, latency_ms) values (${delivery}, 2, 5)`
			await tx`update deliveries set attempts = 2 where id = ${delivery}`
			const answer = host.call(`${other.url}/runs/${id}`, { method: 'DELETE', token: account.token })
			await waits()
			return { answer }
		}),
	)
	const { status, body } = await erased.answer
	expect([status, body]).toMatchObject([200, { deliveries: 1, attempts: 2 }])
	expect(await left(id)).toEqual(none)
})

// Proves: retention.erase-while-sent
test('an attempt of a run that is being erased is nothing to write, and no fault', async () => {
	const delivery = await deliveryOf(await aged(other, 1))
	const due = { id: delivery, attempt: 2, tried: 1, type: 'run.completed' } as Due
	const attempted = {
		status: 200,
		latencyMs: 5,
		error: null,
		answer: '',
		void: false,
	} as unknown as Attempted
	const { written } = await sql(async (sql) => {
		const write = attemptWriter(sql)
		return sql.begin(async (tx) => {
			await tx`delete from attempts where delivery_id = ${delivery}`
			await tx`delete from deliveries where id = ${delivery}`
			const written = write({ due, attempted, nextMs: null }).catch((error) => error)
			await waits()
			return { written }
		})
	})
	expect(await written).toBe(null)
})
