import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Run } from '../../../../host/api/runs.ts'
import type { Schedule } from '../../../../host/api/schedules.ts'
import { bundleOf, deploy, type Running, until, upload, withSql } from '../../../kit/agent.ts'
import { startHost, type TestAccount, type TestHost } from '../../../kit/host.ts'
import { type ModelServer, startModelServer } from '../../../kit/model-server.ts'
import { type Receiver, startReceiver } from '../../../kit/receiver.ts'
import { sharedHost, startBeside } from '../../../kit/shared-host.ts'

// Schedules, on two hosts of one database. Five fields know no seconds: a time is made to come by putting it
// into the past.

let models: ModelServer
let receiver: Receiver
let one: TestHost
let two: TestHost
let account: TestAccount

beforeAll(async () => {
	models = await startModelServer({ m: { text: 'Hello.' } })
	receiver = await startReceiver()
	one = await sharedHost()
	two = await startBeside(one)
	account = await one.account({ plan: 'team' })
})
afterAll(async () => {
	// Which stops its agents: no schedule of theirs fires while another file uses the host.
	const call = { method: 'PATCH', token: one.operator, json: { disabled: true } }
	await one.call(`/v1/admin/accounts/${account.id}`, call)
	await Promise.all([one?.close(), two?.close(), receiver?.close()])
	await models?.close()
})

const inputs = (name: string) =>
	`inputs: { type: object, properties: { ${name}: { type: string } }, required: [${name}], additionalProperties: false }\n`
const bundle = (yaml = '') =>
	bundleOf({ model: `{ provider: openai, name: m, base_url: "${models.openaiUrl}" }`, yaml })
const made = async (yaml = '') => deploy(one, account, await bundle(yaml))
const path = ({ id }: Running, rest = '') => `/v1/deployments/${id}/schedules${rest}`
const add = (agent: Running, json: object) =>
	one.call<Schedule & { code: string; errors: { path: string }[] }>(path(agent), {
		token: account.token,
		json: { cron: '0 9 * * *', ...json },
	})
const read = async (agent: Running, id: string) =>
	(await one.call<Schedule>(path(agent, `/${id}`), { token: account.token })).body
const patch = (agent: Running, id: string, json: object) =>
	one.call<Schedule>(path(agent, `/${id}`), { method: 'PATCH', token: account.token, json })
/** Its time came so long ago. */
const come = (id: string, ago: string) =>
	withSql(one, (sql) => sql`update schedules set next_at = now() - ${ago}::interval where id = ${id}`)
const runsOf = async (agent: Running) =>
	(await one.call<{ data: Run[] }>(`${agent.url}/runs`, { token: account.token })).body.data
const stored = (id: string) =>
	withSql(one, async (sql) => (await sql`select next_at, lease_until from schedules where id = ${id}`)[0])

