/**
 * Propositions and their context as whole sentences (see encoder/): how near they are, and in which directions that
 * counts. English alone, and of a context the beginning.
 */
import { DIRECTIONS } from '../encoder/encode.ts'
import { encoded } from '../encoder/index.ts'
import { phraseOf } from '../text/phrase.ts'
import { glossed, languageRead } from './glossed.ts'

/** A piece has four letters or five; one takes a quarter of a millisecond. */
const CONTEXT_PIECES = 64
const TEXT_PIECES = 24
/** Of longer contexts the beginning says too little. */
export const LONGEST_UNITS = 900
const LONGEST_TEXT_UNITS = 1_000

/** The products of context and text, direction by direction; their sum is the cosine. Null where they are not read. */
export type Products = Float32Array | null

/** The context is read with the first text that is asked about; of a text so many pieces. */
export function together(context: string, pieces = TEXT_PIECES): (text: string) => Products {
	if (context.length > LONGEST_UNITS) return () => null
	const language = languageRead(phraseOf(context).words, context)
	if (language === null) return () => null
	let there: Float32Array | undefined
	return (text) => {
		if (text.length > LONGEST_TEXT_UNITS) return null
		there ??= encoded('offered', [glossed(context, language)], CONTEXT_PIECES)[0]!
		return encoded('offered', [glossed(text, language)], pieces)[0]!.map((value, k) => value * there![k]!)
	}
}

export const cosineOf = (products: Float32Array): number => products.reduce((sum, value) => sum + value, 0)

/** What the directions say, as they weigh. */
export function weighedBy(weights: Float32Array, products: Products): number {
	if (!products) return 0
	// The last weight is the bias.
	let sum = weights[DIRECTIONS]!
	for (let k = 0; k < DIRECTIONS; k++) sum += weights[k]! * products[k]!
	return sum
}
