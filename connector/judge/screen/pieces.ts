/**
 * Cuts sentences further for screening: an order hides in one field of a record, one cell of a table, or the middle of
 * a line without stops. Quoted values and cells become pieces; long pieces are also read through a sliding window.
 */
import type { Document, Sentence } from '../text/document.ts'

const WINDOW_WORDS = 18
const STEP_WORDS = 9
const LONG_WORDS = 26
const FEWEST_WORDS = 2

export function pieces(document: Document): Sentence[] {
	const out: Sentence[] = []
	for (const sentence of document.sentences) {
		const cuts = cutsIn(document, sentence)
		for (let i = 0; i + 1 < cuts.length; i++) {
			const [from, to] = [cuts[i]!, cuts[i + 1]!]
			if (cuts.length > 2 && to - from < FEWEST_WORDS) continue
			out.push(cuts.length > 2 ? slice(document, sentence, from, to) : sentence)
			if (to - from <= LONG_WORDS) continue
			for (let at = from; at < to - STEP_WORDS; at += STEP_WORDS) {
				out.push(slice(document, sentence, at, Math.min(to, at + WINDOW_WORDS)))
			}
		}
	}
	return out
}

/** Places among the words before which a field or a cell ends: a closing quote with , : } ] behind it, or a bar. */
function cutsIn({ source, folded }: Document, { starts, ends, words }: Sentence): number[] {
	const cuts = [0]
	for (let k = 1; k < words.length; k++) {
		const [from, to] = [folded.at[ends[k - 1]!]!, folded.at[starts[k]!]!]
		for (let i = from; i < to; i++) {
			const unit = source.charCodeAt(i)
			if (unit !== 124 && !((unit === 39 || unit === 34) && closesField(source.charCodeAt(i + 1)))) continue
			cuts.push(k)
			break
		}
	}
	cuts.push(words.length)
	return cuts
}

const closesField = (unit: number): boolean => unit === 44 || unit === 58 || unit === 125 || unit === 93

function slice({ folded }: Document, sentence: Sentence, from: number, to: number): Sentence {
	const [start, end] = [sentence.starts[from]!, sentence.ends[to - 1]!]
	return {
		words: sentence.words.slice(from, to),
		stems: sentence.stems.slice(from, to),
		starts: sentence.starts.slice(from, to),
		ends: sentence.ends.slice(from, to),
		text: folded.text.slice(start, end),
		span: { start: folded.at[start]!, end: folded.at[end]! },
	}
}
