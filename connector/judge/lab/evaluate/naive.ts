/** What a few lines of code answer: the floor that every judge is measured against, in the same run. */
import { allStems, read } from '../../text/document.ts'
import { bm25, charVector, dot } from '../../text/similarity.ts'
import type { Judge } from '../../types.ts'

const stems = (text: string) => allStems(read(text))
const words = (text: string) => read(text).sentences.flatMap((sentence) => sentence.words)

/** Share of the words of `a` that `b` has. */
function overlap(a: string, b: string): number {
	const wanted = new Set(stems(a))
	const there = new Set(stems(b))
	let count = 0
	for (const stem of wanted) if (there.has(stem)) count++
	return wanted.size ? count / wanted.size : 0
}

const likeness = (a: string, b: string) => dot(charVector(words(a)), charVector(words(b)))
const NEGATION = /\b(not|no|never|n't)\b/i
const TRIGGERS = [
	'ignore',
	'disregard',
	'instruction',
	'system prompt',
	'pretend',
	'jailbreak',
	'override',
	'forget',
	'bypass',
	'password',
	'secret',
]
const flat = (n: number) => Array.from({ length: n }, () => 1 / n)

export function naiveJudge(): Judge {
	const judge = { backend: 'naive', calibration: 'none' }
	return {
		async verify({ claims, evidence }) {
			const all = evidence.join('\n')
			const results = claims.map((claim) => {
				const share = overlap(claim, all)
				const against = NEGATION.test(claim) !== NEGATION.test(all)
				const verdict = share < 0.5 ? 'unsupported' : against ? 'contradicted' : 'verified'
				return { verdict, confidence: Math.max(0.34, share), evidence: null } as const
			})
			return { results, basis: 'evidence', judge }
		},
		async screen({ text, purpose }) {
			const low = text.toLowerCase()
			const hits = TRIGGERS.filter((word) => low.includes(word)).length
			const probability = hits ? Math.min(0.95, 0.5 + 0.15 * hits) : 0.2
			return {
				injection: { flagged: hits > 0, probability, spans: [] },
				substance: { probability: 0.5, reason: '' },
				...(purpose === undefined ? {} : { relevance: { probability: overlap(purpose, text) } }),
				basis: 'text',
				judge,
			}
		},
		async find({ query, candidates }) {
			const index = bm25(candidates.map(stems), () => 1)
			const wanted = stems(query)
			return { scores: candidates.map((_, i) => index.score(wanted, i)), basis: 'text', judge }
		},
		async noul({ propositions, context }) {
			return {
				probabilities: propositions.map((one) => (context ? overlap(one, context) : 0.5)),
				basis: 'none',
				judge,
			}
		},
		async choice({ question, options, context }) {
			const shares = options.map((option) => likeness(option, context ?? question))
			const top = shares.indexOf(Math.max(...shares))
			return {
				probabilities: flat(options.length).map((p, i) =>
					i === top ? p + 0.01 : p - 0.01 / (options.length - 1),
				),
				basis: 'text',
				judge,
			}
		},
		async score({ levels, context = '' }) {
			return { probabilities: scored(levels.length, context), basis: 'text', judge }
		},
		async close() {},
	}
}

function scored(levels: number, context: string): number[] {
	const [first = '', ...rest] = context.split('\n')
	const place = likeness(first, rest.join('\n')) * (levels - 1)
	const low = Math.min(levels - 2, Math.floor(place))
	return Array.from({ length: levels }, (_, i) =>
		i === low ? 1 - (place - low) : i === low + 1 ? place - low : 0,
	)
}
