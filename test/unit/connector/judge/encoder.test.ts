// What the encoder of sentences says, and that its arithmetic in WebAssembly is plain arithmetic.
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { encoded } from '../../../../connector/judge/encoder/index.ts'
import { kernel } from '../../../../connector/judge/encoder/kernel.ts'
import { cutter } from '../../../../connector/judge/encoder/pieces.ts'
import { createJudge, type Judge } from '../../../../connector/judge/index.ts'
import { packRows, unpackBits } from '../../../../connector/judge/learned/packed.ts'
import { dot } from '../../../../connector/judge/text/similarity.ts'

const PIECES = 24

describe('the encoder', () => {
	test('puts what says the same nearer than what shares words, and says the same twice', () => {
		const texts = ['What is your age?', 'How are you?', 'Old cars are sold here.']
		const [asked] = encoded('asked', ['How old are you?'], PIECES)
		const [same, ...others] = encoded('offered', texts, PIECES)
		for (const other of others) expect(dot(asked!, same!)).toBeGreaterThan(dot(asked!, other) + 0.2)
		// Beside other texts and alone.
		expect(encoded('offered', [texts[0]!], PIECES)[0]).toEqual(same)
		expect(Math.hypot(...same!)).toBeCloseTo(1, 5)
	})

	test('reads what has no letters, nothing, and other scripts', () => {
		for (const unit of encoded('offered', ['', '   ', '12:30', '忽略之前', '\ud800'], PIECES))
			expect(unit.every(Number.isFinite)).toBe(true)
	})

	test('a question points where its answer does, and not where it would as an answer', () => {
		const asked = 'My parcel never came'
		const [question] = encoded('asked', [asked], PIECES)
		const [answer, same] = encoded('offered', ['Report a lost delivery', asked], PIECES)
		expect(same).not.toEqual(question)
		expect(dot(question!, answer!)).toBeGreaterThan(0.2)
	})

	test('cuts a text into its likeliest pieces, and no more than asked for', () => {
		const pieces = ['?', '<s>', '</s>', 'x', 'y', 'z', '▁', '▁sun', 'sun', 'day', '▁sunday', '▁s', 'u', 'n']
		const cut = cutter(pieces, [0, 0, 0, 0, 0, 0, 9, 3, 4, 3, 5, 6, 7, 7])
		const names = (text: string, most = PIECES) => cut(text, most).map((id) => pieces[id])
		expect(names('sunday sun')).toEqual(['▁sunday', '▁sun'])
		expect(names(' sun  sunday', 1)).toEqual(['▁sun'])
		expect(names('sunq')).toEqual(['▁sun', '?'])
	})
})

describe('its arithmetic', () => {
	test('multiplies as a loop does', () => {
		const [rows, width, depth] = [8, 6, 24]
		const memory = new WebAssembly.Memory({ initial: 1 })
		const x = new Int16Array(memory.buffer, 0, rows * depth).map((_, i) => ((i * 977) % 8_191) - 4_000)
		const w = new Int16Array(memory.buffer, 1_024, width * depth).map((_, i) => ((i * 31) % 255) - 127)
		new Int16Array(memory.buffer, 0, x.length).set(x)
		new Int16Array(memory.buffer, 1_024, w.length).set(w)
		kernel(memory)(0, 1_024, 4_096, rows, width, 2 * depth)
		const out = new Int32Array(memory.buffer, 4_096, rows * width)
		for (let i = 0; i < rows; i++)
			for (let j = 0; j < width; j++) {
				let sum = 0
				for (let k = 0; k < depth; k++) sum += x[i * depth + k]! * w[j * depth + k]!
				expect(out[i * width + j]).toBe(sum)
			}
	})

	test.each([4, 5, 8])('keeps numbers in %i bits', (bits) => {
		const values = Float32Array.from({ length: 60 }, (_, i) => Math.sin(i))
		const { bits: packed, steps, columns } = packRows(values, 3, bits)
		const whole = new Int8Array(values.length)
		unpackBits(packed, bits, whole)
		expect(packed.length).toBe(Math.ceil((60 * bits) / 8))
		values.forEach((value, i) => {
			const step = steps[Math.floor(i / columns)]!
			expect(Math.abs(value - step * whole[i]!)).toBeLessThan(1.1 / 2 ** (bits - 1))
		})
	})
})

describe('search', () => {
	const { signal } = new AbortController()
	let judge: Judge
	beforeAll(async () => {
		judge = await createJudge({ backends: ['builtin'] })
	})
	afterAll(() => judge.close())

	// Proves: judge.sentences
	test('finds the tool that does what is asked, inline and in a thread, with the same answer', async () => {
		const query = 'I want to listen to some relaxing songs before bed'
		const tools = [
			'Bed and breakfast: rents rooms for the night',
			'Plays music and playlists by mood',
			'Want ads: lists what people in your area are looking for',
		]
		const { scores } = await judge.find({ query, candidates: tools }, signal)
		expect(scores.indexOf(Math.max(...scores))).toBe(1)
		const padded = [
			...tools,
			...Array.from({ length: 8 }, (_, i) => `Page ${i}: ${'terms of use '.repeat(4)}`),
		]
		const long = await judge.find({ query, candidates: padded }, signal)
		expect(long.scores.indexOf(Math.max(...long.scores))).toBe(1)
		expect(await judge.find({ query, candidates: padded }, signal)).toEqual(long)
	})
})
