/**
 * Which of several: a linear score per option, learned so that the softmax over the options of one question gives the
 * right one. All features say "alike" in some way, so no weight may be negative: what fits one source by speaking
 * against likeness would fail the next.
 */
import { type Listwise, product } from '../../learned/listwise.ts'

export interface Question {
	/** Features of every option. */
	options: readonly ArrayLike<number>[]
	answer: number
	weight: number
}

const STEPS = 300
const RATE = 0.3
const MOMENTUM = 0.9
const FIRST_WEIGHT = 0.1

export function trainListwise(questions: readonly Question[], decay: number): Listwise {
	const rows = questions.map(({ options }) => centred(options))
	const width = rows[0]?.[0]?.length ?? 0
	const scale = scales(rows, width)
	for (const options of rows) for (const row of options) for (let k = 0; k < width; k++) row[k]! *= scale[k]!
	const total = questions.reduce((sum, { weight }) => sum + weight, 0)
	const weights = new Float64Array(width).fill(FIRST_WEIGHT)
	const speed = new Float64Array(width)
	for (let step = 0; step < STEPS; step++) {
		const slope = new Float64Array(width)
		for (const [q, { answer, weight }] of questions.entries())
			addSlope(slope, rows[q]!, weights, answer, weight / total)
		const rate = RATE * (1 - step / STEPS)
		for (let k = 0; k < width; k++) {
			speed[k] = MOMENTUM * speed[k]! - rate * (slope[k]! + decay * weights[k]!)
			weights[k]! += speed[k]!
			if (weights[k]! < 0) weights[k] = speed[k] = 0
		}
	}
	return { weights: Float32Array.from(weights, (weight, k) => weight * scale[k]!) }
}

/** What all options share tells none apart. */
function centred(options: readonly ArrayLike<number>[]): Float64Array[] {
	const rows = options.map((row) => Float64Array.from(row))
	for (let k = 0; k < (rows[0]?.length ?? 0); k++) {
		const mean = rows.reduce((sum, row) => sum + row[k]!, 0) / rows.length
		for (const row of rows) row[k]! -= mean
	}
	return rows
}

function scales(rows: readonly Float64Array[][], width: number): Float64Array {
	const squares = new Float64Array(width)
	let count = 0
	for (const options of rows) {
		for (const row of options) {
			count++
			for (let k = 0; k < width; k++) squares[k]! += row[k]! * row[k]!
		}
	}
	return squares.map((square) => (square > 1e-9 ? 1 / Math.sqrt(square / count) : 0))
}

function addSlope(
	slope: Float64Array,
	options: readonly Float64Array[],
	weights: Float64Array,
	answer: number,
	weight: number,
): void {
	const margins = options.map((row) => product(weights, row))
	const top = Math.max(...margins)
	const shares = margins.map((margin) => Math.exp(margin - top))
	const sum = shares.reduce((a, b) => a + b, 0)
	options.forEach((row, i) => {
		const error = (shares[i]! / sum - (i === answer ? 1 : 0)) * weight
		for (let k = 0; k < row.length; k++) slope[k]! += error * row[k]!
	})
}
