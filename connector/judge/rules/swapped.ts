/** A passage that says the claim with one other word: "The sea is blue" does not say that the sky is. */
import { areOfAKind, areSiblings, areSynonyms, closeness, isKindOf } from '../text/lexicon.ts'
import { akin } from '../text/meanings.ts'
import { notionsIn } from '../text/notions.ts'
import { FUNCTION, NUMBER, type Phrase } from '../text/phrase.ts'

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
	const places = claim.stems.flatMap((stem, i) => (stem === said.stems[i] ? [] : [i]))
	const [place, more] = places
	if (place === undefined || more !== undefined) return null
	if ((claim.marks[place]! | said.marks[place]!) & (FUNCTION | NUMBER)) return null
	const [wanted, given] = [claim.ids[place]!, said.ids[place]!]
	// A word that the lexicon lacks may be anything.
	if (wanted < 0 || given < 0 || areOne(wanted, given)) return null
	const rivals = areSiblings(wanted, given) || areOfAKind(wanted, given)
	if (!rivals && (akin(wanted, given) >= LIKE || shareNotion(claim.words[place]!, said.words[place]!)))
		return null
	if (claim.words.slice(0, place).every((word) => BEFORE_A_SUBJECT.has(word))) return 'beside'
	if (rivals) return 'rival'
	return closeness(wanted, given) < NEAR ? 'beside' : 'other'
}

const areOne = (wanted: number, given: number): boolean =>
	areSynonyms(wanted, given) || isKindOf(given, wanted) || isKindOf(wanted, given)

function shareNotion(wanted: string, given: string): boolean {
	const ids = new Set(notionsIn([wanted]).map(({ id }) => id))
	return notionsIn([given]).some(({ id }) => ids.has(id))
}
