/** A text read once: folded, cut into sentences and words. Everything the tools ask of a text, they ask of this. */
import { type Folded, fold } from './fold.ts'
import { type Span, sentences } from './sentences.ts'
import { type Tokens, tokenize } from './tokens.ts'

export interface Document {
	source: string
	folded: Folded
	/** Sentences, as offsets in the source. */
	sentences: Sentence[]
}

export interface Sentence extends Tokens {
	span: Span
	/** The folded text of the sentence. */
	text: string
}

export const read = (source: string): Document => readWith(source, fold)

/** With another folding: only to show what folding is worth. */
export function readWith(source: string, folding: (source: string) => Folded): Document {
	const folded = folding(source)
	const found: Sentence[] = []
	let unit = 0
	for (const span of sentences(source)) {
		while (folded.at[unit]! < span.start) unit++
		const from = unit
		while (folded.at[unit]! < span.end) unit++
		found.push({ span, text: folded.text.slice(from, unit), ...tokenize(folded.text, from, unit) })
	}
	return { source, folded, sentences: found }
}

export const allStems = (document: Document): string[] =>
	document.sentences.flatMap((sentence) => sentence.stems)
