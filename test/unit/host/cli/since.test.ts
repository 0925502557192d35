import { expect, test } from 'vitest'
import { since } from '../../../../host/owner/cli/since.ts'

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
