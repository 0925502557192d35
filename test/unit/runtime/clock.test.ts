import { afterEach, expect, test, vi } from 'vitest'
import { clockFrom, machineMs, setSharedNow, sharedNow, workClock } from '../../../runtime/lib/clock.ts'

afterEach(() => vi.useRealTimers())

const monthMs = 30 * 24 * 3_600_000

// Proves: journal.clock-skew
test('what was heard of the shared time counts, whatever is done to this machine’s clock', () => {
	const there = Date.now() + monthMs
	const at = machineMs()
	setSharedNow(there, at - 10, at)
	// Another word of it that can be true together with the first changes nothing.
	const before = sharedNow() - machineMs()
	setSharedNow(there + 1_000, at + 995, at + 1_005)
	expect(Math.abs(sharedNow() - machineMs() - before)).toBeLessThan(2)
	vi.useFakeTimers({ toFake: ['Date'], now: 0 })
	expect(sharedNow() - there).toBeGreaterThanOrEqual(0)
	expect(sharedNow() - there).toBeLessThan(60_000)
	// One that cannot be is believed.
	setSharedNow(there - monthMs, machineMs(), machineMs())
	expect(Math.abs(sharedNow() - there + monthMs)).toBeLessThan(1_000)
})

// Proves: journal.stood-still
test('a process that stood still has not worked meanwhile', () => {
	let time = 5_000
	const worked = workClock(() => time)
	const begun = worked()
	for (let i = 0; i < 20; i++) {
		time += 50
		worked()
	}
	expect(worked() - begun).toBe(1_000)
	time += 3_600_000
	expect(worked() - begun).toBe(2_000)
})

test('a journal goes on from its last entry, also from one of a host that was ahead', async () => {
	const last = Date.now() + monthMs
	const at = clockFrom(Date.now, last)
	const first = at()
	expect(first).toBeGreaterThanOrEqual(last)
	await expect.poll(() => at()).toBeGreaterThan(first + 5)
	expect(clockFrom(Date.now, 0)()).toBeLessThan(last)
})
