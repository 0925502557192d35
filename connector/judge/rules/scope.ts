/**
 * Words of scope in English: "neither A nor B", "apart from A", "nobody but A", "only A", "hardly anyone", "no longer".
 * A claim is decided where all its other words stand in the sentence.
 */
import { FUNCTION, NEGATION, phraseOf } from '../text/phrase.ts'
import { statesIn } from '../text/states.ts'

const LONGEST_UNITS = 200
const MOST_WORDS = 16
const VERBS = 'is|are|was|were|has|have|had|can|could|may|must|will|does|do|did'
const THING = "((?:(?:the|a|an|our|my|your|his|her|their) )?[\\p{L}\\d'’-]+(?: [\\p{L}\\d'’-]+)?)"
const ALL = '(?:everything|everyone|everybody|all(?: [\\p{L}-]+){0,2}|(?:every|each) [\\p{L}-]+)(?: else)?'
const BUT = '(?:but|except(?: for)?|apart from|aside from|other than|besides)'
/** They carry the scope, and need not stand in the sentence. */
const CARRIERS = new Set(
	'neither nor either both everything everyone everybody else all every each but except apart aside other others than besides nobody one none nothing only sole alone person people anyone anybody several many hardly barely very few most nearly almost little heavily longer possible now still again past formerly once more any already yet waiting done without non too well back'.split(
		' ',
	),
)

interface Claim {
	text: string
	words: Set<string>
	content: string[]
	negated: boolean
}
type Says = (claim: Claim, ...parts: string[]) => -1 | 0 | 1

const has = ({ words }: Claim, list: string) => list.split(' ').some((word) => words.has(word))
/** "Hire" and "hired" are one. */
const stemsIn = (text: string): string[] => {
	const { words, stems, marks } = phraseOf(text)
	return stems
		.filter((_, i) => !(marks[i]! & (FUNCTION | NEGATION)) && !CARRIERS.has(words[i]!))
		.map((stem) => stem.replace(/e$/, ''))
}
const within = ({ content }: Claim, ...texts: string[]): boolean => {
	const there = new Set(texts.flatMap(stemsIn))
	return content.length > 0 && content.every((stem) => there.has(stem))
}
const names = ({ content }: Claim, text: string): boolean => {
	const stems = stemsIn(text)
	return stems.length > 0 && stems.every((stem) => content.includes(stem))
}
/** The claim speaks of more than who or what it is. */
const tells = ({ content }: Claim, rest: string): boolean =>
	stemsIn(rest).some((stem) => content.includes(stem))

const eachOf =
	(holds: boolean): Says =>
	(claim, a = '', b = '', rest = '') => {
		if (!within(claim, a, b, rest) || !tells(claim, rest) || !(names(claim, a) || names(claim, b))) return 0
		if (has(claim, 'only sole alone')) return -1
		return claim.negated !== holds ? 1 : -1
	}

const allBut: Says = (claim, but = '', rest = '') => {
	if (!within(claim, but, rest) || !tells(claim, rest)) return 0
	const some = has(claim, 'everything everyone everybody all every each')
	if (!names(claim, but)) return some && !claim.negated && !has(claim, 'else other') ? -1 : 0
	if (has(claim, 'else but except apart besides other')) return claim.negated ? 0 : 1
	return claim.negated ? 1 : -1
}

const onlyOne: Says = (claim, it = '', rest = '') => {
	if (!within(claim, it, rest) || !tells(claim, rest)) return 0
	const outside = new RegExp(
		`\\bnon-|\\bnot (?:an? )?(?:the )?${it.replace(/[^\p{L}\d -]/gu, '.')}`,
		'iu',
	).exec(claim.text)
	if (outside) {
		const left = claim.text.slice(0, outside.index) + claim.text.slice(outside.index + outside[0].length)
		return isNegated(left) ? 1 : -1
	}
	const others = has(claim, 'everyone everybody anyone anybody all every several many other others')
	if (!names(claim, it)) return others && !claim.negated ? -1 : 0
	if (has(claim, 'only sole alone nobody')) return 1
	return claim.negated ? -1 : others ? 0 : 1
}

