/** Which option is about the same as a message, whatever words they share. */
import { meaningOf, telling } from '../text/meanings.ts'
import { phraseOf } from '../text/phrase.ts'
import { dot } from '../text/similarity.ts'
import { named, topics } from './places.ts'

/** Chosen as the others of a routing, see choice.ts. */
const WORTH_MEANT = 4.25

/**
 * To be added to the margins of the options; sums to 0. Options that the message names are found by its words, and what
 * it is about as a whole tells the less of them the more they are.
 */
export function aboutSame(message: string, options: readonly string[]): number[] {
	const asked = phraseOf(message)
	const phrases = options.map(named)
	const unit = meaningOf(asked, telling(asked))
	const meant = phrases.map((phrase) => dot(unit, meaningOf(phrase, telling(phrase))))
	const shares = phrases.map((phrase) => {
		const own = topics(phrase)
		return own.length ? own.filter((i) => asked.places.has(phrase.stems[i]!)).length / own.length : 0
	})
	const mean = (list: readonly number[]) => list.reduce((sum, value) => sum + value, 0) / list.length
	const worth = WORTH_MEANT * (1 - mean(shares))
	const middle = mean(meant)
	return meant.map((value) => worth * (value - middle))
}
