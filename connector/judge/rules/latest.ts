/** "Where is Ann?" of somebody who moves: the place named last, in the order of the text or of the parts of days that it names. */
import { type Asked, hasWord } from './asked.ts'

const WHERE =
	/^where (?:is|are|was|were|does|do|did) (?:the |a )?((?:\p{L}+ ?){1,3}?)(?: (?:live|work|stay|go))?(?: now)?(?: before (?:the )?(.+?))?\?*$/u
const PARTS_OF_DAYS = ['yesterday', 'this morning', 'this afternoon', 'this evening']
/** Whom the sentence before was of, this one is. */
const GOES_ON = /^(?:then|afterwards|after that|following that|next|later|now),? (?:he|she|they|it)\b/

export function latestOf({ question, options, text }: Asked): number {
	const [, whom, before] = WHERE.exec(question) ?? []
	if (!whom) return -1
	const seen: { part: number; place: number }[] = []
	let isOf = false
	for (const sentence of text.split(/(?<=[.!?;])\s|\n/)) {
		isOf = hasWord(sentence, whom) || (isOf && GOES_ON.test(sentence))
		const named = options.flatMap((option, i) => (hasWord(sentence, option) ? [i] : []))
		if (!isOf || named.length !== 1) continue
		seen.push({ part: PARTS_OF_DAYS.findIndex((part) => hasWord(sentence, part)), place: named[0]! })
	}
	if (seen.length < 2 || !(seen.every(({ part }) => part < 0) || seen.every(({ part }) => part >= 0)))
		return -1
	const places = seen.toSorted((a, b) => a.part - b.part).map(({ place }) => place)
	if (before === undefined) return places.at(-1)!
	const then = places.lastIndexOf(options.findIndex((option) => hasWord(before, option)))
	return then > 0 ? places[then - 1]! : -1
}
