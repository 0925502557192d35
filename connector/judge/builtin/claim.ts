/** A claim beside its evidence, as the numbers the model reads, and the passage those rest on. */
import { COMPARED, compare } from '../text/compare.ts'
import type { Document } from '../text/document.ts'
import { FUNCTION, NAME, NUMBER, phrase } from '../text/phrase.ts'
import type { Passages } from './passages.ts'

/** Sentences joined for a claim that no single one settles. */
const JOINED = 4
/** Of a claim that is a page itself, the first sentences are looked up one by one. */
const SENTENCES_READ = 24
const OF_WHOLE = [
	'whole',
	'wholeNames',
	'wholeNumbers',
	'top',
	'lead',
	'passages',
	'sentences',
	'leastSentence',
	'meanSentence',
	'question',
	'sources',
] as const

export const CLAIM_FEATURES = [
	...COMPARED.map((name) => `best.${name}`),
	...COMPARED.map((name) => `joined.${name}`),
	...OF_WHOLE,
]

export interface ClaimView {
	features: Float32Array
	/** Place of the nearest passage, or −1 where none shares a word. */
	best: number
}

export function viewClaim(claim: Document, evidence: Passages): ClaimView {
	const said = phrase(claim.source, claim.folded.at, claim.sentences)
	const near = evidence.nearest(said.words, said.stems, JOINED)
	const features = new Float32Array(CLAIM_FEATURES.length)
	if (!near.length) return { features, best: -1 }
	const { list } = evidence
	const best = near[0]!.place
	const first = compare(said, evidence.phrase([best]))
	features.set(first)
	// Joined sentences come from one source: offsets and capitals are read in its text.
	const joined = new Set([best])
	for (const { place } of near.slice(1)) if (list[place]!.source === list[best]!.source) joined.add(place)
	for (const place of [best - 1, best + 1])
		if (joined.size <= JOINED && list[place]?.source === list[best]!.source) joined.add(place)
	const places = [...joined].sort((a, b) => a - b)
	features.set(places.length === 1 ? first : compare(said, evidence.phrase(places)), COMPARED.length)
	features.set(wholeOf(claim, said, near, evidence), 2 * COMPARED.length)
	return { features, best }
}

function wholeOf(
	claim: Document,
	said: ReturnType<typeof phrase>,
	near: { place: number; score: number }[],
	evidence: Passages,
): number[] {
	let total = 0
	let covered = 0
	const counts = { names: 0, namesFound: 0, numbers: 0, numbersFound: 0 }
	let ideal = 0
	for (let i = 0; i < said.words.length; i++) {
		const weight = evidence.weight(said.words[i]!, said.stems[i]!)
		const found = evidence.has(said.stems[i]!)
		ideal += weight
		total += said.weights[i]!
		if (found) covered += said.weights[i]!
		if (said.marks[i]! & FUNCTION) continue
		if (said.marks[i]! & NAME) {
			counts.names++
			if (found) counts.namesFound++
		}
		if (said.marks[i]! & NUMBER) {
			counts.numbers++
			if (found) counts.numbersFound++
		}
	}
	const shares = claim.sentences.slice(0, SENTENCES_READ).map((sentence) => {
		const [top] = evidence.nearest(sentence.words, sentence.stems, 1)
		let most = 0
		for (let i = 0; i < sentence.words.length; i++)
			most += evidence.weight(sentence.words[i]!, sentence.stems[i]!)
		return top && most ? Math.min(1.5, top.score / most) : 0
	})
	return [
		total ? covered / total : 0,
		counts.names ? counts.namesFound / counts.names : 1,
		counts.numbers ? counts.numbersFound / counts.numbers : 1,
		ideal ? near[0]!.score / ideal : 0,
		ideal ? (near[0]!.score - (near[1]?.score ?? 0)) / ideal : 0,
		Math.log1p(evidence.list.length),
		claim.sentences.length,
		Math.min(1.5, ...shares),
		shares.reduce((a, b) => a + b, 0) / Math.max(1, shares.length),
		claim.source.includes('?') ? 1 : 0,
		Math.log1p(new Set(evidence.list.map(({ source }) => source)).size),
	]
}
