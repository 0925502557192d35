/** Things that somebody is only asked to do, wants or will do, and things that somebody refuses: none of them is done. */
import { FUNCTION, type Phrase } from '../text/phrase.ts'

const WANTS = new Set(
	'ask asks asked urge urges urged told tell tells order orders ordered want wants wanted plan plans planned hope hopes hoped offer offers offered demand demands demanded intend intends intended promise promises promised threaten threatens threatened expected supposed invite invites invited calls called advised advises begged'.split(
		' ',
	),
)
const REFUSES = new Set(
	'refuse refuses refused decline declines declined fail fails failed forget forgot'.split(' '),
)
const WILL = new Set(
	"will shall i'll we'll he'll she'll they'll gonna werde wird werden zal zullen будет буду".split(' '),
)
const ALREADY = new Set('already schon bereits ya deja gia ja al уже zaten juz'.split(' '))
const REACH_WORDS = 9

/** `not refused`: "did not fail to". */
export type Wanted = 'wanted' | 'refused' | 'not refused'

/** Of the claim's own verb in the passage; null where the claim says as much, or nothing of the kind is said. */
export function wantedOnly(claim: Phrase, said: Phrase): Wanted | null {
	const own = new Set(claim.words)
	for (let i = 0; i < said.words.length; i++) {
		const word = said.words[i]!
		if (own.has(word)) continue
		if (WILL.has(word)) {
			if (claim.words.some((one) => ALREADY.has(one)) && isOf(claim, said, i + 1, 3)) return 'refused'
			continue
		}
		const kind = WANTS.has(word) ? 'wanted' : REFUSES.has(word) ? 'refused' : null
		if (!kind) continue
		for (let k = i + 1; k < Math.min(said.words.length - 1, i + REACH_WORDS); k++)
			if (said.words[k] === 'to' && isOf(claim, said, k + 1, 1))
				return kind === 'refused' && i > 0 && isNot(said.words[i - 1]!) ? 'not refused' : kind
	}
	return null
}

const isNot = (word: string): boolean => word === 'not' || word === 'never' || word.endsWith("n't")

/** One of these words is a content word of the claim. */
function isOf(claim: Phrase, said: Phrase, from: number, count: number): boolean {
	for (let k = from; k < Math.min(said.words.length, from + count); k++) {
		const place = claim.places.get(said.stems[k]!)
		if (place !== undefined && !(claim.marks[place]! & FUNCTION)) return true
	}
	return false
}
