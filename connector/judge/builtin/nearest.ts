/**
 * How near short texts are to what is asked, as whole sentences: the encoder tells "flag a bug" from "flag of a country".
 * It reads English and costs a quarter of a millisecond a piece of a word, so it reads only the few texts that the other
 * models put first, and of each the beginning.
 */
import { encoded } from '../encoder/index.ts'
import type { Phrase } from '../text/phrase.ts'
import { dot } from '../text/similarity.ts'
import { glossed, languageRead } from './glossed.ts'

/** Together at most 200 pieces a call: 45 ms. */
export const ASKED_PIECES = 32
export const TEXT_PIECES = 24
const MOST_PIECES = 168
const MOST_TEXTS = 8
/** So many are read whatever their length; of more, long ones may be left out. */
export const SURELY_READ = Math.floor(MOST_PIECES / TEXT_PIECES)
/** A piece has four letters or five. */
const PIECE_UNITS = 4
/** Of longer texts the beginning says too little. */
const LONGEST_MEAN_UNITS = 240

/** How near glosses of another language are says less; fitted on 454 everyday rows in eight of them. */
export const FOREIGN_WORTH = 0.3

/**
 * By how much each text is nearer than the mean of those read, in cosines. `scores` say which come first; a text that
 * is null is not read, and what is not read is taken to be as far as the farthest.
 */
export function nearerThanMost(
	asked: Phrase,
	query: string,
	texts: readonly (string | null)[],
	scores: readonly number[],
): number[] {
	const first = firstOf(texts, scores)
	const units = first.reduce((sum, text) => sum + text.length, 0)
	const language = languageRead(asked.words, query)
	if (first.length < 2 || units > LONGEST_MEAN_UNITS * first.length || language === null)
		return texts.map(() => 0)
	const [unit] = encoded('asked', [glossed(query, language)], ASKED_PIECES)
	const offered = first.map((text) => glossed(text, language))
	const near = encoded('offered', offered, TEXT_PIECES).map((one) => dot(unit!, one))
	const mean = near.reduce((sum, value) => sum + value, 0) / near.length
	const far = Math.min(...near)
	const worth = language ? FOREIGN_WORTH : 1
	const places = new Map(first.map((text, k) => [text, worth * (near[k]! - mean)]))
	return texts.map((text) => (text === null ? undefined : places.get(text)) ?? worth * (far - mean))
}

/** Those with the highest scores, each once, as many as there are pieces for. */
function firstOf(texts: readonly (string | null)[], scores: readonly number[]): string[] {
	const best = new Map<string, number>()
	texts.forEach((text, i) => {
		if (text !== null) best.set(text, Math.max(scores[i]!, best.get(text) ?? Number.NEGATIVE_INFINITY))
	})
	let left = MOST_PIECES
	// By their letters among equals: the order in which they are given says nothing.
	return [...best]
		.sort(([a, x], [b, y]) => y - x || (a < b ? -1 : 1))
		.slice(0, MOST_TEXTS)
		.map(([text]) => text)
		.filter((text) => {
			left -= Math.min(TEXT_PIECES, Math.ceil(text.length / PIECE_UNITS))
			return left >= 0
		})
}

export const isEnglish = ({ words }: Phrase, query: string): boolean => languageRead(words, query) === 0
