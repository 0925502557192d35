import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { openWindows, type Windows } from '../../../connector/guard/windows.ts'
import type { Database } from '../../../host/db/index.ts'
import { addHistory } from '../../kit/guard.ts'
import { openTestDatabase } from '../../kit/guard-database.ts'

// Two hosts on one database: at most 120 admitted calls in any 60 s, 20,000 in any 24 h.

const minute = 60_000

let database: Database
let hosts: [Windows, Windows]
let now: number
let account: string
let accounts = 0

beforeAll(async () => {
	database = await openTestDatabase()
})
afterAll(() => database?.close())
beforeEach(() => {
	now = Date.UTC(2026, 10, 21)
	account = `acc_${accounts++}`
	hosts = [openWindows(database.sql, () => now), openWindows(database.sql, () => now)]
})

async function admitted(calls: number): Promise<number> {
	const asked = Array.from({ length: calls }, (_, i) => (hosts[i % 2] as Windows).admit(account))
	return (await Promise.all(asked)).filter((answer) => answer.admitted).length
}

describe('the windows of an account', () => {
	// Proves: guard-limit.windows
	it('let 120 of 300 calls at once through, on two hosts together', async () => {
		expect(await admitted(300)).toBe(120)
	})
	// Proves: guard-limit.windows
	it('slide: what was admitted 60 s ago makes room for exactly as many', async () => {
		expect(await admitted(60)).toBe(60)
		now += 30_000
		expect(await admitted(100)).toBe(60)
		now += 29_999
		expect(await admitted(10)).toBe(0)
		now += 1
		expect(await admitted(100)).toBe(60)
		now += 30_000
		expect(await admitted(100)).toBe(60)
	})
	// Proves: guard-limit.windows
	it('never hold more than 120 in any 60 s over an hour of pressing', async () => {
		const times: number[] = []
		for (let i = 0; i < 120; i++) {
			now += 1 + ((i * 7919) % 30_000)
			const n = await admitted(1 + ((i * 31) % 90))
			times.push(...Array.from({ length: n }, () => now))
		}
		expect(times.length).toBeGreaterThan(1_000)
		for (const [i, at] of times.entries())
			expect((times[i + 120] ?? Number.POSITIVE_INFINITY) - at).toBeGreaterThanOrEqual(minute)
	})
	// Proves: guard-limit.refused-not-counted
	it('do not count what was taken back', async () => {
		const first = await hosts[0].admit(account)
		expect(await admitted(200)).toBe(119)
		if (first.admitted) await hosts[1].release(account, first.at)
		expect(await admitted(5)).toBe(1)
	})
	// Proves: guard-limit.windows
	it('hold 20,000 in any 24 h, as 20,000 admissions leave them', async () => {
		const history = { calls: 500, first: now, everyMs: 1_000 }
		await addHistory(database, 'written', history)
		for (let i = 0; i < history.calls; i++) {
			await hosts[0].admit(account)
			now += history.everyMs
		}
		const rows = (id: string) =>
			database.sql`
				select newest, sealed, (select array_agg(s.admitted order by row) from guard_sealed_windows s
					where s.account_id = ${id}) as old
				from guard_windows where account_id = ${id}`
		expect(await rows(account)).toEqual(await rows('written'))

		const first = now
		await addHistory(database, 'busy', { calls: 20_000, first, everyMs: 1_000 })
		account = 'busy'
		now += 20_000_000
		expect(await admitted(10)).toBe(0)
		now = first + 86_400_000 - 1
		expect(await admitted(10)).toBe(0)
		now += 1
		expect(await admitted(10)).toBe(1)
		now += 50_000
		expect(await admitted(100)).toBe(50)
	})
	it('say which of them is full', async () => {
		await admitted(120)
		expect(await hosts[1].admit(account)).toEqual({ admitted: false, reason: 'rate' })
		expect(hosts[1].recall(account)).toBe('rate')
		now += minute
		expect(hosts[1].recall(account)).toBeNull()
	})
	it('use the database’s clock, the one all hosts share, unless told otherwise', async () => {
		const windows = openWindows(database.sql)
		const answer = await windows.admit(account)
		const [row] = await database.sql`select extract(epoch from now())::float8 * 1000 as now`
		expect(Math.abs(Number((answer as { at: string }).at) / 1000 - row?.now)).toBeLessThan(5_000)
	})
})
