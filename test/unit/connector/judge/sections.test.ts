// A long text is as suspect as its worst section, less what that section owes to there being many.
import { expect, test } from 'vitest'
import { sectionsIn, worstOf } from '../../../../connector/judge/screen/sections.ts'

const shares = Array.from({ length: 99 }, (_, i) => (i + 1) / 100)

// Proves: judge.long-texts
test('a doubt about one of many sections is smaller than about one alone, and what is sure stays', () => {
	for (const p of shares) expect(worstOf(1, p)).toBeCloseTo(p, 10)
	expect(worstOf(15, 0.5)).toBeLessThan(0.4)
	for (const p of [0.9, 0.95, 1]) expect(worstOf(15, p)).toBe(p)
})

// Proves: judge.long-texts
test('of two texts of one length, the worse stays the worse', () => {
	for (const sections of [2, 5, 15, 100, 10_000]) {
		const said = shares.map((p) => worstOf(sections, p))
		expect(said).toEqual(said.toSorted((a, b) => a - b))
		expect(new Set(said).size).toBe(said.length)
	}
})

// Proves: judge.long-texts
test('a doubt about several sentences counts as one of more than one section, and less than one of two', () => {
	expect([0, 250, 251, 500, 3_000].map(sectionsIn)).toEqual([1, 1, expect.closeTo(1.0024, 3), 1.6, 1.6])
	expect(worstOf(sectionsIn(500), 0.45)).toBeLessThan(0.4)
	expect(worstOf(sectionsIn(500), 0.5)).toBeGreaterThan(0.4)
	expect(worstOf(sectionsIn(100), 0.45)).toBeCloseTo(0.45, 10)
})