describe('a schedule', () => {
	// Proves: schedule.lifecycle
	test('is made, shown with its next five times, paused, resumed, changed and deleted', async () => {
		const agent = await made()
		const { status, body } = await add(agent, { cron: '30 2 * * *', timezone: 'Europe/Berlin' })
		expect([status, body.missed, body.enabled, body.inputs]).toEqual([201, 'skip', true, {}])
		expect(body.next_times).toHaveLength(5)
		expect(body.next_times.every((at) => Date.parse(at) > Date.now())).toBe(true)
		expect(await read(agent, body.id)).toEqual(body)

		expect((await patch(agent, body.id, { enabled: false })).body).toMatchObject({
			enabled: false,
			next_times: [],
		})
		expect((await stored(body.id))?.next_at).toBeNull()
		const changed = await patch(agent, body.id, { enabled: true, cron: '0 0 1 1 *', timezone: 'UTC' })
		expect(changed.body.next_times[0]).toMatch(/-01-01T00:00:00.000Z$/)
		expect((await stored(body.id))?.next_at.toISOString()).toBe(changed.body.next_times[0])

		const gone = await one.call(path(agent, `/${body.id}`), { method: 'DELETE', token: account.token })
		expect(gone.status).toBe(204)
		const list = await one.call<{ data: Schedule[] }>(path(agent), { token: account.token })
		expect(list.body.data).toEqual([])
	})

	// Proves: schedule.inputs-checked
	test('is refused when its inputs do not fit the agent, and is not there for others', async () => {
		const agent = await made(inputs('who'))
		const refused = await add(agent, { inputs: { whom: 'Ann' } })
		expect([refused.status, refused.body.code]).toEqual([422, 'inputs_invalid'])
		const bad = await add(agent, { inputs: { who: 'Ann' }, cron: 'now and then' })
		expect([bad.status, bad.body.errors[0]?.path]).toEqual([400, '/cron'])
		const minute = await add(agent, { inputs: { who: 'Ann' }, cron: '61 * * * *' })
		expect(minute.body.errors).toEqual([
			{ path: '/cron', message: expect.stringMatching(/^is not valid: .*61/) },
		])
		const fine = await add(agent, { inputs: { who: 'Ann' } })
		const stranger = await one.account()
		const seen = await two.call(path(agent, `/${fine.body.id}`), { token: stranger.token })
		expect(seen.status).toBe(404)
	})

	test('whose inputs hold what a database cannot is answered alike when its Idempotency-Key comes again', async () => {
		const agent = await made(inputs('who'))
		const again = () =>
			one.call<Schedule>(path(agent), {
				token: account.token,
				json: { cron: '0 9 * * *', inputs: { who: 'a\0b' } },
				headers: { 'idempotency-key': 'nul' },
			})
		const first = await again()
		expect([first.status, first.body.inputs]).toEqual([201, { who: 'a\0b' }])
		const second = await again()
		expect([second.text, second.headers.get('idempotency-replayed')]).toEqual([first.text, 'true'])
	})

	// Proves: schedule.one-run
	test('whose time comes makes one run, on whichever of two hosts, and its webhook is sent', async () => {
		const agent = await made(inputs('who'))
		await one.call(`/v1/deployments/${agent.id}/endpoints`, {
			token: account.token,
			json: { url: receiver.url },
		})
		const schedules = await Promise.all(
			Array.from({ length: 10 }, async (_, i) => (await add(agent, { inputs: { who: `n${i}` } })).body.id),
		)
		await withSql(
			one,
			(sql) => sql`update schedules set next_at = now() - interval '1 second' where id = any(${schedules})`,
		)
		const fired = await Promise.all(
			schedules.map((id) =>
				until(async () => {
					const now = await read(agent, id)
					return now.last_run !== null && now
				}),
			),
		)
		const runs = await until(async () => {
			const all = await runsOf(agent)
			return all.every(({ completed_at }) => completed_at) && all
		})
		expect(runs).toHaveLength(10)
		expect(runs.map(({ id }) => id).sort()).toEqual(fired.map(({ last_run }) => last_run).sort())
		for (const { last_run, inputs, last_error } of fired) {
			expect(last_error).toBeNull()
			expect(runs.find(({ id }) => id === last_run)).toMatchObject({ inputs, status: 'succeeded' })
		}
		await until(async () => receiver.received.length >= 10)
		expect(new Set(receiver.received.map(({ body }) => JSON.parse(body).data.id)).size).toBe(10)
	})

	// Proves: schedule.host-died
	test('makes no second run when the host died between the run and writing it down', async () => {
		const agent = await made()
		const { id } = (await add(agent, {})).body
		const at = new Date(Date.now() - 2000)
		const put = () =>
			withSql(
				one,
				(sql) =>
					sql`update schedules set next_at = ${at}, last_run_id = null, lease_until = null where id = ${id}`,
			)
		const fired = () => until(async () => (await read(agent, id)).last_run)
		await put()
		const first = await fired()
		await put()
		expect(await fired()).toBe(first)
		expect(await runsOf(agent)).toHaveLength(1)
	})
})

