/** "Where is Ann?" of somebody who moves: the place named last, in the order of the text or of the parts of days that it names. */
import { type Asked, hasWord } from './asked.ts'

// Each word can be read in one way only, so that time grows with the question's length.
const WHERE =
	/^where (?:is|are|was|were|does|do|did) (?:the |a )?(\p{L}+(?: \p{L}+){0,2}?)(?: (live|work|stay|go))?(?: now)?(?: before (?:the )?([^?]+))?\?*$/u
const PARTS_OF_DAYS = ['yesterday', 'this morning', 'this afternoon', 'this evening']
/** Whom the sentence before was of, this one is. */
const GOES_ON = /^(?:then|afterwards|after that|following that|next|later|now),? (?:he|she|they|it)\b/
const NO_MOVE = new Set(['live', 'work', 'stay'])
/** Where somebody is not, will be, or was at another time. */
const ELSEWHEN =
	/n't\b|\b(?:not|never|will|going to|wants?|wanted|plans?|planned|would|might|may|next (?:week|month|year|time)|last (?:week|month|year|time)|tomorrow|used to|born)\b/

export function latestOf({ question, options, text }: Asked): number {
	const [, whom, verb = '', before] = WHERE.exec(question) ?? []
	// What was is not what is now.
	if (!whom || (/^where (?:was|were|did)/.test(question) && /\bnow\b/.test(text))) return -1
	const seen: { part: number; place: number }[] = []
	let isOf = false
	for (const sentence of text.split(/(?<=[.!?;])\s|\n/)) {
		isOf = hasWord(sentence, whom) || (isOf && GOES_ON.test(sentence))
		const named = options.flatMap((option, i) => (hasWord(sentence, option) ? [i] : []))
		// Where she lives says nothing of where she works.
		if (!isOf || named.length !== 1 || (NO_MOVE.has(verb) && !sentence.includes(verb))) continue
		if (ELSEWHEN.test(sentence)) return -1
		seen.push({ part: PARTS_OF_DAYS.findIndex((part) => hasWord(sentence, part)), place: named[0]! })
	}
	if (seen.length < 2 || !(seen.every(({ part }) => part < 0) || seen.every(({ part }) => part >= 0)))
		return -1
	const places = seen.toSorted((a, b) => a.part - b.part).map(({ place }) => place)
	if (before === undefined) return places.at(-1)!
	const then = places.lastIndexOf(options.findIndex((option) => hasWord(before, option)))
	return then > 0 ? places[then - 1]! : -1
}
