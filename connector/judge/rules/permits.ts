/**
 * May somebody, or not: a permission beside a clause that forbids the same, in the claim's words or in words of one
 * meaning or kind ("dogs" are pets). −1 does not hold, 0 unknown: what is
 * forbidden in other words may be forbidden in part.
 */
import { fold } from '../text/fold.ts'
import { areSynonyms, isKindOf, wordId } from '../text/lexicon.ts'
import { FUNCTION, NEGATION, type Phrase, phraseOf } from '../text/phrase.ts'

const FORBIDS =
	/\b(?:must not|mustn't|may not|cannot be|can't be|shall not|not (?:be )?(?:allowed|permitted|admitted|accepted)|forbidden|prohibited|banned|no \p{L}+ (?:allowed|permitted|accepted)|nicht (?:gestattet|erlaubt|zulassig)|verboten|untersagt|darf nicht|durfen nicht|darf kein\p{L}*|durfen kein\p{L}*|interdit\p{L}*|ne (?:peut|peuvent|doit|doivent) pas|prohibid[oa]s?|no (?:se )?(?:puede|pueden|permite|permiten|esta permitido|debe|deben)|vietat[oaie]|non (?:e consentito|si puo|possono|puo)|verboden|niet toegestaan|mag niet|mogen niet|proibid[oa]s?|nao (?:e permitido|pode|podem)|нельзя|запрещ\p{L}*)(?!\p{L})/u
const ALLOWS =
	/\b(?:may|can|could|allowed|permitted|welcome|is ok|are ok|erlaubt|gestattet|darf|durfen|peut|peuvent|permise?s?|autorise\p{L}*|puede|pueden|permitid[oa]s?|puo|possono|consentit[oa]|mag|mogen|toegestaan|pode|podem|можно|разреш\p{L}*)(?!\p{L})/u
/** Another limit than the one asked about: "not after 10 pm", "unless", "except". */
const LIMITED =
	/\b(?:unless|except|only|without|until|before|after|if|more than|over|under|ausser|nur|sauf|seulement|salvo|solo|tranne|alleen|behalve|кроме)\b/u
const PERSONS = new Set(
	'tenant tenants guest guests visitor visitors customer customers member members people person persons one you we they passenger passengers employee employees user users student students pupil pupils everyone anyone'.split(
		' ',
	),
)
/** They say little of what is done. */
const LIGHT = new Set(
	'keep keeps have has use used bring brings get gets take takes make makes do done give given put go be come'.split(
		' ',
	),
)
const LONGEST_UNITS = 500
/** Share of the claim's words, by weight, that the clause must have. */
const COVERED = 0.6

export function permitSays(claim: string, evidence: string): -1 | 0 {
	const said = fold(claim).text
	if (evidence.length > LONGEST_UNITS || LIMITED.test(said)) return 0
	if (FORBIDS.test(said) || !ALLOWS.test(said)) return 0
	const asked = phraseOf(claim)
	if (asked.marks.some((mark) => mark & NEGATION)) return 0
	const wanted = asked.words.flatMap((word, i) =>
		asked.marks[i]! & (FUNCTION | NEGATION) || PERSONS.has(word) || LIGHT.has(word) || isModal(word)
			? []
			: [i],
	)
	if (!wanted.length) return 0
	const whole = phraseOf(evidence)
	for (const clause of fold(evidence).text.split(/(?<=[.!?;\n])\s+|\n/u)) {
		if (!FORBIDS.test(clause) || LIMITED.test(clause) || /\bmay or may not\b/.test(clause)) continue
		const there = phraseOf(clause)
		// Of what it is said may stand in a heading or in the sentence before.
		const found = wanted.filter(
			(i) => hasAlike(asked, i, there) || (i === wanted[0] && hasAlike(asked, i, whole)),
		)
		const share = weightOf(asked, found) / weightOf(asked, wanted)
		// What is forbidden is named last.
		if (share >= COVERED && found.includes(wanted.at(-1)!) && hasAlike(asked, wanted.at(-1)!, there))
			return -1
	}
	return 0
}

const isModal = (word: string): boolean => ALLOWS.test(word) || FORBIDS.test(word)

const weightOf = ({ weights }: Phrase, places: readonly number[]): number =>
	places.reduce((sum, i) => sum + weights[i]!, 0)

function hasAlike(asked: Phrase, i: number, there: Phrase): boolean {
	if (there.places.has(asked.stems[i]!)) return true
	const own = idsOf(asked.words[i]!, asked.ids[i]!)
	return there.words.some((word, k) =>
		idsOf(word, there.ids[k]!).some((other) =>
			own.some((id) => areSynonyms(id, other) || isKindOf(id, other)),
		),
	)
}

/** Relations are those of singulars. */
const idsOf = (word: string, id: number): number[] => [
	id,
	...(/[^s]s$/.test(word) ? [wordId(word.slice(0, -1)), wordId(word.replace(/ies$/, 'y'))] : []),
]
