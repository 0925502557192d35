/**
 * A small network over two whole sentences as the encoder reads them: one layer, half of whose units speak for and half
 * against. The size of a unit is in its weights, so nothing else is kept of what it says.
 */
import { DIRECTIONS } from '../encoder/encode.ts'
import type { Numbers } from './arrays.ts'

export const UNITS = 8
/** A sentence, and the text in which it stands. */
export const WIDTH = 2 * DIRECTIONS

export interface Sense {
	/** A row of WIDTH numbers for each unit. */
	weights: Float32Array
	/** Of each unit, then of the sum. */
	biases: Float32Array
}

/** For the first half, against for the second. */
export const signOf = (unit: number): 1 | -1 => (unit < UNITS / 2 ? 1 : -1)

/** What each unit takes from one of the two sentences, of length 1. */
export function halves(weights: Float32Array, from: 0 | 1, sentence: Float32Array): Float32Array {
	const out = new Float32Array(UNITS)
	for (let unit = 0; unit < UNITS; unit++) {
		const at = unit * WIDTH + from * DIRECTIONS
		let sum = 0
		for (let k = 0; k < DIRECTIONS; k++) sum += weights[at + k]! * sentence[k]!
		out[unit] = sum
	}
	return out
}

export function summed(biases: Float32Array, sentence: Float32Array, whole: Float32Array): number {
	let sum = biases[UNITS]!
	for (let unit = 0; unit < UNITS; unit++)
		sum += signOf(unit) * Math.max(0, sentence[unit]! + whole[unit]! + biases[unit]!)
	return sum
}

/** Of the sentence that says most. */
export function senseOf(
	{ weights, biases }: Sense,
	whole: Float32Array,
	sentences: readonly Float32Array[],
): number {
	const around = halves(weights, 1, whole)
	return Math.max(...sentences.map((one) => summed(biases, halves(weights, 0, one), around)))
}

/** Eight bits a weight, one scale. */
export function packSense(name: string, { weights, biases }: Sense): Record<string, Numbers> {
	const step = weights.reduce((top, value) => Math.max(top, Math.abs(value)), 1e-9) / MOST
	return {
		[`${name}.weights`]: Int8Array.from(weights, (value) => Math.round(value / step)),
		[`${name}.head`]: Float32Array.of(step, ...biases),
	}
}

const MOST = 127

export function unpackSense(name: string, arrays: Record<string, Numbers>): Sense {
	const [step, ...biases] = arrays[`${name}.head`] as Float32Array
	const weights = Float32Array.from(arrays[`${name}.weights`] as Int8Array, (value) => value * step!)
	return { weights, biases: Float32Array.from(biases) }
}
