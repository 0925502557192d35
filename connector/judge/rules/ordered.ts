/** Which of two things came first, told the other way round: "A after B" beside "B after A". −1 does not hold, 0 unknown. */
import { FUNCTION, type Phrase, phraseOf } from '../text/phrase.ts'
import { verbRoot } from '../text/verbs.ts'

const ORDER = /^(.{4,80}?),? (before|after) (.{4,80})$/iu
const FRONTED = /^(before|after) (.{4,80}?), (.{4,80})$/iu
const LONGEST_UNITS = 200
/** Share of the words of one half that the other text's half must have. */
const LIKE = 0.75
/** Days, hours and amounts order other things. */
const OTHERWISE = /\b(?:not|never|only|unless|until|if|soon|long|shortly|immediately)\b|n't\b|\d/i

interface Order {
	first: string[]
	second: string[]
}

export function orderSays(claim: string, evidence: string): -1 | 0 {
	const said = orderIn(claim)
	if (!said) return 0
	for (const sentence of evidence.split(/(?<=[.!?])\s+/u)) {
		const told = orderIn(sentence)
		if (!told) continue
		if (isLike(said.first, told.second) && isLike(said.second, told.first)) return -1
	}
	return 0
}

function orderIn(text: string): Order | null {
	const plain = text.trim().replace(/[.!]$/u, '')
	if (plain.length > LONGEST_UNITS || OTHERWISE.test(plain)) return null
	const [, start, lead, end] = ORDER.exec(plain) ?? []
	const [, word, behind, main] = lead ? ['', lead, end!, start!] : (FRONTED.exec(plain) ?? [])
	if (!word) return null
	const [one, other] = [telling(phraseOf(main!)), telling(phraseOf(behind!))]
	if (!one.length || !other.length) return null
	return word.toLowerCase() === 'after' ? { first: other, second: one } : { first: one, second: other }
}

const telling = ({ words, marks }: Phrase): string[] =>
	words.filter((_, i) => !(marks[i]! & FUNCTION)).map(verbRoot)

function isLike(one: string[], other: string[]): boolean {
	const shared = one.filter((word) => other.includes(word)).length
	return shared >= LIKE * Math.min(one.length, other.length)
}
