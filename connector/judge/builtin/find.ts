import { allStems, read } from '../text/document.ts'
import { bm25, charVector, dot } from '../text/similarity.ts'
import type { Basis } from './calls.ts'

export function find(call: { query: string; candidates: string[] }): { basis: Basis; scores: number[] } {
	const query = read(call.query)
	const documents = call.candidates.map(read)
	const index = bm25(documents.map(allStems), () => 4)
	const stems = allStems(query)
	const vector = charVector(query.sentences.flatMap((sentence) => sentence.words))
	const scores = documents.map((document, i) => {
		const words = document.sentences.flatMap((sentence) => sentence.words)
		const lexical = index.score(stems, i)
		return 0.5 * (lexical / (lexical + 8)) + 0.5 * dot(vector, charVector(words))
	})
	return { basis: 'text', scores }
}