describe('a time that was missed', () => {
	// Proves: schedule.missed
	test('is left out by skip, and made up for once by run_once', async () => {
		const agent = await made()
		const skip = (await add(agent, { cron: '* * * * *', missed: 'skip' })).body.id
		const once = (await add(agent, { cron: '0 0 1 1 *', missed: 'run_once' })).body.id
		await Promise.all([come(skip, '3 days'), come(once, '3 days')])
		await until(async () => (await read(agent, skip)).skipped_at)
		const { last_run } = await until(async () => {
			const now = await read(agent, once)
			return now.last_run !== null && now
		})
		expect((await read(agent, once)).skipped_at).toBeNull()
		expect((await runsOf(agent)).map(({ id }) => id)).toContain(last_run)
		expect((await stored(once))?.next_at.getTime()).toBeGreaterThan(Date.now())
	})

	// Proves: schedule.stopped
	test('waits while the deployment is stopped, and is missed when it runs again', async () => {
		const agent = await made()
		const call = (what: string) =>
			one.call(`/v1/deployments/${agent.id}/${what}`, { method: 'POST', token: account.token })
		const other = await made()
		const id = (await add(agent, { missed: 'run_once' })).body.id
		const seen = (await add(other, {})).body.id
		await call('stop')
		await Promise.all([come(id, '1 hour'), come(seen, '1 second')])
		// The sweep has been there: it fired the other one.
		await until(async () => (await read(other, seen)).last_run)
		expect(await read(agent, id)).toMatchObject({ last_run: null, last_error: null })
		await call('start')
		await until(async () => (await read(agent, id)).last_run)
		expect(await runsOf(agent)).toHaveLength(1)
	})
})

// Proves: schedule.clock-ahead
test('a host whose clock is ahead finds no time missed that has just come', async () => {
	const dir = mkdtempSync(join(tmpdir(), 'berth-ahead-'))
	const program = join(dir, 'host.mjs')
	writeFileSync(
		program,
		`const { now } = Date
globalThis.Date = class extends Date {
	constructor(...at) { super(...(at.length === 0 ? [now() + 600_000] : at)) }
	static now() { return now() + 600_000 }
}
await import(${JSON.stringify(new URL('../../../../dist/host.mjs', import.meta.url).href)})
`,
	)
	const ahead = await startHost({ program, egressAllow: ['127.0.0.1'] })
	try {
		const owner = await ahead.account()
		const agent = await deploy(ahead, owner, await bundle())
		const call = (of: string, json?: object) =>
			ahead.call<Schedule>(path(agent, of), { token: owner.token, ...(json && { json }) })
		const { id } = (await call('', { cron: '0 9 * * *' })).body
		await withSql(
			ahead,
			(sql) => sql`update schedules set next_at = now() - interval '1 second' where id = ${id}`,
		)
		const fired = await until(async () => {
			const { body } = await call(`/${id}`)
			return (body.last_run ?? body.skipped_at) && body
		})
		expect(fired).toMatchObject({ last_run: expect.any(String), skipped_at: null })
	} finally {
		await ahead.close()
		rmSync(dir, { recursive: true })
	}
})

