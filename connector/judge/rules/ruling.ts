/**
 * What plain rules of language and arithmetic say of a claim beside the passage that is nearest to it. A ruling moves
 * probability between the verdicts; where no rule speaks, the learned model's answer stands.
 */
import { align } from '../text/align.ts'
import { languageOf } from '../text/languages.ts'
import type { Phrase } from '../text/phrase.ts'
import { FUNCTION, NAME, NEGATION, NUMBER } from '../text/phrase.ts'
import { LANGUAGES } from '../text/stopwords.ts'
import { type Frame, isWordList } from './frames.ts'
import { misnamed } from './names.ts'
import { oppositeOf } from './opposites.ts'
import { isAnothers } from './owned.ts'
import type { Restated } from './restated.ts'
import { rolesOf } from './roles.ts'
import { swapped } from './swapped.ts'
import { wantedOnly } from './wanted.ts'
import { FRACTIONS, NUMBER_WORDS, SCALES, UNITS } from './words.ts'

export type Shares = readonly [verified: number, contradicted: number, unsupported: number]

/** Shares after a rule; how often each came true on the development rows of sources that show it. */
export const RULED = {
	opposed: [0.12, 0.68, 0.2],
	agreed: [0.65, 0.15, 0.2],
	absent: [0.2, 0.2, 0.6],
	met: [0.75, 0.1, 0.15],
	widened: [0.2, 0.2, 0.6],
	framed: [0.12, 0.13, 0.75],
	listed: [0.08, 0.07, 0.85],
	turned: [0.1, 0.65, 0.25],
	open: [0.15, 0.15, 0.7],
	clash: [0.08, 0.74, 0.18],
	table: [0.88, 0.06, 0.06],
	untable: [0.05, 0.85, 0.1],
	nameless: [0.2, 0.15, 0.65],
	beside: [0.2, 0.3, 0.5],
	other: [0.2, 0.45, 0.35],
	rival: [0.09, 0.68, 0.23],
} as const satisfies Record<string, Shares>

export interface Beside {
	claim: Phrase
	/** The passage and its words. */
	said: Phrase
	sentence: string
	restated: Restated
	/** All that the source says, where it is short. */
	all: Phrase | null
	/** Whether any passage has the word. */
	has(stem: string): boolean
	/** The passages around that one. */
	around(): Phrase
}

/** Which rule speaks, if one does. */
export type Rule = keyof typeof RULED

export function ruleOn(
	shares: Shares,
	{ claim, said, sentence, restated, all, has, around }: Beside,
	frame: Frame,
): Rule | null {
	const leads = shares[0] >= Math.max(shares[1], shares[2])
	const share = covered(claim, said)
	if (isWordList(sentence, claim.words)) return 'listed'
	if (leads && share >= FRAMED && frame !== 'said' && frame !== 'denied') return 'framed'
	const everyday = claim.words.length <= SHORT_CLAIM_WORDS && said.words.length <= EVERYDAY_PASSAGE_WORDS
	const enough = everyday ? COVERED_SHORT : COVERED
	if (share >= enough && restated.clashes) return 'clash'
	if (
		share >= enough &&
		restated.met &&
		!restated.missing &&
		!(leads && shares[0] > RULED.met[0]) &&
		!claim.marks.some((mark) => mark & NEGATION)
	)
		// Amounts that agree do not make one drink another, nor "opened in 1999" "closed in 1999".
		return everyday && oppositeOf(claim, said) < 0 ? 'opposed' : (swapped(claim, said) ?? 'met')
	const brief = claim.words.length <= BRIEF_CLAIM_WORDS && said.words.length <= BRIEF_PASSAGE_WORDS
	const wanted = share >= (everyday ? HALF : COVERED) && (everyday || brief) ? wantedOnly(claim, said) : null
	if (wanted === 'refused' || wanted === 'not refused')
		return (wanted === 'refused') === denies(claim) ? 'agreed' : 'opposed'
	if (wanted && leads) return 'framed'
	if (everyday && share >= HALF && nobody(claim, said)) return 'opposed'
	const opposite = share >= HALF ? oppositeOf(claim, said) : 0
	if (opposite) return opposite < 0 ? 'opposed' : 'agreed'
	if (all && !restated.met && !restated.clashes && isNew(claim, all)) return 'absent'
	if (!leads) return null
	const roles = rolesOf(claim, said)
	if (roles < 0) return 'turned'
	const swap = swapped(claim, said)
	if (swap) return swap
	if (isAnothers(claim, said) || misnamed(claim, has, around)) return 'nameless'
	if (share >= FRAMED && WHOLE.has(claim.words[0] ?? '') && !said.words.some((word) => WHOLE.has(word)))
		return 'widened'
	const short = claim.words.length <= SHORT_WORDS && said.words.length <= SHORT_PASSAGE_WORDS
	// German writes every noun like a name.
	const isGerman = LANGUAGES[languageOf([...claim.words, ...said.words])] === 'de'
	return short && !isGerman && strangers(claim, said) ? 'nameless' : null
}

