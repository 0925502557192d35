import { describe, expect, test } from 'vitest'
import { previewOf } from '../../../../host/console/pages/agent/schedules/preview.ts'
import { dueAt, readTimes } from '../../../../host/schedules/times.ts'

// Schedules: when a cron expression in a time zone comes, and what becomes of a time that was missed.

const list = (cron: string, zone: string, from: string, count = 3) =>
	readTimes(cron, zone)
		.list(count, new Date(from))
		.map((at) => at.toISOString())

describe('a schedule', () => {
	// Proves: schedule.time-zone
	test.each([
		['0 9 * * 1-5', 'UTC', '2026-11-20T09:00:00Z', ['2026-11-23T09:00:00.000Z', '2026-11-24T09:00:00.000Z']],
		[
			'0 9 * * MON',
			'America/New_York',
			'2026-11-20T09:00:00Z',
			['2026-11-23T14:00:00.000Z', '2026-11-30T14:00:00.000Z'],
		],
		['0 0 29 2 *', 'UTC', '2026-11-20T00:00:00Z', ['2028-02-29T00:00:00.000Z', '2032-02-29T00:00:00.000Z']],
		// Day of month or day of week, as cron has it where both are given.
		[
			'0 0 1 * 1',
			'Asia/Kolkata',
			'2026-10-26T00:00:00Z',
			['2026-10-31T18:30:00.000Z', '2026-11-01T18:30:00.000Z'],
		],
		[
			'*/20 8-9 * * *',
			'UTC',
			'2026-11-20T08:30:00Z',
			['2026-11-20T08:40:00.000Z', '2026-11-20T09:00:00.000Z'],
		],
	])('%s in %s comes when its clock says so', (cron, zone, from, times) => {
		expect(list(cron, zone, from, times.length)).toEqual(times)
	})

	// Proves: schedule.gap
	test('comes at the end of the gap when clocks are put forward over its time', () => {
		expect(list('30 2 * * *', 'Europe/Berlin', '2026-03-28T02:00:00Z')).toEqual([
			'2026-03-29T01:00:00.000Z',
			'2026-03-30T00:30:00.000Z',
			'2026-03-31T00:30:00.000Z',
		])
	})

	// Proves: schedule.gap
	test.each([
		['0 2,14 28 3 *', 'Europe/Berlin', ['2027-03-28T01:00:00.000Z', '2027-03-28T12:00:00.000Z']],
		['30 1,2 28 3 *', 'Europe/Berlin', ['2027-03-28T00:30:00.000Z', '2027-03-28T01:00:00.000Z']],
		['0,30 2 28 3 *', 'Europe/Berlin', ['2027-03-28T01:00:00.000Z', '2028-03-28T00:00:00.000Z']],
		['*/30 2 28 3 *', 'Europe/Berlin', ['2027-03-28T01:00:00.000Z', '2028-03-28T00:00:00.000Z']],
		['30 2 28 3 *', 'Europe/Berlin', ['2027-03-28T01:00:00.000Z', '2028-03-28T00:30:00.000Z']],
		['30 2,3 28 3 *', 'Europe/Berlin', ['2027-03-28T01:00:00.000Z', '2027-03-28T01:30:00.000Z']],
		['0 1-4 28 3 *', 'Europe/Berlin', ['00', '01', '02'].map((hour) => `2027-03-28T${hour}:00:00.000Z`)],
		[
			'30 * 28 3 *',
			'Europe/Berlin',
			['27T23:30', '28T00:30', '28T01:30'].map((at) => `2027-03-${at}:00.000Z`),
		],
		['*/20 0 * 9 0', 'America/Santiago', ['2027-09-05T04:00:00.000Z', '2027-09-12T03:00:00.000Z']],
		['*/20 2 3 10 *', 'Australia/Lord_Howe', ['2027-10-02T15:30:00.000Z', '2027-10-02T15:40:00.000Z']],
		['0 0,12 28 3 *', 'UTC', ['2027-03-28T00:00:00.000Z', '2027-03-28T12:00:00.000Z']],
	])('%s in %s makes one time of all that the clocks leave out', (cron, zone, times) => {
		expect(list(cron, zone, '2027-03-27T13:00:00Z', times.length)).toEqual(times)
	})

	// Proves: schedule.gap
	test('shows the same times in the console before it is saved', async () => {
		const shown = await previewOf('0,30 2,14 * 3 0', 'Europe/Berlin')
		const times = readTimes('0,30 2,14 * 3 0', 'Europe/Berlin').list(5, new Date())
		expect(shown).toEqual({ times: times.map((at) => at.toISOString()) })
	})

	// Proves: schedule.repeated-hour
	test('comes once when the clocks are put back over a single time, and at both passings when it repeats', () => {
		expect(list('30 2 * * *', 'Europe/Berlin', '2026-10-24T12:00:00Z')).toEqual([
			'2026-10-25T00:30:00.000Z',
			'2026-10-26T01:30:00.000Z',
			'2026-10-27T01:30:00.000Z',
		])
		expect(list('0 * * * *', 'Europe/Berlin', '2026-10-24T23:30:00Z')).toEqual([
			'2026-10-25T00:00:00.000Z',
			'2026-10-25T01:00:00.000Z',
			'2026-10-25T02:00:00.000Z',
		])
	})

	// Proves: schedule.repeated-hour
	test.each(['30 2,14 31 10 *', '30 14,2 31 10 *'])('%s comes once at each time that it names', (cron) => {
		const [first, second] = list(cron, 'Europe/Berlin', '2027-10-30T20:00:00Z')
		expect([first, second]).toEqual(['2027-10-31T00:30:00.000Z', '2027-10-31T13:30:00.000Z'])
	})

	// Proves: schedule.repeated-hour
	test('comes at both passings where it has a step, and once where it is a list of minutes', () => {
		expect(list('0,30 2 31 10 *', 'Europe/Berlin', '2027-10-30T20:00:00Z')).toEqual([
			'2027-10-31T00:00:00.000Z',
			'2027-10-31T00:30:00.000Z',
			'2028-10-31T01:00:00.000Z',
		])
		expect(list('*/30 2 31 10 *', 'Europe/Berlin', '2027-10-30T20:00:00Z', 4)).toEqual(
			['00:00', '00:30', '01:00', '01:30'].map((at) => `2027-10-31T${at}:00.000Z`),
		)
	})

	// Proves: schedule.bad-expression
	test.each([
		['* * * * * *', 'UTC', '/cron'],
		['* * * *', 'UTC', '/cron'],
		['@daily', 'UTC', '/cron'],
		['61 * * * *', 'UTC', '/cron'],
		['0 9 ? * ?', 'UTC', '/cron'],
		['0 0 30 2 *', 'UTC', '/cron'],
		['0 9 * * *', 'Nowhere/Land', '/timezone'],
		['0 9 * * *', '+02:00', '/timezone'],
	])('%s in %s is refused and the member named', (cron, zone, path) => {
		expect(() => readTimes(cron, zone)).toThrow(
			expect.objectContaining({
				code: 'invalid_request',
				parts: { errors: [expect.objectContaining({ path })] },
			}),
		)
	})

	// Proves: schedule.bad-expression
	test.each([
		['0 0 30 2 *', 'names a time that never comes'],
		// The last Sunday of March, when there is no 2:00 to 3:00.
		['*/30 2 * 3 7L', 'names only times that the clocks of Europe/Berlin leave out; choose another hour'],
	])('%s is told why it never comes, in the console too', async (cron, message) => {
		expect(() => readTimes(cron, 'Europe/Berlin')).toThrow(`cron ${message}.`)
		expect(await previewOf(cron, 'Europe/Berlin')).toEqual({ fault: `It ${message}.` })
	})
})

