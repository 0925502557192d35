/** A proposition beside its context, as the numbers that the model of propositions reads. */
import type { Shares } from '../rules/ruling.ts'
import { read } from '../text/document.ts'
import { phraseOf } from '../text/phrase.ts'
import { leaning } from '../text/polarity.ts'
import { CLAIM_FEATURES, viewClaim } from './claim.ts'
import { askedOf, MEANT, meantOf } from './meant.ts'
import type { Passages } from './passages.ts'
import { type Placed, placeOn } from './scale.ts'
import type { Settled } from './verify.ts'

export const STATED = [
	...CLAIM_FEATURES,
	...MEANT,
	'nothingShared',
	'verified',
	'contradicted',
	'unsupported',
	'held',
	'moodOfPerson',
	'moodOfThing',
	'read',
	'near',
] as const

/** Of longer contexts the beginning alone is compared by meaning: each proposition reads it anew. */
const MEANT_UNITS = 5_000

/** A context, read once for all its propositions. */
export interface Told {
	short: boolean
	evidence: Passages
	phrase: ReturnType<typeof phraseOf>
	document: ReturnType<typeof read>
	/** How far it praises or blames, in all its words and in the plainest. */
	meant: Placed | null
	plainly: Placed | null
}

export const toldBy = (context: string, evidence: Passages): Told => ({
	short: context.length <= SHORT_UNITS,
	evidence,
	phrase: phraseOf(context.slice(0, MEANT_UNITS)),
	document: read(context.slice(0, MEANT_UNITS)),
	meant: placeOn('good', context),
	plainly: placeOn('good', context, false),
})

/** `near`: the cosine of both as whole sentences, or null where these are not read. */
export function statedFeatures(
	text: string,
	told: Told,
	{ shares, best }: Pick<Settled, 'shares' | 'best'>,
	near: number | null,
): Float32Array {
	const mood = moods(text, told)
	const held = heldBy(told.short, shares, best, mood)
	return Float32Array.of(
		...viewClaim(read(text), told.evidence).features,
		...meantOf(askedOf(phraseOf(text)), told.phrase, told.document),
		best < 0 ? 1 : 0,
		...shares.map((share) => Math.log(share + LEAST_SHARE)),
		Math.log(held / (1 - held)),
		...mood,
		near === null ? 0 : 1,
		near ?? 0,
	)
}

const LEAST_SHARE = 0.02
const SHORT_UNITS = 240
/** How often holds what the model of claims leaves open. */
const OPEN = { short: 0.2, long: 0.1 }
/** As often such a proposition holds: 12 of 27 everyday ones, 21 of 92 of development rows. */
const OF_NOTHING_SHARED = 0.36
/** Weight of praise and blame beside the model of claims: of what a person feels, of anything else. */
const OF_PERSON = 0.5
const OF_THING = 0.1
/** Of probabilities that are turned into odds. */
const LEAST = 0.03

/** How likely a proposition is by claims and by praise and blame alone. */
function heldBy(short: boolean, shares: Shares, best: number, [ofPerson, ofThing]: [number, number]): number {
	const claimed = shares[0] + openOf(short) * shares[2]
	// Two short texts without a common word often say the same in others.
	const held = short && best < 0 ? Math.max(claimed, OF_NOTHING_SHARED) : claimed
	const share = ofPerson ? OF_PERSON : ofThing ? OF_THING : 0
	const mixed = (1 - share) * held + share * (0.5 + 0.4 * (ofPerson || ofThing))
	return Math.max(LEAST, Math.min(1 - LEAST, mixed))
}

export const openOf = (short: boolean): number => (short ? OPEN.short : OPEN.long)

/** A proposition takes a side with one plain word. */
const FULL_SIDE = 2
const PERSONS = new Set(
	'writer reviewer customer guest user client author speaker kunde kundin client cliente klant клиент musteri'.split(
		' ',
	),
)

/** How far proposition and context lean to one side: of what a person feels, of anything else. */
function moods(text: string, { meant, plainly }: Told): [number, number] {
	const said = read(text).sentences.flatMap(({ words }) => words)
	const ofPerson = said.some((word) => PERSONS.has(word))
	const side = Math.max(-1, Math.min(1, FULL_SIDE * leaning(said, 'good', ofPerson).value))
	const place = ofPerson ? meant : plainly
	const agrees = place ? side * (2 * place.place - 1) : 0
	return ofPerson ? [agrees, 0] : [0, agrees]
}
