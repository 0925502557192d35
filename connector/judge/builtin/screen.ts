/** Injection, substance and relevance of a text that an agent is about to read. */
import { allStems, read } from '../text/document.ts'
import type { ScreenResult } from '../types.ts'
import type { Basis } from './calls.ts'

const PHRASES = [
	'ignore all previous',
	'ignore previous',
	'ignore the above',
	'ignore all instructions',
	'disregard',
	'forget everything',
	'forget all',
	'forget your',
	'system prompt',
	'you are now',
	'pretend to be',
	'act as',
	'developer mode',
	'jailbreak',
	'do anything now',
	'new instructions',
	'override',
	'instead of',
	'reveal your',
	'your instructions',
	'your response',
	'in your answer',
	'do not tell',
	'without restrictions',
]

export function screen(call: { text: string; purpose?: string }): { basis: Basis } & ScreenResult {
	const document = read(call.text)
	const spans = document.sentences
		.map((sentence) => ({ ...sentence.span, probability: suspicion(sentence.text) }))
		.filter((span) => span.probability >= 0.5)
	const probability = document.sentences.reduce(
		(most, sentence) => Math.max(most, suspicion(sentence.text)),
		0.05,
	)
	const words = document.sentences.reduce((sum, sentence) => sum + sentence.words.length, 0)
	const result = {
		basis: 'text' as const,
		injection: { flagged: probability >= 0.5, probability, spans },
		substance:
			words >= 12
				? { probability: 0.9, reason: 'The text has sentences with content.' }
				: { probability: 0.3, reason: 'The text is too short to tell an agent much.' },
	}
	if (call.purpose === undefined) return result
	const there = new Set(allStems(document))
	const wanted = [...new Set(allStems(read(call.purpose)))].filter((stem) => stem.length > 3)
	const share = wanted.filter((stem) => there.has(stem)).length / Math.max(1, wanted.length)
	return { ...result, relevance: { probability: 0.1 + 0.8 * share } }
}

function suspicion(text: string): number {
	const hits = PHRASES.filter((phrase) => text.includes(phrase)).length
	return hits ? Math.min(0.95, 0.45 + 0.2 * hits) : 0.05
}
