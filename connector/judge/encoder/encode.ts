/**
 * What a sentence means, in 512 directions: the Universal Sentence Encoder lite (two layers of attention over pieces of
 * words), with weights of few bits. Sums of products are whole numbers (see kernel.ts); the rest is plain arithmetic.
 * It reads English, and short texts: its time is that of the pieces it is given.
 */
import type { Weights } from '../learned/arrays.ts'
import { unpackBits } from '../learned/packed.ts'
import { attended } from './attention.ts'
import { embedded, MOST_PIECES, wavesOf } from './embedded.ts'
import { type Bits, layers, matrixOf } from './layers.ts'
import { cutter } from './pieces.ts'

export const DIRECTIONS = 512
const SMALLEST_SPREAD = 1e-6

/** A question and what may answer it are alike in other ways than two questions: each has a last layer of its own. */
export type Side = 'asked' | 'offered'
export type Encode = (side: Side, texts: readonly string[], mostPieces: number) => Float32Array[]

export function encoder(weights: Weights): Encode {
	const { pooled, through } = pooling(weights)
	return (side, texts, mostPieces) => units(through(side, pooled(texts, mostPieces)))
}

/** What goes into the last layer, a row for each text. */
export function pooling({ meta, arrays }: Weights) {
	const bits = meta.bits as Bits
	const cut = cutter((meta.pieces as string).split('\n'), arrays.costs!)
	const table = matrixOf(arrays, 'pieces')
	const places = new Int8Array(table.rows * table.columns)
	unpackBits(table.bits, bits.pieces, places)
	const through = layers(arrays, bits)
	const waves = wavesOf(arrays.waves as Float32Array)
	const norm = (name: string, x: Float32Array) =>
		normed(x, arrays[`${name}.scale`] as Float32Array, arrays[`${name}.shift`] as Float32Array)
	const pooled = (texts: readonly string[], mostPieces: number): Float32Array => {
		const lists = texts.map((text) => cut(text, Math.min(mostPieces, MOST_PIECES)))
		const lengths = lists.map(({ length }) => length)
		let x = embedded(lists, table, places, waves)
		for (const layer of [0, 1] as const) {
			const mixed = attended(through(`qkv${layer}`, norm(`attend${layer}`, x)), lengths)
			x = added(layer ? x : through('in', x), through(`out${layer}`, mixed))
			const inner = through(`up${layer}`, norm(`think${layer}`, x))
			for (let i = 0; i < inner.length; i++) if (inner[i]! < 0) inner[i] = 0
			x = added(x, through(`down${layer}`, inner))
		}
		return means(x, lengths)
	}
	return { pooled, through }
}

function normed(x: Float32Array, scale: Float32Array, shift: Float32Array): Float32Array {
	const { length } = scale
	const out = new Float32Array(x.length)
	for (let from = 0; from < x.length; from += length) {
		let mean = 0
		for (let k = 0; k < length; k++) mean += x[from + k]!
		mean /= length
		let square = 0
		for (let k = 0; k < length; k++) square += (x[from + k]! - mean) ** 2
		const inverse = 1 / Math.sqrt(square / length + SMALLEST_SPREAD)
		for (let k = 0; k < length; k++) out[from + k] = (x[from + k]! - mean) * inverse * scale[k]! + shift[k]!
	}
	return out
}

/** The sum, in place of the second. */
function added(x: Float32Array, y: Float32Array): Float32Array {
	for (let i = 0; i < y.length; i++) y[i]! += x[i]!
	return y
}

function means(x: Float32Array, lengths: readonly number[]): Float32Array {
	const out = new Float32Array(lengths.length * DIRECTIONS)
	let at = 0
	lengths.forEach((length, text) => {
		for (let i = 0; i < length; i++, at += DIRECTIONS)
			for (let k = 0; k < DIRECTIONS; k++) out[text * DIRECTIONS + k]! += x[at + k]! / length
	})
	return out
}

function units(x: Float32Array): Float32Array[] {
	return Array.from({ length: x.length / DIRECTIONS }, (_, text) => {
		const row = x.slice(text * DIRECTIONS, (text + 1) * DIRECTIONS).map(Math.tanh)
		const length = Math.hypot(...row) || 1
		return row.map((value) => value / length)
	})
}
