// An owner sees what became of runs: over all deployments, by status and time, and at each deployment.
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { DeploymentPage } from '../../../../host/api/deployments.ts'
import { AccountRun, type AccountRunPage, type Run, RunDetail } from '../../../../host/api/runs.ts'
import { newId } from '../../../../host/lib/ids.ts'
import { bundleOf, deploy, type Running, run, withSql } from '../../../kit/agent.ts'
import { berth } from '../../../kit/berth.ts'
import type { TestAccount, TestHost } from '../../../kit/host.ts'
import { type ModelServer, startModelServer } from '../../../kit/model-server.ts'
import { sharedHost } from '../../../kit/shared-host.ts'

let host: TestHost
let models: ModelServer
let account: TestAccount
let good: Running
let bad: Running

beforeAll(async () => {
	models = await startModelServer({ m: { text: 'Hello!' }, broken: { fault: { status: 401 } } })
	host = await sharedHost()
	account = await host.account({ plan: 'team' })
	const made = async (name: string) =>
		deploy(
			host,
			account,
			await bundleOf({ model: `{ provider: openai, name: ${name}, base_url: "${models.openaiUrl}" }` }),
			name,
		)
	good = await made('m')
	bad = await made('broken')
	for (const at of [good, bad, bad, good]) await run(host, at, {})
})
afterAll(async () => {
	await host?.close()
	await models?.close()
})

const list = async (query: string, token = account.token) =>
	(await host.call<AccountRunPage>(`/v1/runs?${query}`, { token })).body

// Proves: run.list-account
test('runs of all deployments are listed by status, deployment and time, in pages', async () => {
	const all = await list('status=all')
	expect(all.data.map(({ deployment_name }) => deployment_name)).toEqual(['m', 'broken', 'broken', 'm'])
	expect(all.data.map((one) => AccountRun.parse(one))).toEqual(all.data)
	const failed = await list('status=failed&limit=1')
	expect(failed.data).toMatchObject([
		{
			deployment: bad.id,
			status: 'failed',
			error: { code: 'provider_auth_failed' },
			completed_at: expect.any(String),
		},
	])
	const next = await list(`status=failed&limit=1&cursor=${failed.next_cursor}`)
	expect(next).toMatchObject({ data: [{ deployment: bad.id }], next_cursor: null })
	expect(next.data[0]?.id).not.toBe(failed.data[0]?.id)
	expect((await list(`status=succeeded&deployment=${bad.id}`)).data).toEqual([])
	expect((await list('status=cancelled')).data).toEqual([])
	const third = all.data[1]
	expect((await list(`status=all&since=${third?.created_at}`)).data.map(({ id }) => id)).toEqual(
		all.data.slice(0, 2).map(({ id }) => id),
	)
	// Go's zero time, which stands for none.
	expect((await list('status=all&since=0001-01-01T00:00:00Z')).data).toHaveLength(4)
	expect((await list('status=all&until=1969-12-31T00:00:00Z')).data).toEqual([])
	expect((await list('status=all', (await host.account()).token)).data).toEqual([])
	// An ended run has a code, a live one never.
	expect((await list('code=provider_auth_failed')).data).toMatchObject([
		{ status: 'failed' },
		{ status: 'failed' },
	])
	for (const [query, status, code] of [
		['code=provider_auth_faild', 400, 'invalid_request'],
		[`deployment=${newId('dep')}`, 404, 'not_found'],
		[`key=${newId('key')}`, 404, 'not_found'],
	] as const)
		expect(await host.call(`/v1/runs?status=all&${query}`, { token: account.token })).toMatchObject({
			...{ status, body: { code } },
		})
	for (const query of [`deployment=${newId('dep')}`, `key=${newId('key')}`])
		expect((await host.call(`/v1/failures?${query}`, { token: account.token })).status).toBe(404)
	expect((await host.call('/v1/runs?since=yesterday', { token: account.token })).status).toBe(400)
})

