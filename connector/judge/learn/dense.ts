/** Logistic regression on a few dozen plain features, standardised: the steady half of an ensemble with trees. */
import type { Numbers } from './arrays.ts'
import type { Examples } from './boost.ts'

export interface Dense {
	mean: Float32Array
	scale: Float32Array
	weights: Float32Array
	bias: number
}

const STEPS = 400
const RATE = 0.5
/** Far values of an unseen source are held at this many deviations. */
const CLIP = 4

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

export function denseMargin({ mean, scale, weights, bias }: Dense, row: ArrayLike<number>): number {
	let z = bias
	for (let k = 0; k < weights.length; k++) {
		const value = (row[k]! - mean[k]!) * scale[k]!
		z += weights[k]! * Math.max(-CLIP, Math.min(CLIP, value))
	}
	return z
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

export const packDense = (name: string, { mean, scale, weights, bias }: Dense): Record<string, Numbers> => ({
	[`${name}.mean`]: mean,
	[`${name}.scale`]: scale,
	[`${name}.weights`]: Float32Array.of(...weights, bias),
})

export function unpackDense(name: string, arrays: Record<string, Numbers>): Dense {
	const packed = arrays[`${name}.weights`] as Float32Array
	return {
		mean: arrays[`${name}.mean`] as Float32Array,
		scale: arrays[`${name}.scale`] as Float32Array,
		weights: packed.subarray(0, -1),
		bias: packed.at(-1)!,
	}
}
