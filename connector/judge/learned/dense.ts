/** Logistic regression on a few dozen plain features, standardised: the steady half of an ensemble with trees. */
import type { Numbers } from './arrays.ts'

export interface Dense {
	mean: Float32Array
	scale: Float32Array
	weights: Float32Array
	bias: number
}

/** Far values of an unseen source are held at this many deviations. */
export const CLIP = 4

export function denseMargin({ mean, scale, weights, bias }: Dense, row: ArrayLike<number>): number {
	let z = bias
	for (let k = 0; k < weights.length; k++) {
		const value = (row[k]! - mean[k]!) * scale[k]!
		z += weights[k]! * Math.max(-CLIP, Math.min(CLIP, value))
	}
	return z
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
