// Propositions are read with their context as whole sentences, and what that is worth is learned beside the other model.
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { together, weighedBy } from '../../../../connector/judge/builtin/together.ts'
import { createJudge, type Judge } from '../../../../connector/judge/index.ts'
import { trainBeside } from '../../../../connector/judge/lab/learn/beside.ts'

const { signal } = new AbortController()
let judge: Judge
beforeAll(async () => {
	judge = await createJudge({ backends: ['builtin'] })
})
afterAll(() => judge.close())

const TICKET = 'Good morning, my parcel should have come on Friday. Could somebody look where it is?'
const ASKED = ['The customer asks where a delivery is.', 'The customer wants to cancel a course.']

describe('a proposition', () => {
	// Proves: judge.together
	test('that is nearer to the context in meaning is likelier, though neither shares words with it', async () => {
		const [near, far] = (await judge.noul({ context: TICKET, propositions: ASKED }, signal)).probabilities
		expect(near).toBeGreaterThan(far! + 0.1)
	})

	// Proves: judge.together
	test('has one answer, whatever is asked beside it', async () => {
		const alone = await Promise.all(
			ASKED.map((one) => judge.noul({ context: TICKET, propositions: [one] }, signal)),
		)
		const both = await judge.noul({ context: TICKET, propositions: ASKED.toReversed() }, signal)
		expect(both.probabilities).toEqual(alone.map(({ probabilities }) => probabilities[0]).toReversed())
	})

	test('is read so beside short contexts alone, in English and in languages with glosses', () => {
		const read = (context: string) => ASKED.map(together(context)).map((one) => one !== null)
		expect(read(TICKET)).toEqual([true, true])
		expect(read('Mein Paket ist noch nicht angekommen, und niemand antwortet mir.')).toEqual([true, true])
		expect(read('荷物がまだ届いていません。誰も返事をくれません。')).toEqual([false, false])
		expect(read(TICKET.repeat(20))).toEqual([false, false])
	})
})

describe('learning beside margins', () => {
	const rows = Array.from({ length: 200 }, (_, i) => Float32Array.of(i % 2, 0.5, (i % 7) / 700))
	const weights = rows.map(() => 1)

	test('finds what these leave over, and nothing where they say it all', () => {
		const y = rows.map((_, i) => i % 2)
		const left = trainBeside({ rows, y, margins: rows.map(() => 0), weights }, 0.001)
		expect(weighedBy3(left, rows[1]!)).toBeGreaterThan(1)
		expect(weighedBy3(left, rows[0]!)).toBeLessThan(-1)
		expect(Math.abs(left[1]!)).toBeLessThan(1e-6)
		const told = trainBeside({ rows, y, margins: y.map((one) => (one ? 20 : -20)), weights }, 0.001)
		expect(Math.abs(weighedBy3(told, rows[1]!))).toBeLessThan(0.01)
	})

	test('counts nothing for what is not read', () => {
		expect(weighedBy(new Float32Array(513).fill(1), null)).toBe(0)
	})

	const weighedBy3 = (learned: Float32Array, row: Float32Array) =>
		row.reduce((sum, value, k) => sum + value * learned[k]!, learned.at(-1)!)
})
