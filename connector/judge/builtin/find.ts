/** Candidates by how well they answer a query: a learned mix of word, character and meaning overlap. Stuffing costs rank. */
import { probability } from '../learned/ensemble.ts'
import { isStuffed, withoutEcho } from '../rules/stuffing.ts'
import type { Calls } from './calls.ts'
import type { Models } from './models.ts'
import { foundFeatures, phraseOf, readName } from './ranked.ts'

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
	return {
		basis: 'text',
		scores: rows.map((row, i) => {
			const score = probability(ensembles.find, row)
			return MOST * (isStuffed(query, candidates[i]!.sentences) ? STUFFED * score : score)
		}),
	}
}
