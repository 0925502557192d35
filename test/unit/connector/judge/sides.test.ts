// Two last layers of one encoder learn from lists which offer answers which question.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { teachSides } from '../../../../connector/judge/lab/learn/sides.ts'
import { listsFrom } from '../../../../connector/judge/lab/train/lists.ts'

const WIDTH = 4
const same = Float32Array.from({ length: WIDTH * WIDTH }, (_, i) => (i % (WIDTH + 1) === 0 ? 1 : 0))
const first = { matrix: same, bias: new Float32Array(WIDTH) }
/** A question of the first kind is answered by the second kind, and one of the third by the fourth. */
const texts = Float32Array.from([1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1])
const lists = Array.from({ length: 64 }, (_, i) =>
	i % 2 ? { asked: 0, offered: [1, 0, 3], weight: 1 } : { asked: 2, offered: [3, 2, 1], weight: 1 },
)

function cosine([ask, offer]: readonly Float32Array[], asked: number, offered: number): number {
	const through = (matrix: Float32Array, text: number) =>
		Array.from({ length: WIDTH }, (_, k) =>
			Math.tanh(
				texts
					.subarray(text * WIDTH, (text + 1) * WIDTH)
					.reduce((sum, x, i) => sum + x * matrix[k * WIDTH + i]!, 0),
			),
		)
	const [a, b] = [through(ask!, asked), through(offer!, offered)]
	return a.reduce((sum, x, k) => sum + x * b[k]!, 0) / Math.hypot(...a) / Math.hypot(...b)
}

// Proves: judge.sides
test('what answers comes nearer than the question itself, which was nearest before', () => {
	expect(cosine([same, same], 0, 0)).toBeCloseTo(1)
	const taught = teachSides(texts, first, lists)
	for (const [asked, right, ...wrong] of [
		[0, 1, 0, 3],
		[2, 3, 2, 1],
	])
		for (const other of wrong)
			expect(cosine(taught, asked!, right!)).toBeGreaterThan(cosine(taught, asked!, other!))
	expect(teachSides(texts, first, lists)).toEqual(taught)
})

test('without lists, both sides stay what they were', () => {
	expect(teachSides(texts, first, [])).toEqual([same, same])
})

// Proves: judge.sides
test('of an author’s wrong candidates, those that share words with the query are not learned from', () => {
	const dir = mkdtempSync(join(tmpdir(), 'lists-'))
	onTestFinished(() => rmSync(dir, { recursive: true }))
	const candidates = ['Report a lost delivery', 'Parcel sizes and prices', 'Change your password'].map(
		(text, i) => ({ id: i, text }),
	)
	const found = { query: 'My parcel never came', candidates, relevant: [0], source: 'author' }
	const rows = {
		find: [found],
		choice: [
			{ question: 'Where to?', context: 'Hi, my lamp broke.', options: ['Sales', 'Repairs'], answer: 1 },
		],
		score: [
			{ question: 'How full is it?', text: 'Not one free seat.', levels: ['empty', 'packed'], gold: 1 },
		],
	}
	for (const [tool, list] of Object.entries(rows)) {
		mkdirSync(join(dir, tool))
		for (const split of ['taught', 'train'])
			writeFileSync(join(dir, tool, `${split}.jsonl`), list.map((row) => JSON.stringify(row)).join('\n'))
	}
	const { texts, lists } = listsFrom(dir, dir)
	const told = lists.map(({ asked, offered }) => [texts[asked], ...offered.map((text) => texts[text])])
	const [collected, scene, ...others] = told
	// A collected list is as it is found.
	expect(collected!.toSorted()).toEqual([found.query, ...candidates.map(({ text }) => text)].toSorted())
	expect(scene!.slice(0, 3)).toEqual([found.query, candidates[0]!.text, candidates[2]!.text])
	expect(others).toEqual([
		['Hi, my lamp broke.', 'Repairs', 'Sales'],
		['How full is it? Not one free seat.', 'How full is it: packed', 'How full is it: empty'],
	])
})
