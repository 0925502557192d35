/** A stretch of text as the comparison wants it: one entry per word, with what the lexicon knows of it. */
import { classOf, DIGIT, isUpper } from './chars.ts'
import { type Document, read, type Sentence } from './document.ts'
import { languageOf, meaningId } from './languages.ts'
import { addVector, FUNCTION_BELOW as COMMON, DIMENSIONS, rarity, wordId } from './lexicon.ts'
import { charVector } from './similarity.ts'

export interface Phrase {
	words: string[]
	stems: string[]
	ids: Int32Array
	weights: Float32Array
	/** Bits of `NAME`, `NUMBER`, `NEGATION`, `FUNCTION`. */
	marks: Uint8Array
	/** First place of every stem. */
	places: Map<string, number>
	total: number
	chars(): Float32Array
	/** Mean word vector, of length 1 (or 0 where no word is known). */
	meaning(): Float32Array
}

export const NAME = 1
export const NUMBER = 2
export const NEGATION = 4
export const FUNCTION = 8

const NEGATIONS = new Set(
	'not no never none nobody nothing neither nor without cannot unable fail failed lack lacks lacked refuse refused deny denied denies false kein keine keinen keiner nicht nie niemals ohne no sin nunca jamas ninguno pas jamais aucun sans non mai niet geen nao nem не нет никогда без'.split(
		' ',
	),
)

/** `source` gives the capitals that folding took away. */
export function phrase(source: string, offsets: ArrayLike<number>, sentences: readonly Sentence[]): Phrase {
	const words = sentences.flatMap((sentence) => sentence.words)
	const stems = sentences.flatMap((sentence) => sentence.stems)
	const language = languageOf(words)
	const ids = new Int32Array(words.length)
	const weights = new Float32Array(words.length)
	const marks = new Uint8Array(words.length)
	const places = new Map<string, number>()
	let total = 0
	let i = 0
	for (const sentence of sentences) {
		for (let k = 0; k < sentence.words.length; k++, i++) {
			const word = words[i]!
			ids[i] = idOf(word, language)
			weights[i] = rarity(word, ids[i]!)
			const capital = isUpper(source.charCodeAt(offsets[sentence.starts[k]!]!))
			marks[i] = marksOf(word, weights[i]!, capital && (k > 0 || weights[i]! > 7))
			total += weights[i]!
			if (!places.has(stems[i]!)) places.set(stems[i]!, i)
		}
	}
	let chars: Float32Array | undefined
	let meaning: Float32Array | undefined
	return {
		words,
		stems,
		ids,
		weights,
		marks,
		places,
		total,
		chars: () => (chars ??= charVector(words)),
		meaning: () => (meaning ??= meanVector(ids, weights)),
	}
}

export const whole = ({ source, folded, sentences }: Document): Phrase => phrase(source, folded.at, sentences)
export const phraseOf = (text: string): Phrase => whole(read(text))

function idOf(word: string, language: number): number {
	if (language) {
		const meant = meaningId(word, language)
		if (meant >= 0) return meant
	}
	const id = wordId(word)
	return id < 0 && word.endsWith("'s") ? wordId(word.slice(0, -2)) : id
}

function marksOf(word: string, weight: number, capital: boolean): number {
	let marks = 0
	if (classOf(word.charCodeAt(0)) === DIGIT || NUMERALS.has(word)) marks |= NUMBER
	else if (capital && weight > COMMON) marks |= NAME
	if (NEGATIONS.has(word) || word.endsWith("n't")) marks |= NEGATION
	else if (weight < COMMON) marks |= FUNCTION
	return marks
}

const NUMERALS = new Set(
	'two three four five six seven eight nine ten eleven twelve twenty thirty forty fifty hundred thousand million billion'.split(
		' ',
	),
)

/** Common words count little: the mean of a sentence is else the mean of its articles. */
function meanVector(ids: Int32Array, weights: Float32Array): Float32Array {
	const mean = new Float32Array(DIMENSIONS)
	for (let i = 0; i < ids.length; i++) if (ids[i]! >= 0) addVector(mean, ids[i]!, weights[i]!)
	let square = 0
	for (const x of mean) square += x * x
	if (square) for (let k = 0; k < DIMENSIONS; k++) mean[k]! /= Math.sqrt(square)
	return mean
}
