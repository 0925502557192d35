/** Claims against evidence: the sentences nearest to a claim, what they cover of it and where they differ. */
import { type Document, read, type Sentence } from '../text/document.ts'
import { bm25 } from '../text/similarity.ts'
import type { Basis, Verdict } from './calls.ts'

const NEGATIONS = new Set(
	'not no never none nobody nothing neither nor without cannot kein keine nicht nie sin nunca jamais pas'.split(
		' ',
	),
)
const isNegation = (word: string) => NEGATIONS.has(word) || word.endsWith("n't")

export function verify(call: { claims: string[]; evidence: string[] }): { basis: Basis; results: Verdict[] } {
	const documents = call.evidence.map(read)
	const passages = documents.flatMap((document, source) =>
		document.sentences.map((sentence) => ({ source, sentence })),
	)
	const index = bm25(
		passages.map(({ sentence }) => sentence.stems),
		() => 4,
	)
	const results = call.claims.map((claim) => judgeClaim(read(claim), passages, index))
	return { basis: passages.length ? 'evidence' : 'none', results }
}

function judgeClaim(
	claim: Document,
	passages: { source: number; sentence: Sentence }[],
	index: ReturnType<typeof bm25>,
): Verdict {
	const stems = claim.sentences.flatMap((sentence) => sentence.stems)
	const words = claim.sentences.flatMap((sentence) => sentence.words)
	let best = -1
	let bestScore = 0
	for (let i = 0; i < passages.length; i++) {
		const score = index.score(stems, i)
		if (score > bestScore) [best, bestScore] = [i, score]
	}
	if (best < 0) return toVerdict({ verified: 0.1, contradicted: 0.1, unsupported: 0.8 }, null)
	const { source, sentence } = passages[best]!
	const there = new Set(sentence.stems)
	let covered = 0
	let total = 0
	for (const stem of new Set(stems)) {
		total += index.idf(stem)
		if (there.has(stem)) covered += index.idf(stem)
	}
	const coverage = total ? covered / total : 0
	const numbers = words.filter((word) => /^\d/.test(word))
	const wrongNumber =
		numbers.some((number) => !there.has(number)) && sentence.words.some((word) => /^\d/.test(word))
	const negated = words.some(isNegation) !== sentence.words.some(isNegation)
	const conflict = (wrongNumber ? 1.5 : 0) + (negated ? 1.2 : 0)
	const verified = Math.exp(4 * coverage - 2 - conflict)
	const contradicted = Math.exp(2 * coverage - 1.5 + conflict)
	const sum = 1 + verified + contradicted
	const evidence = { source, start: sentence.span.start, end: sentence.span.end }
	return toVerdict(
		{ verified: verified / sum, contradicted: contradicted / sum, unsupported: 1 / sum },
		evidence,
	)
}

function toVerdict(probabilities: Verdict['probabilities'], evidence: Verdict['evidence']): Verdict {
	const verdict = (['verified', 'contradicted', 'unsupported'] as const).reduce((a, b) =>
		probabilities[b] > probabilities[a] ? b : a,
	)
	const passage = verdict === 'unsupported' ? null : evidence
	return { verdict, confidence: probabilities[verdict], evidence: passage, probabilities }
}
