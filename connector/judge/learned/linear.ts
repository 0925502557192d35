/** Logistic regression over hashed features of a sentence; a text is as suspect as its worst sentences. */
import type { Numbers } from './arrays.ts'

export interface Linear {
	/** Weights of features; the last entry is the bias. */
	weights: Float32Array
}

/** Features of a sentence share its say: long sentences speak no louder. */
export const LOUDNESS = 3

export function margin({ weights }: Linear, features: ArrayLike<number>): number {
	let sum = 0
	for (let i = 0; i < features.length; i++) sum += weights[features[i]!]!
	return weights[weights.length - 1]! + (features.length ? (LOUDNESS * sum) / Math.sqrt(features.length) : 0)
}

/** Eight bits a weight, one scale, the bias apart. */
export function packLinear(name: string, { weights }: Linear): Record<string, Numbers> {
	const size = weights.length - 1
	let top = 1e-9
	for (let i = 0; i < size; i++) top = Math.max(top, Math.abs(weights[i]!))
	return {
		[`${name}.head`]: Float32Array.of(weights[size]!, top),
		[`${name}.weights`]: Int8Array.from(weights.subarray(0, size), (weight) =>
			Math.round((weight / top) * 127),
		),
	}
}

export function unpackLinear(name: string, arrays: Record<string, Numbers>): Linear {
	const [bias, top] = arrays[`${name}.head`] as Float32Array
	const packed = arrays[`${name}.weights`] as Int8Array
	const weights = new Float32Array(packed.length + 1)
	for (let i = 0; i < packed.length; i++) weights[i] = (packed[i]! / 127) * top!
	weights[packed.length] = bias!
	return { weights }
}
