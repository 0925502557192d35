/** Candidates by how well they answer a query: a learned mix of word, character and meaning overlap. Stuffing costs rank. */
import { margin } from '../learned/ensemble.ts'
import { sigmoid } from '../learned/trees.ts'
import { isStuffed, withoutEcho } from '../rules/stuffing.ts'
import type { Calls } from './calls.ts'
import type { Models } from './models.ts'
import { FOUND, foundFeatures, phraseOf, readName } from './ranked.ts'

/** What a stuffed candidate keeps of its score. */
const STUFFED = 0.02
/** Nothing found by words is surer. */
export const MOST = 0.9

export function find({ ensembles }: Models, call: Calls['find'][0]): Calls['find'][1] {
	const query = phraseOf(call.query)
	const candidates = call.candidates.map(readName)
	const rows = foundFeatures(
		query,
		candidates.map((candidate) => withoutEcho(query, candidate)),
	)
	const { slope, offset } = ensembles.find
	const meant = beyondWords(rows)
	return {
		basis: 'text',
		scores: rows.map((row, i) => {
			const score = sigmoid(slope * (margin(ensembles.find, row) + meant[i]!) + offset)
			return MOST * (isStuffed(query, candidates[i]!.sentences) ? STUFFED * score : score)
		}),
	}
}

const [SHARE, LENGTH, REST, SOFT] = ['share', 'lengthB', 'meantRest', 'meantSoft'].map((name) =>
	FOUND.indexOf(name),
) as [number, number, number, number]
/** No candidate has more of the query than this: what they share may be chance. */
const LITTLE_SHARED = 0.35
/** Mean logarithm of their words: about ten. Longer texts share the words that count. */
const SHORT = 2.4
/** Chosen on development rows and on the half of the probes that is for tuning. */
const WORTH = 2

/** Among short candidates that share little with the query, what is meant apart from the shared words counts more. */
function beyondWords(rows: readonly Float32Array[]): number[] {
	const length = rows.reduce((sum, row) => sum + row[LENGTH]!, 0) / rows.length
	if (length >= SHORT || rows.some((row) => row[SHARE]! >= LITTLE_SHARED)) return rows.map(() => 0)
	const meant = rows.map((row) => WORTH * (row[REST]! + row[SOFT]!))
	const mean = meant.reduce((sum, value) => sum + value, 0) / meant.length
	return meant.map((value) => value - mean)
}
