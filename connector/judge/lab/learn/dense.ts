import { CLIP, type Dense } from '../../learned/dense.ts'
import type { Examples } from './boost.ts'

const STEPS = 400
const RATE = 0.5

/** Full-batch descent with momentum: no order of rows, no seed. `decay` pulls weights to zero. */
export function trainDense({ x, y, weights: importance }: Examples, decay: number): Dense {
	const width = x[0]!.length
	const total = sum(importance)
	const { mean, scale } = moments(x, importance, total)
	const rows = x.map((row) => standard(row, mean, scale))
	const weights = new Float64Array(width)
	const speed = new Float64Array(width)
	let bias = 0
	let biasSpeed = 0
	for (let step = 0; step < STEPS; step++) {
		const slope = new Float64Array(width)
		let biasSlope = 0
		for (let i = 0; i < rows.length; i++) {
			const row = rows[i]!
			let z = bias
			for (let k = 0; k < width; k++) z += weights[k]! * row[k]!
			const error = ((1 / (1 + Math.exp(-z)) - y[i]!) * importance[i]!) / total
			biasSlope += error
			for (let k = 0; k < width; k++) slope[k]! += error * row[k]!
		}
		const rate = RATE * (1 - step / STEPS)
		for (let k = 0; k < width; k++) {
			speed[k] = 0.9 * speed[k]! - rate * (slope[k]! + decay * weights[k]!)
			weights[k]! += speed[k]!
		}
		biasSpeed = 0.9 * biasSpeed - rate * biasSlope
		bias += biasSpeed
	}
	return { mean, scale, weights: Float32Array.from(weights), bias }
}

const sum = (list: ArrayLike<number>): number => {
	let total = 0
	for (let i = 0; i < list.length; i++) total += list[i]!
	return total
}

function moments(x: readonly ArrayLike<number>[], importance: ArrayLike<number>, total: number) {
	const width = x[0]!.length
	const mean = new Float32Array(width)
	const scale = new Float32Array(width)
	for (let k = 0; k < width; k++) {
		let m = 0
		for (let i = 0; i < x.length; i++) m += (importance[i]! * x[i]![k]!) / total
		let v = 0
		for (let i = 0; i < x.length; i++) v += (importance[i]! * (x[i]![k]! - m) ** 2) / total
		mean[k] = m
		scale[k] = v > 1e-8 ? 1 / Math.sqrt(v) : 0
	}
	return { mean, scale }
}

function standard(row: ArrayLike<number>, mean: Float32Array, scale: Float32Array): Float32Array {
	return Float32Array.from(mean, (m, k) => Math.max(-CLIP, Math.min(CLIP, (row[k]! - m) * scale[k]!)))
}
