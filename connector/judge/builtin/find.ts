/** Candidates by how well they answer a query: a learned mix of word, character and meaning overlap. */
import { probability } from '../learned/ensemble.ts'
import type { Calls } from './calls.ts'
import type { Models } from './models.ts'
import { phraseOf, rankedFeatures, readName } from './ranked.ts'

export function find({ ensembles }: Models, call: Calls['find'][0]): Calls['find'][1] {
	const rows = rankedFeatures(phraseOf(call.query), call.candidates.map(readName))
	return { basis: 'text', scores: rows.map((row) => probability(ensembles.find, row)) }
}
