/**
 * Of a claim and a short text that name the same relation of the same two: whether they name it in the same direction.
 * Amounts and days that agree say nothing of the direction.
 */
import { fold } from '../text/fold.ts'
import { frameOf } from './frames.ts'
import { type Relation, relationsIn } from './relations.ts'

/** Open: the other way round it may hold as well, as "B hired A" beside "A hired B". */
export type Direction = 'same' | 'turned' | 'open'

export const LONGEST_UNITS = 300
const LONGEST_CLAIM_WORDS = 14
/** What is denied, supposed or only said by somebody tells no direction. */
const OPEN =
	/\b(said|says|thinks?|thought|believes?d?|claims?|claimed|told|hopes?|wants?|promised|according|not|never|no|nor|neither|if|unless|until|refused|almost|nearly|each other)\b|n't\b/
/** A word of who it is fits one person only: a mother is no father. */
const SEX = /\b(father|mother|son|daughter)\b/
const PARENT = /\b(parent|father|mother) of\b/

const wordsOf = (text: string): string[] => fold(text).text.match(/[\p{L}\p{N}]+/gu) ?? []
const LITTLE = new Set('a an the as in on at of to for with and s is was'.split(' '))

export function directionOf(claim: string, evidence: string): Direction | null {
	if (Math.max(claim.length, evidence.length) > LONGEST_UNITS || wordsOf(claim).length > LONGEST_CLAIM_WORDS)
		return null
	if (OPEN.test(fold(claim).text)) return null
	const [said] = relationsIn(claim)
	if (!said || frameOf(claim) !== 'said') return null
	const there = new Set(wordsOf(evidence))
	const told = evidence
		.split(/(?<=[.!?;])\s+/)
		.filter((sentence) => frameOf(sentence) === 'said' && !OPEN.test(fold(sentence).text))
		.flatMap(relationsIn)
		.filter(({ kind }) => kind === said.kind)
	const kept = told.some((one) => same(one.from, said.from) && same(one.to, said.to))
	const turned = told.some((one) => same(one.from, said.to) && same(one.to, said.from))
	if (kept === turned) return null
	const whole = thingsOf(said).every((word) => there.has(word))
	if (kept) return whole && told.some((one) => fits(said, one)) ? 'same' : null
	if (said.oneWay) return whole ? 'turned' : 'open'
	// "for the delay", "to the meeting": one event, of which two directions would not be told.
	return /\b(the|this|that)\b/.test(said.rest) ? null : 'open'
}

/** What else the claim says: words around the relation, and the thing within it. */
function thingsOf({ rest, by }: Relation): string[] {
	const within =
		/\b(?:owe[sd]?|sent|sends|taught|teaches|got|received|lets?|rents|rented|learn\p{L}*|by)\b(.*)$/u.exec(by)
	return wordsOf(`${rest} ${within?.[1] ?? ''}`).filter((word) => !LITTLE.has(word) && !FROM.has(word))
}

const FROM = new Set('from by out'.split(' '))

function same(one: string, other: string): boolean {
	const [few, many] = one.length < other.length ? [one, other] : [other, one]
	const words = new Set(many.split(' '))
	return few.split(' ').every((word) => words.has(word))
}

/** On the same side of a family both words of sex are the same, or the claim has none. */
function fits(said: Relation, told: Relation): boolean {
	const wanted = SEX.exec(said.by)?.[1]
	if (!wanted || PARENT.test(said.by) !== PARENT.test(told.by)) return true
	return told.by.includes(wanted)
}
