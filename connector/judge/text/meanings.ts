/**
 * What a text is about, whatever its words: the sum of what its words mean, as learned from definitions and from questions
 * with their answers (see connector/judge/lab/train/meanings.ts). A word that says little is short. English words, and those that another
 * language has for them.
 */
import { loadWeights } from '../learned/arrays.ts'
import { weightsFile } from '../learned/files.ts'
import { unpackBits } from '../learned/packed.ts'
import { FUNCTION, type Phrase } from './phrase.ts'

const { meta, arrays } = loadWeights(weightsFile('meanings.bin'))
export const DIRECTIONS = meta.dimensions as number
/** How much a word counts, and what one step of its vector is, for a vector of length 1. */
const loudness = arrays.loudness as Float32Array
const vectors = new Int8Array(loudness.length * DIRECTIONS)
unpackBits(arrays.vectors as Uint8Array, meta.bits as number, vectors)
const steps = Float32Array.from(loudness, (_, word) => {
	let square = 0
	for (let k = word * DIRECTIONS; k < (word + 1) * DIRECTIONS; k++) square += vectors[k]! * vectors[k]!
	return 1 / (Math.sqrt(square) || 1)
})

/** Words of the phrase that have a meaning of their own, by place. */
export function telling({ ids, marks }: Phrase): number[] {
	const list: number[] = []
	for (let i = 0; i < ids.length; i++) if (ids[i]! >= 0 && !(marks[i]! & FUNCTION)) list.push(i)
	return list
}

export const loudnessOf = (id: number): number => loudness[id]!

/** Sum of what the words at these places mean, of length 1, or 0 where there is none. */
export function meaningOf({ ids }: Phrase, places: readonly number[]): Float32Array {
	const unit = new Float32Array(DIRECTIONS)
	for (const place of places) {
		const id = ids[place]!
		const scale = loudness[id]! * steps[id]!
		for (let k = 0; k < DIRECTIONS; k++) unit[k]! += scale * vectors[id * DIRECTIONS + k]!
	}
	let square = 0
	for (let k = 0; k < DIRECTIONS; k++) square += unit[k]! * unit[k]!
	if (square) for (let k = 0; k < DIRECTIONS; k++) unit[k]! /= Math.sqrt(square)
	return unit
}

/** Cosine of what two words mean, by id. */
export function akin(a: number, b: number): number {
	let sum = 0
	for (let k = 0; k < DIRECTIONS; k++) sum += vectors[a * DIRECTIONS + k]! * vectors[b * DIRECTIONS + k]!
	return sum * steps[a]! * steps[b]!
}