const dayBut: Says = (claim, it = '', state = '', but = '') => {
	const day = DAY.exec(claim.text)?.[1]?.toLowerCase()
	if (!day || claim.negated || !names(claim, it)) return 0
	const [mine] = statesIn(phraseOf(claim.text))
	const theirs = statesIn(phraseOf(state)).find(({ kind }) => kind === mine?.kind)
	if (!mine || !theirs) return 0
	return (mine.state === theirs.state) === (day !== but.toLowerCase()) ? 1 : -1
}
const DAY = /\b(monday|tuesday|wednesday|thursday|friday|saturday|sunday)s?\b/i

const hardly: Says = (claim, rest = '') => {
	if (!within(claim, rest) || !tells(claim, rest)) return 0
	if (has(claim, 'few little hardly barely')) return claim.negated && !has(claim, 'hardly barely') ? 0 : 1
	return has(claim, 'most nearly almost heavily many everyone everybody') && !claim.negated ? -1 : 0
}

const noLonger: Says = (claim, it = '', rest = '') => {
	if (!within(claim, it, rest) || !tells(claim, rest)) return 0
	const past = /\b(?:past|formerly|once|previously|used to|was|were|could)\b/i.test(claim.text)
	if (claim.negated) return past ? 0 : 1
	return past ? 1 : /\b(?:now|still|again|can|may|is|are)\b/i.test(claim.text) ? -1 : 0
}

const notYet: Says = (claim, it = '', rest = '') => {
	if (!within(claim, it, rest) || !tells(claim, rest)) return 0
	if (claim.negated || /\b(?:still|yet|waiting|remains)\b/i.test(claim.text)) return 1
	return /\b(?:already|done|finished|was|were|has been|have been)\b/i.test(claim.text) ? -1 : 0
}

const form = (source: string) => new RegExp(`^${source}$`, 'iu')
const FORMS: [RegExp, Says][] = [
	[form(`neither ${THING} nor ${THING} (?:${VERBS}) (.+)`), eachOf(false)],
	[form(`both ${THING} and ${THING} (?:${VERBS}) (.+)`), eachOf(true)],
	[form(`${BUT} ${THING}, ${ALL} (?:${VERBS}) (.+)`), allBut],
	[form(`${ALL} ${BUT} ${THING} (?:${VERBS}) (.+)`), allBut],
	[form(`(?:nobody|no one|no-one|none|nothing) ${BUT} ${THING} (?:${VERBS}) (.+)`), onlyOne],
	[form(`only ${THING} (?:${VERBS}) (.+)`), onlyOne],
	[form(`(.{1,60}?) (?:is|are) (.{1,40}?) (?:every day|daily) ${BUT} (?:on )?(\\p{L}+day)s?`), dayBut],
	[form('hardly (?:anyone|anybody) (.+)'), hardly],
	[form('(it) (?:is|was) no longer possible to (.+)'), noLonger],
	[form('(.{1,60}?) (?:is|are) no longer (.+)'), noLonger],
	[form('(.{1,60}?) (?:has|have|is|are) not (?:been )?(.{1,80}?) yet'), notYet],
]

const isNegated = (text: string): boolean => {
	const { marks } = phraseOf(text)
	return Array.from(marks).some((mark) => mark & NEGATION) || /\b(?:without|no|cannot|lacks?)\b/i.test(text)
}

/** Who cannot come on Monday may come: all that is said has to be in the claim. Of two matters in one nothing is told. */
const whole = ({ content }: Claim, rest: string): boolean =>
	!/\bor\b/i.test(rest) && stemsIn(rest).every((stem) => content.includes(stem))

/** 1 holds, −1 does not, 0 unknown. */
export function scopeSays(text: string, evidence: string): -1 | 0 | 1 {
	const { words } = phraseOf(text)
	if (!words.length || words.length > MOST_WORDS) return 0
	const claim = { text, words: new Set(words), content: stemsIn(text), negated: isNegated(text) }
	for (const sentence of evidence.split(/(?<=[.!])\s+/u)) {
		const plain = sentence.trim().replace(/[.!]$/u, '')
		if (plain.length > LONGEST_UNITS) continue
		for (const [pattern, says] of FORMS) {
			const found = pattern.exec(plain)
			if (!found) continue
			return says === dayBut || whole(claim, found.at(-1)!) ? says(claim, ...found.slice(1)) : 0
		}
	}
	return 0
}