describe('a version that a live schedule does not fit', () => {
	const at = ({ id }: Running, rest = '') => `/v1/deployments/${id}/versions${rest}`
	type Told = { version: number; unfit_schedules: { schedule: string; errors: object[] }[]; ok?: boolean }

	// Proves: schedule.unfit, deployment.version-dry-run
	test('is told by update, dry run and rollback, with the input, and the schedule stays', async () => {
		const agent = await made(inputs('who'))
		const id = (await add(agent, { inputs: { who: 'Ann' } })).body.id
		const paused = (await add(agent, { inputs: { who: 'Bob' } })).body.id
		await patch(agent, paused, { enabled: false })
		const next = await bundle(inputs('name'))
		const send = (rest = '', bytes = next) =>
			one.call<Told>(at(agent, rest), { token: account.token, body: upload(bytes) })
		const errors = [
			{ path: '/inputs/name', message: 'is required' },
			{ path: '/inputs/who', message: 'is not allowed here' },
		]
		const unfit = [{ schedule: id, cron: '0 9 * * *', timezone: 'UTC', errors }]

		const dry = await send('?dry_run=true')
		expect(dry).toMatchObject({ status: 200, body: { ok: true, unfit_schedules: unfit } })
		const broken = await send('?dry_run=true', new Uint8Array([1, 2, 3]))
		expect(broken).toMatchObject({ status: 200, body: { ok: false, faults: [{ code: 'bundle_invalid' }] } })
		const list = await one.call<{ data: unknown[] }>(at(agent), { token: account.token })
		expect(list.body.data).toHaveLength(1)

		expect(await send()).toMatchObject({ status: 201, body: { version: 2, unfit_schedules: unfit } })
		expect(await read(agent, id)).toMatchObject({ enabled: true, inputs: { who: 'Ann' } })
		const activate = (version: number) =>
			one.call<Told>(at(agent, `/${version}/activate`), { method: 'POST', token: account.token })
		expect((await activate(1)).body.unfit_schedules).toEqual([])
		expect((await activate(2)).body.unfit_schedules).toMatchObject(unfit)
		const shown = await one.call<Told>(at(agent, '/2'), { token: account.token })
		expect(shown.body.unfit_schedules).toMatchObject(unfit)
	})

	// Proves: schedule.unfit-resumed
	test('is refused when it is resumed after a pause, unless it gets other inputs', async () => {
		const agent = await made(inputs('who'))
		const paused = (await add(agent, { inputs: { who: 'Bob' } })).body.id
		await patch(agent, paused, { enabled: false })
		const body = upload(await bundle(inputs('name')))
		const version = await one.call(`/v1/deployments/${agent.id}/versions`, { token: account.token, body })
		expect(version.status).toBe(201)
		const resumed = await patch(agent, paused, { enabled: true })
		expect(resumed).toMatchObject({ status: 422, body: { code: 'inputs_invalid' } })
		expect(await read(agent, paused)).toMatchObject({ enabled: false })
		const inputsToo = await patch(agent, paused, { enabled: true, inputs: { name: 'Bob' } })
		expect(inputsToo).toMatchObject({ status: 200, body: { enabled: true } })
	})

	// Proves: schedule.unfit
	test('names no other schedule for one whose check takes too long', async () => {
		const agent = await made('inputs: { type: object, properties: { a: { type: string } } }\n')
		const slow = (await add(agent, { inputs: { a: `${'a'.repeat(40)}!` } })).body.id
		await add(agent, { inputs: { a: 'aa' } })
		const unfitOf = async (pattern: string) => {
			const yaml = `inputs: { type: object, properties: { a: { type: string, pattern: "${pattern}" } } }\n`
			const body = upload(await bundle(yaml))
			const dry = await one.call<Told>(at(agent, '?dry_run=true'), { token: account.token, body })
			return dry.body.unfit_schedules
		}
		for (let looks = 0; looks < 4; looks++)
			expect(await unfitOf('^(a+)+$')).toMatchObject([{ schedule: slow }])
		expect(await unfitOf('^a+!?$')).toEqual([])
	})
})

describe('a time whose run is refused', () => {
	// Proves: schedule.refused-run-shown
	test('is shown with the reason, and the schedule goes on', async () => {
		const agent = await made(inputs('who'))
		const id = (await add(agent, { inputs: { who: 'Ann' } })).body.id
		const version = await one.call(`/v1/deployments/${agent.id}/versions`, {
			token: account.token,
			body: upload(await bundle(inputs('name'))),
		})
		expect(version.status).toBe(201)
		await come(id, '1 second')
		const failed = await until(async () => {
			const now = await read(agent, id)
			return now.last_error && now
		})
		expect(failed).toMatchObject({ last_run: null, last_error: { code: 'inputs_invalid' }, enabled: true })
		expect((await stored(id))?.next_at.getTime()).toBeGreaterThan(Date.now())
		expect(await runsOf(agent)).toEqual([])
	})
})
