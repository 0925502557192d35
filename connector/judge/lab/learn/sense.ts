/** The network of ../../learned/sense.ts: step by step over texts, of each only the sentence that says most. */
import { DIRECTIONS } from '../../encoder/encode.ts'
import { halves, type Sense, signOf, summed, UNITS, WIDTH } from '../../learned/sense.ts'
import { random, shuffle } from './random.ts'

export interface Sensed {
	/** As the encoder reads them. */
	whole: Float32Array
	sentences: readonly Float32Array[]
	label: number
	weight: number
}

const EPOCHS = 30
const RATE = 0.2
const DECAY = 1e-4
/** Chance that a direction is left out of one step. */
const DROPOUT = 0.3
const SEED = 7

export function trainSense(texts: readonly Sensed[]): Sense {
	const next = random(SEED)
	const model = {
		weights: Float32Array.from({ length: UNITS * WIDTH }, () => 2 * next() - 1),
		biases: new Float32Array(UNITS + 1),
	}
	const squares = new Float32Array(UNITS * WIDTH).fill(1e-3)
	const biasSquares = new Float32Array(UNITS + 1).fill(1e-3)
	for (let epoch = 0; epoch < EPOCHS; epoch++)
		for (const text of shuffle([...texts], next))
			step(model, squares, biasSquares, text, RATE * (1 - epoch / EPOCHS), next)
	return model
}

function step(
	{ weights, biases }: Sense,
	squares: Float32Array,
	biasSquares: Float32Array,
	{ whole, sentences, label, weight }: Sensed,
	rate: number,
	next: () => number,
): void {
	const thinned = (one: Float32Array) => one.map((value) => (next() < DROPOUT ? 0 : value / (1 - DROPOUT)))
	const around = thinned(whole)
	const beside = halves(weights, 1, around)
	let worst = Number.NEGATIVE_INFINITY
	let own = around
	let halfOfWorst = beside
	for (const sentence of sentences) {
		const read = thinned(sentence)
		const half = halves(weights, 0, read)
		const said = summed(biases, half, beside)
		if (said > worst) [worst, own, halfOfWorst] = [said, read, half]
	}
	const error = (1 / (1 + Math.exp(-worst)) - label) * weight
	const adapt = (list: Float32Array, seen: Float32Array, at: number, gradient: number) => {
		seen[at]! += gradient * gradient
		list[at]! -= (rate * gradient) / Math.sqrt(seen[at]!)
	}
	adapt(biases, biasSquares, UNITS, error)
	for (let unit = 0; unit < UNITS; unit++) {
		if (halfOfWorst[unit]! + beside[unit]! + biases[unit]! <= 0) continue
		const slope = error * signOf(unit)
		adapt(biases, biasSquares, unit, slope)
		const at = unit * WIDTH
		for (let k = 0; k < DIRECTIONS; k++) {
			if (own[k]) adapt(weights, squares, at + k, slope * own[k]! + DECAY * weights[at + k]!)
			const there = at + DIRECTIONS + k
			if (around[k]) adapt(weights, squares, there, slope * around[k]! + DECAY * weights[there]!)
		}
	}
}
