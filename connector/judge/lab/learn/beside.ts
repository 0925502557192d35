/**
 * Logistic regression beside margins that stand: what these leave over, learned from many small numbers, which stay as
 * they are measured, so that those that hardly vary hardly count. Full-batch descent with momentum: no order, no seed.
 */
import { sigmoid } from '../../learned/trees.ts'

const STEPS = 300
const RATE = 10
const MOMENTUM = 0.9

export interface Beside {
	rows: readonly Float32Array[]
	y: readonly number[]
	margins: ArrayLike<number>
	weights: ArrayLike<number>
}

/** A weight for each number, then the bias that makes the mean row count nothing. `decay` pulls weights to zero. */
export function trainBeside({ rows, y, margins, weights }: Beside, decay: number): Float32Array {
	const width = rows[0]!.length
	const total = rows.reduce((sum, _, i) => sum + weights[i]!, 0)
	const mean = new Float64Array(width)
	rows.forEach((row, i) => {
		for (let k = 0; k < width; k++) mean[k]! += (weights[i]! * row[k]!) / total
	})
	// Steps fit numbers that vary by one: smaller ones are stretched together.
	let spread = 0
	rows.forEach((row, i) => {
		for (let k = 0; k < width; k++) spread += (weights[i]! * (row[k]! - mean[k]!) ** 2) / total
	})
	const stretch = 1 / Math.sqrt(spread || 1)
	const learned = new Float64Array(width)
	const speed = new Float64Array(width)
	for (let step = 0; step < STEPS; step++) {
		const slope = new Float64Array(width)
		rows.forEach((row, i) => {
			let z = margins[i]!
			for (let k = 0; k < width; k++) z += learned[k]! * stretch * (row[k]! - mean[k]!)
			const error = ((sigmoid(z) - y[i]!) * weights[i]! * stretch) / total
			for (let k = 0; k < width; k++) slope[k]! += error * (row[k]! - mean[k]!)
		})
		const rate = RATE * (1 - step / STEPS)
		for (let k = 0; k < width; k++) {
			speed[k] = MOMENTUM * speed[k]! - rate * (slope[k]! + decay * learned[k]!)
			learned[k]! += speed[k]!
		}
	}
	const out = new Float32Array(width + 1)
	for (let k = 0; k < width; k++) {
		out[k] = learned[k]! * stretch
		out[width]! -= out[k]! * mean[k]!
	}
	return out
}