describe('a time that has come', () => {
	const times = readTimes('0 * * * *', 'UTC')
	const at = new Date('2026-11-20T09:00:00Z')
	const due = (missed: 'skip' | 'run_once', now: string) => dueAt(times, missed, at, new Date(now))

	test('is fired within a minute whatever the policy', () => {
		const next = new Date('2026-11-20T10:00:00Z')
		for (const missed of ['skip', 'run_once'] as const)
			expect(due(missed, '2026-11-20T09:00:59Z')).toEqual({ fire: true, caughtUp: false, next })
	})

	// Proves: schedule.missed
	test('is left out with all that passed since, or makes one run of them, when nobody was there', () => {
		const next = new Date('2026-11-20T15:00:00Z')
		expect(due('skip', '2026-11-20T14:20:00Z')).toEqual({ fire: false, skipped: at, next })
		expect(due('run_once', '2026-11-20T14:20:00Z')).toEqual({ fire: true, caughtUp: true, next })
	})

	// Proves: schedule.missed
	test('is not left out with those before it where it came within a minute', () => {
		const next = new Date('2026-11-20T14:00:00Z')
		expect(due('skip', '2026-11-20T14:00:35Z')).toEqual({ fire: false, skipped: at, next })
		expect(dueAt(times, 'skip', next, new Date('2026-11-20T14:00:36Z'))).toMatchObject({ fire: true })
	})

	test('is fired late by less than a minute without the loss of the one after it', () => {
		const minutes = readTimes('* * * * *', 'UTC')
		const now = new Date('2026-11-20T09:01:00Z')
		expect(dueAt(minutes, 'skip', at, now)).toEqual({ fire: true, caughtUp: false, next: now })
	})
})