// Proves: run.by-id
test('a run is read by its id alone, with what began it, by its owner and by nobody else', async () => {
	const read = (id: string, token = account.token) => host.call<RunDetail>(`/v1/runs/${id}`, { token })
	const [keyed] = (await list('status=all')).data
	const whole = (await host.call<Run>(`${good.url}/runs/${keyed?.id}`, { token: account.token })).body
	const more = { deployment_name: 'm', deployment_url: good.url, key: keyed?.key, schedule: null }
	const found = await read(whole.id)
	expect(found.body).toEqual({ ...whole, ...more })
	expect(RunDetail.parse(found.body)).toEqual(found.body)
	expect(keyed?.key).toMatch(/^key_/)
	const began = { 'idempotency-key': `${newId('sch')}:2026-01-01T00:00:00.000Z` }
	for (const [token, schedule] of [
		[account.token, began['idempotency-key'].split(':')[0]],
		[good.run_key, null],
	] as const) {
		const { id } = (await run(host, good, {}, began, token)).body
		expect((await read(id)).body).toMatchObject({ schedule, key: schedule ? null : keyed?.key })
	}
	const strange = (await host.account()).token
	for (const [id, token] of [
		[whole.id, strange],
		[newId('run'), account.token],
		['run_x', account.token],
	])
		expect((await read(String(id), token)).status).toBe(404)
	await withSql(
		host,
		(sql) => sql`delete from runs where deployment_id = ${good.id} and idempotency_key is not null`,
	)
})

// Proves: deployment.last-activity
test('a deployment says what became of its last run and of those of the last day', async () => {
	// Two days old.
	const old = newId('run').replace(/^run_.{10}/, (id) => `run_${before(id.slice(4))}`)
	await withSql(host, async (sql) => {
		await sql`
			insert into runs (id, deployment_id, version, status, inputs, seed, created_at)
			values (${old}, ${bad.id}, 1, 'failed', '{}', 'x', now() - interval '2 days')`
	})
	const { body } = await host.call<DeploymentPage>('/v1/deployments', { token: account.token })
	expect(body.data.map(({ name, activity }) => ({ name, ...activity }))).toEqual([
		{
			name: 'broken',
			runs_24h: 2,
			failed_24h: 2,
			refused_24h: 0,
			last_run: expect.objectContaining({ status: 'failed', error: 'provider_auth_failed' }),
		},
		{
			name: 'm',
			runs_24h: 2,
			failed_24h: 0,
			refused_24h: 0,
			last_run: expect.objectContaining({ status: 'succeeded', error: null }),
		},
	])
	const one = await host.call(`/v1/deployments/${bad.id}`, { token: account.token })
	expect(one.body.activity).toEqual(body.data[0]?.activity)
	await withSql(host, (sql) => sql`delete from runs where id = ${old}`)
})

test('failures among many runs are found by an index', async () => {
	const { token, ...other } = await host.account({ plan: 'team' })
	const at = await deploy(host, { token, ...other }, await bundleOf({}), 'many')
	await withSql(host, async (sql) => {
		await sql`
			insert into runs (id, deployment_id, version, status, inputs, seed)
			select 'run_' || lpad(n::text, 26, '0'), ${at.id}, 1, case n when 7 then 'failed' else 'succeeded' end, '{}', 'x'
			from generate_series(1, 20000) n`
		await sql`analyze runs`
		const before = await scans(sql)
		expect((await list('status=failed', token)).data).toHaveLength(1)
		const looked = async () => {
			await list('status=failed', token)
			return scans(sql)
		}
		// Postgres counts a scan up to a second later.
		await expect.poll(looked).toBeGreaterThan(before)
		await sql`delete from runs where deployment_id = ${at.id}`
	})
})

test('berth list and berth runs show it', async () => {
	const call = async (...args: string[]) =>
		(await berth(args, { env: { BERTH_URL: host.url, BERTH_TOKEN: account.token } })).stdout
	expect(await call('list')).toMatch(/^broken +running +provider_auth_failed .*Z +2 \(2 failed\) +- +-? ?/m)
	expect(await call('list')).toMatch(/^m +running +succeeded .*Z +2 +- +- /m)
	const failed = await call('runs', '--failed')
	expect(failed).toMatch(/^run_\w+ +broken +failed +v1 .*provider_auth_failed: /m)
	expect(failed).not.toContain('succeeded')
})

const scans = async (sql: Parameters<Parameters<typeof withSql>[1]>[0]) => {
	const [row] = await sql<{ n: number }[]>`
		select idx_scan::int as n from pg_stat_user_indexes where indexrelname = 'runs_failed'`
	return row?.n ?? 0
}

const letters = '0123456789abcdefghjkmnpqrstvwxyz'
/** The time of an id, two days earlier. */
function before(time: string): string {
	const ms = [...time].reduce((sum, letter) => sum * 32 + letters.indexOf(letter), 0) - 2 * 86_400_000
	return Array.from({ length: 10 }, (_, at) => letters[Math.floor(ms / 32 ** (9 - at)) % 32]).join('')
}
