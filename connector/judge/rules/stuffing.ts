/** A candidate that only repeats what is asked says nothing of it: the query's words again and again, or a bare claim to be the answer. */
import { type Document, read, type Sentence } from '../text/document.ts'
import { FUNCTION, type Phrase } from '../text/phrase.ts'

const FEWEST_WORDS = 5
const MOST_SHARE = 0.55
const MOST_TIMES = 1.8
const CLAIMS_TO_ANSWER =
	/\b(best (?:answer|result|match|page)|top result|click here|answers? (?:to )?(?:the|your) (?:question|query)|keywords?:|tags:)/

export function isStuffed(query: Phrase, sentences: readonly Sentence[]): boolean {
	const wanted = new Set(query.stems.filter((_, i) => !(query.marks[i]! & FUNCTION)))
	const asked = wanted.size ? wanted : new Set(query.stems)
	const counts = new Map<string, number>()
	let words = 0
	for (const { stems } of sentences)
		for (const stem of stems) {
			words++
			if (asked.has(stem)) counts.set(stem, (counts.get(stem) ?? 0) + 1)
		}
	const found = [...counts.values()].reduce((a, b) => a + b, 0)
	if (!counts.size || words < FEWEST_WORDS) return false
	// Function words of the query are repeated as well.
	const own = query.stems.length / Math.max(1, asked.size)
	const share = (found * own) / words
	if (found / counts.size >= MOST_TIMES && share >= MOST_SHARE) return true
	const all = counts.size === asked.size && asked.size > 1
	return all && sentences.some(({ text }) => CLAIMS_TO_ANSWER.test(text))
}

const FEWEST_ECHOED = 4

/**
 * The text without the whole query word for word behind other words: it says nothing of what it stands beside. At the
 * beginning it is a heading, or the question that a page answers.
 */
export function withoutEcho(query: Phrase, document: Document): Document {
	const wanted = query.stems
	if (wanted.length < FEWEST_ECHOED) return document
	const stems = document.sentences.flatMap((sentence) => sentence.stems)
	const starts = document.sentences.flatMap((sentence) => sentence.starts)
	const ends = document.sentences.flatMap((sentence) => sentence.ends)
	for (let from = 1; from + wanted.length <= stems.length; from++) {
		if (stems[from] !== wanted[0] || !wanted.every((stem, k) => stems[from + k] === stem)) continue
		const { source, folded } = document
		const end = folded.at[ends[from + wanted.length - 1]!] ?? source.length
		return read(source.slice(0, folded.at[starts[from]!]) + source.slice(end))
	}
	return document
}
