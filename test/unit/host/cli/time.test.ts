import { expect, test } from 'vitest'
import { duration, since, until } from '../../../../host/owner/cli/time.ts'

// Proves: cli.since

test.each([
	['2026-02-28', '2026-02-28T00:00:00.000Z'],
	['2026-02-28T10:00Z', '2026-02-28T10:00:00.000Z'],
	['2026-02-28T10:00:01.5+02:00', '2026-02-28T08:00:01.500Z'],
	['2026-02-28T23:00:00-05:00', '2026-03-01T04:00:00.000Z'],
])('%s is a time', (text, at) => {
	expect(since(text)).toBe(at)
})

test.each([
	['90m', 90 * 60_000],
	['24h', 86_400_000],
	['7d', 7 * 86_400_000],
])('%s is so long ago', (text, ms) => {
	const before = Date.now() - ms
	const at = Date.parse(since(text))
	expect(at).toBeGreaterThanOrEqual(before)
	expect(at).toBeLessThanOrEqual(Date.now() - ms)
})

test.each([
	'',
	'yesterday',
	'2026-02-30',
	'2026-13-01',
	'2026-02-28 10:00',
	'2026-02-28T10:00',
	'7w',
	'-1d',
	'5',
])('"%s" is refused with what it takes', (text) => {
	expect(() => since(text)).toThrow('RFC 3339')
})

test('the end of a key is a date, or so long from now', () => {
	expect(until('2030-01-01')).toBe('2030-01-01T00:00:00.000Z')
	const before = Date.now() + 90 * 60_000
	const at = Date.parse(until('90m'))
	expect(at).toBeGreaterThanOrEqual(before)
	expect(at).toBeLessThanOrEqual(Date.now() + 90 * 60_000)
	expect(() => until('tomorrow')).toThrow('RFC 3339')
})

test.each([
	['3600', 3600],
	['0', 0],
	['2.5', 2.5],
	['90s', 90],
	['90m', 5400],
	['7d', 604_800],
])('%s is a duration of %d seconds', (text, seconds) => {
	expect(duration(604_800)(text)).toBe(seconds)
})

test.each(['', '99d', '604801', '-1', 'soon', '1w'])('"%s" is no duration of at most 7 days', (text) => {
	expect(() => duration(604_800)(text)).toThrow('at most 604800 seconds')
})
