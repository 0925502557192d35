/** Lexical likeness: BM25 over stems inside one call, and cosine of hashed character n-grams. */
import { mix } from './hash.ts'

const K1 = 1.2
const B = 0.75

export interface Bm25 {
	idf(stem: string): number
	score(query: readonly string[], text: number): number
}

/** Statistics of the texts of one call. `prior` gives the rarity of a word in general, which few texts cannot show. */
export function bm25(texts: readonly (readonly string[])[], prior: (stem: string) => number): Bm25 {
	const counts = texts.map((stems) => {
		const count = new Map<string, number>()
		for (const stem of stems) count.set(stem, (count.get(stem) ?? 0) + 1)
		return count
	})
	const found = new Map<string, number>()
	for (const count of counts) for (const stem of count.keys()) found.set(stem, (found.get(stem) ?? 0) + 1)
	const mean = texts.reduce((sum, stems) => sum + stems.length, 0) / Math.max(1, texts.length) || 1
	const idf = (stem: string) => {
		const n = found.get(stem) ?? 0
		const local = Math.log(1 + (texts.length - n + 0.5) / (n + 0.5))
		const weight = texts.length / (texts.length + 20)
		return weight * local + (1 - weight) * prior(stem)
	}
	return {
		idf,
		score(query, text) {
			const count = counts[text]!
			const norm = K1 * (1 - B + (B * texts[text]!.length) / mean)
			let score = 0
			for (const stem of new Set(query)) {
				const tf = count.get(stem)
				if (tf) score += (idf(stem) * tf * (K1 + 1)) / (tf + norm)
			}
			return score
		},
	}
}

const BUCKETS = 1 << 12

/** Counts of character 3- and 4-grams of the words of a folded text, hashed, scaled by the root, of length 1. */
export function charVector(words: readonly string[]): Float32Array {
	const vector = new Float32Array(BUCKETS)
	for (const word of words) {
		const padded = ` ${word} `
		for (let n = 3; n <= 4; n++) {
			for (let i = 0; i + n <= padded.length; i++) {
				let h = 0x811c9dc5
				for (let k = i; k < i + n; k++) h = Math.imul(h ^ padded.charCodeAt(k), 0x01000193)
				vector[mix(h) & (BUCKETS - 1)]! += 1
			}
		}
	}
	let square = 0
	for (let i = 0; i < BUCKETS; i++) {
		const count = vector[i]!
		if (!count) continue
		vector[i] = Math.sqrt(count)
		square += count
	}
	if (square) for (let i = 0; i < BUCKETS; i++) vector[i]! /= Math.sqrt(square)
	return vector
}

export function dot(a: Float32Array, b: Float32Array): number {
	let sum = 0
	for (let i = 0; i < a.length; i++) sum += a[i]! * b[i]!
	return sum
}
