// Orders in carriers for the training of `screen`: each has a twin, and neither half of them knows the other's orders.
import { expect, test } from 'vitest'
import { random } from '../../../../connector/judge/lab/learn/random.ts'
import { CARRIERS, twins } from '../../../../connector/judge/lab/train/carriers.ts'
import { ORDERS, PAIRS } from '../../../../connector/judge/lab/train/planted.ts'

const made = (count: number) => twins(random(1), count, () => 'The river rises in the north.')
const folded = (text: string) => text.toLowerCase().replace(/[^\p{L}]/gu, '')

// Proves: judge.twins
test('an order and an errand stand in the same carrier, between the same sentences', () => {
	for (const { order, errand } of made(300)) {
		expect(order).not.toBe(errand)
		const [a, b] = [order, errand].map((text) => text.split('\n'))
		expect(Math.abs(a!.length - b!.length)).toBeLessThan(4)
		const shared = a!.filter((line) => b!.includes(line))
		if (a!.length > 4) expect(shared.length).toBeGreaterThan(0)
	}
})

// Proves: judge.twins
test('the halves have other orders', () => {
	const said = [0, 1].map((half) =>
		made(2_000)
			.filter((one) => one.half === half)
			.map(({ order }) => folded(order)),
	)
	const orders = [...ORDERS, ...PAIRS.map(([order]) => order)].map(folded)
	const known = said.map(
		(texts) => new Set(orders.filter((order) => texts.some((text) => text.includes(order)))),
	)
	expect(known[0]!.size).toBeGreaterThan(20)
	expect([...known[0]!].filter((order) => known[1]!.has(order))).toEqual([])
})

test('the same seed gives the same twins, and every carrier keeps what it carries', () => {
	expect(made(50)).toEqual(made(50))
	const next = random(2)
	for (const carrier of Object.values(CARRIERS))
		expect(carrier('zebra orders', ['One.', 'Two.', 'Three.'], next)).toContain('zebra orders')
})