/** Share of the claim's words from which on a passage speaks of the same, and is the claim in a frame. */
const COVERED = 0.6
/** Of short ones less: there is little else that an amount could be of. */
const COVERED_SHORT = 0.4
const FRAMED = 0.75
const HALF = 0.3
/** Of texts up to this length one word decides whether a thing is done: "tried to". */
const BRIEF_CLAIM_WORDS = 16
const BRIEF_PASSAGE_WORDS = 40
const SHORT_WORDS = 5
const SHORT_PASSAGE_WORDS = 8
const WHOLE = new Set(
	'only all every each always everyone everybody never none alle jeder nur immer seulement tous toutes toujours solo todos todas siempre tutti sempre apenas somente alleen altijd только все всегда'.split(
		' ',
	),
)
/** Whether a claim denies what it tells of: "did not sign". */
const denies = ({ marks }: Phrase): boolean => marks.some((mark) => mark & NEGATION)

const NOBODY = new Set(
	'nobody none niemand keiner nadie personne nessuno ninguem никто kimse nikt'.split(' '),
)

/** "Nobody was hurt" of a passage that says of whom it is true. */
const nobody = (claim: Phrase, said: Phrase): boolean =>
	(NOBODY.has(claim.words[0] ?? '') || (claim.words[0] === 'no' && claim.words[1] === 'one')) &&
	!said.marks.some((mark) => mark & NEGATION) &&
	!said.words.some((word) => NOBODY.has(word))

/** They say that an amount follows, not of what. */
const GENERIC = new Set(
	'amount amounts figure length given percent per cent half share proportion value number total sum weight quantity duration whole distance size measure'.split(
		' ',
	),
)

/** The last thing that a short claim names has nothing like it in all that is said. */
function isNew(claim: Phrase, all: Phrase): boolean {
	if (claim.words.length > SHORT_CLAIM_WORDS) return false
	if ([claim, all].some(({ marks }) => marks.some((mark) => mark & NEGATION))) return false
	let last = -1
	for (let i = 0; i < claim.words.length; i++)
		if (!(claim.marks[i]! & (FUNCTION | NUMBER | NEGATION)) && claim.weights[i]! > TELLING) last = i
	if (last < 1) return false
	const there = align(claim, all)
	return there.strength[last]! < UNLIKE && there.rival[last]! < RIVAL
}

const SHORT_CLAIM_WORDS = 8
const EVERYDAY_PASSAGE_WORDS = 16
const TELLING = 4
const UNLIKE = 0.2
const RIVAL = 0.5

/** Words that belong to an amount. */
const MEASURES = [UNITS, NUMBER_WORDS, SCALES, FRACTIONS]

/** Share by weight of the claim's words, numbers aside, that the passage has. */
export function covered({ words, stems, weights, marks }: Phrase, said: Phrase): number {
	let found = 0
	let total = 0
	for (let i = 0; i < stems.length; i++) {
		if (marks[i]! & (NUMBER | FUNCTION) || GENERIC.has(words[i]!)) continue
		if (MEASURES.some((known) => known.has(words[i]!))) continue
		total += weights[i]!
		if (said.places.has(stems[i]!)) found += weights[i]!
	}
	return total ? found / total : 1
}

/** The claim is of somebody by name of whom the passage does not speak. */
function strangers({ words, stems, marks, weights }: Phrase, said: Phrase): boolean {
	const first =
		words.length > 0 &&
		!(marks[0]! & FUNCTION) &&
		weights[0]! > FIRST_NAME &&
		said.marks.some((mark) => mark & NAME)
	return stems.some((stem, i) => (Boolean(marks[i]! & NAME) || (first && i === 0)) && !said.places.has(stem))
}

/** A first word has a capital in any case; from this rarity on it may be a name. */
const FIRST_NAME = 4.5
