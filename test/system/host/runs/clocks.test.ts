import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeEach, expect, test } from 'vitest'
import type { Run } from '../../../../host/api/runs.ts'
import { run, until } from '../../../kit/agent.ts'
import type { TestHost } from '../../../kit/host.ts'
import { at, begin, ended, journal, made, pair, third, withOne } from '../../../kit/pair.ts'
import { startReceiver } from '../../../kit/receiver.ts'

// A host whose clock is wrong, or is put right under its runs, does what the others do: durations are measured by a clock
// that nobody sets, and what hosts tell each other is dated by the database's.

withOne({
	m: { text: 'Hello.' },
	slow: { text: 'At last.', delayMs: 1200 },
	endless: { text: 'Never.', delayMs: 60_000 },
})

const hourMs = 3_600_000
const dir = mkdtempSync(join(tmpdir(), 'berth-clock-'))
const file = join(dir, 'offset')
const clock = new URL('../../../kit/clock.mjs', import.meta.url)
clock.searchParams.set('offset', file)
const set = (ms: number) => writeFileSync(file, String(ms))

let wrong: TestHost
// One test kills it, and may come first.
let killed = true
beforeEach(async () => {
	if (!killed) return
	set(hourMs)
	wrong = await third({ NODE_OPTIONS: `--import=${clock}` })
	killed = false
})
afterAll(async () => {
	await wrong?.close()
	rmSync(dir, { recursive: true, force: true })
})

const isNow = (time: string | null) => Math.abs(Date.parse(time ?? '') - Date.now()) < 60_000

// Proves: journal.clock-skew
test.each([
	['ahead', hourMs],
	['behind', -hourMs],
])('a host an hour %s dates runs, events and webhooks like the others', async (_, offset) => {
	set(offset)
	const receiver = await startReceiver()
	const agent = await made('m')
	const endpoint = await pair.one.call(`/v1/deployments/${agent.id}/endpoints`, {
		token: pair.account.token,
		json: { url: receiver.url },
	})
	expect(endpoint.status).toBe(201)
	const { id } = (await run(wrong, at(agent, wrong))).body
	const { body } = await pair.one.call<Run>(`${agent.url}/runs/${id}`, { token: agent.run_key })
	expect([body.status, ...[body.created_at, body.started_at, body.completed_at].map(isNow)]).toEqual([
		'succeeded',
		true,
		true,
		true,
	])
	// Whoever receives a webhook refuses one that is dated five minutes off, and the wrong host may be the one that sends it.
	const got = await until(async () => receiver.received.find(({ body }) => body.includes(id)))
	expect(isNow(new Date(Number(got.headers['webhook-timestamp']) * 1000).toISOString())).toBe(true)
	expect(isNow((JSON.parse(got.body) as { timestamp: string }).timestamp)).toBe(true)
	const soon = new Date(Date.now() + hourMs / 2).toISOString()
	const json = { name: 'soon', expires_at: soon }
	const token = await wrong.call<{ token: string }>('/v1/tokens', { token: pair.account.token, json })
	expect(token.status).toBe(201)
	const used = await Promise.all(
		[wrong, pair.one].map((host) => host.call('/v1/account', { token: token.body.token })),
	)
	expect(used.map(({ status }) => status)).toEqual([200, 200])
	await receiver.close()
})

// Proves: journal.clock-skew
test.each([
	['put forward', 0, hourMs],
	['put back', hourMs, 0],
])('a run whose host’s clock is %s goes on to its end', async (_, before, after) => {
	set(before)
	const agent = await made('slow')
	const asked = pair.models.requests.length
	const answer = run(wrong, at(agent, wrong))
	await until(async () => pair.models.requests.length > asked)
	set(after)
	expect((await answer).body).toMatchObject({ status: 'succeeded', output: 'At last.' })
	const entries = (await journal((await answer).body.id)) as unknown as { at: number; type: string }[]
	expect(entries.map((entry) => entry.at)).toEqual(entries.map((entry) => entry.at).toSorted())
	const [first, last] = [entries[0]?.at ?? 0, entries.at(-1)?.at ?? 0]
	expect(last - first).toBeGreaterThan(1_000)
	expect(last - first).toBeLessThan(hourMs / 2)
})

// Proves: journal.clock-skew
test('a run that two hosts an hour apart execute in turn has its time only once', async () => {
	set(hourMs)
	const agent = await made('slow')
	const id = await begin(wrong, agent)
	await until(async () => (await journal(id)).some(({ type }) => type === 'model.started'))
	killed = true
	await wrong.kill('SIGKILL')
	const done = await ended(pair.one, agent, id)
	expect(done).toMatchObject({ status: 'succeeded', output: 'At last.' })
	expect(isNow(done.completed_at)).toBe(true)
	await wrong.close()
})
