import { expect, test } from 'vitest'
import { assumed, capacity, simulate } from '../../bench/cells.ts'

// The simulation of a fleet in cells: what must hold of it whatever is assumed.

const never = { days: 1e9, seconds: 1 }

test('the same seed gives the same year, another one another', () => {
	const fleet = { hosts: 40, perCell: 10 }
	expect(simulate({ ...fleet, seed: 7 })).toEqual(simulate({ ...fleet, seed: 7 }))
	expect(simulate({ ...fleet, seed: 8 })).not.toEqual(simulate({ ...fleet, seed: 7 }))
})

test('where nothing fails, nothing is refused and nothing taken over', () => {
	const year = simulate({ hosts: 40, perCell: 10, rates: { host: never, primary: never, cell: never } })
	expect(year).toMatchObject({ refused: 0, takenOver: 0, worstShare: 0, longestSeconds: 0, cells: 4 })
	expect(year.runs).toBeGreaterThan(0)
})

test('a primary that fails refuses the calls of its cell for as long as it is away', () => {
	const one = simulate({
		hosts: 10,
		perCell: 10,
		rates: { host: never, primary: assumed.primary, cell: never },
	})
	const away = one.failures.primary * assumed.primary.seconds
	expect(one.failures.primary).toBeGreaterThan(0)
	expect(one.refused / (one.runs + one.refused)).toBeCloseTo(away / (365 * 86_400), 6)
})

test('more cells: each failure stops fewer accounts', () => {
	const shares = [100, 25, 5].map((perCell) => simulate({ hosts: 100, perCell }).worstShare)
	expect(shares[0]).toBe(1)
	expect(shares.toSorted((a, b) => b - a)).toEqual(shares)
})

test('one Postgres is no more than it can carry, however many hosts it has', () => {
	const { runs } = simulate({
		hosts: 1000,
		perCell: 1000,
		load: 1,
		rates: { host: never, primary: never, cell: never },
	})
	expect(runs / (365 * 86_400)).toBeLessThanOrEqual(capacity.database + 1)
})
