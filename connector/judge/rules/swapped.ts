/** A passage that says the claim with one other word: "The sea is blue" does not say that the sky is. */
import {
	areOfAKind,
	areSiblings,
	areSynonyms,
	closeness,
	hasKinds,
	isKindOf,
	wordId,
} from '../text/lexicon.ts'
import { akin } from '../text/meanings.ts'
import { isTopic, notionsIn } from '../text/notions.ts'
import { FUNCTION, NAME, NUMBER, type Phrase } from '../text/phrase.ts'

const MOST_WORDS = 12
/** From here on two words that are of no one kind may mean the same. Below, in the development rows, one pair of five does. */
const LIKE = 0.5
/** Words that stand in the same places of sentences are nearer than this. */
const NEAR = 0.35
const BEFORE_A_SUBJECT = new Set(
	'the a an this that these those my your his her its our their der die das ein eine mein meine unser unsere el la los las un una mi nuestro nuestra le les une mon ma notre il lo gli mio mia de het een mijn o os as um uma meu minha'.split(
		' ',
	),
)

/** It may speak of something else ("beside"), say another thing of the same ("other"), or one that excludes it ("rival"). */
export type Swapped = 'beside' | 'other' | 'rival'

export function swapped(claim: Phrase, said: Phrase): Swapped | null {
	const { length } = claim.stems
	if (length > MOST_WORDS || length !== said.stems.length) return null
	const [place, more] = differences(claim.stems, said.stems)
	if (place === undefined || more !== undefined) return null
	if ((claim.marks[place]! | said.marks[place]!) & (FUNCTION | NUMBER)) return null
	const [wanted, given] = [thingAt(claim, place), thingAt(said, place)]
	if (wanted >= 0 && given >= 0 && areOne(wanted, given)) return null
	if (isName(claim, place) && isName(said, place)) return 'beside'
	// A word that the lexicon lacks may be anything.
	if (wanted < 0 || given < 0) return null
	const rivals = areSiblings(wanted, given) || areOfAKind(wanted, given)
	if (!rivals && (akin(wanted, given) >= LIKE || shareNotion(claim.words[place]!, said.words[place]!)))
		return null
	const subject = claim.words.slice(0, place).every((word) => BEFORE_A_SUBJECT.has(word))
	if (subject && isFollowedByVerb(claim, place)) return 'beside'
	if (rivals) return 'rival'
	if (closeness(wanted, given) < NEAR) return 'beside'
	// Of what stands before a thing few words exclude one another: "little", "tiny".
	return subject ? null : 'other'
}

/** Places at which two texts of as many words differ. */
export const differences = (stems: readonly string[], others: readonly string[]): number[] =>
	stems.flatMap((stem, i) => (stem === others[i] ? [] : [i]))

const isFollowedByVerb = ({ words, marks }: Phrase, place: number): boolean =>
	place + 1 < words.length &&
	(Boolean(marks[place + 1]! & FUNCTION) || /(?:ed|[^s]s|[gls]t)$/.test(words[place + 1]!))

/** Of a plural the singular: WordNet's kinds are of that. */
function thingAt({ words, ids }: Phrase, place: number): number {
	const word = words[place]!
	const one = /[^s]s$/.test(word) ? wordId(word.slice(0, -1)) : -1
	return one >= 0 ? one : ids[place]!
}

const DEEDS = /^(?:is|was|has|had|will|can|a|est|ha|e|es|era|hat|ist|war|heeft|\p{L}{2,}ed)$/u

/** Written as a name and no word for a kind of thing, or alone and not in the plural before a deed: "Anna signed". */
const isName = ({ words, marks, ids }: Phrase, place: number): boolean =>
	place === 0
		? DEEDS.test(words[1] ?? '') && !words[0]!.endsWith('s')
		: Boolean(marks[place]! & NAME) && !hasKinds(ids[place]!)

const areOne = (wanted: number, given: number): boolean =>
	areSynonyms(wanted, given) || isKindOf(given, wanted) || isKindOf(wanted, given)

function shareNotion(wanted: string, given: string): boolean {
	const ids = new Set(notionsIn([wanted]).map(({ id }) => id))
	return notionsIn([given]).some(({ id }) => ids.has(id) && !isTopic(id))
}
