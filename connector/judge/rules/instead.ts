/** "From platform 12 instead of platform 5", "at 9:40, not 9:10": what stands behind such words does not hold. −1 or 0. */
import { fold } from '../text/fold.ts'
import { FUNCTION, NEGATION, phraseOf } from '../text/phrase.ts'

const INSTEAD =
	/(?:, (?:and |but )?not (?!only|just|merely|even|yet|because|that|to|as|until|all|every|much|very)(?:at |in |on |by |for |from )?|\b(?:instead of|rather than|in place of|anstatt|anstelle (?:von|des|der)|statt|au lieu d(?:e|u|es)?|plutot qu[e']|en lugar de|en vez de|invece d(?:i|el|ella)|anziche|al posto d(?:i|el|ella)|in plaats van|em vez d[eo]|ao inves d[eo]|вместо|zamiast)\s*)((?:[^,.;:!?\n]|[.:](?=\d)){1,60})/u
/** What was planned may be what stands there. */
const FORMER =
	/\b(?:was|were|had|originally|planned|formerly|usually|normally|before|replac\p{L}*|succeed\p{L}*|instead|rather|statt|anstatt|vorher|avant|antes|prima)\b/u
const LONGEST_UNITS = 400
/** Share of the rest of the claim that the text must have. */
const ABOUT = 0.5

export function insteadSays(claim: string, evidence: string): -1 | 0 {
	if (evidence.length > LONGEST_UNITS) return 0
	const text = fold(evidence).text
	const found = INSTEAD.exec(text)
	if (!found || FORMER.test(fold(claim).text)) return 0
	const said = phraseOf(claim)
	if (said.marks.some((mark) => mark & NEGATION)) return 0
	const given = phraseOf(found[1]!)
	const rest = new Set(
		phraseOf(`${text.slice(0, found.index)} ${text.slice(found.index + found[0].length)}`).stems,
	)
	const own = said.stems.filter((_, i) => !(said.marks[i]! & FUNCTION))
	const telling = given.stems.filter((stem, i) => !(given.marks[i]! & FUNCTION) && !rest.has(stem))
	if (!telling.length || !telling.every((stem) => own.includes(stem))) return 0
	const others = own.filter((stem) => !given.places.has(stem))
	return others.filter((stem) => rest.has(stem)).length >= ABOUT * others.length ? -1 : 0
}
