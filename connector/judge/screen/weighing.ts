/** What the marks of a text are worth beside what the models say of it. */
import type { Document } from '../text/document.ts'
import { tellsOfAttacks } from './about-attacks.ts'
import { callsByJob } from './by-job.ts'
import { callsByName, isTalk, LONGEST_HEAD_UNITS } from './calls.ts'
import type { Marks } from './orders.ts'
import { forPeople } from './people.ts'
import { quotes } from './quoted.ts'
import { givesRole } from './roles.ts'

/** What a purpose says of the text: a user's own request, which may ask; data, which may not; or nothing. */
export type Whose = 'own' | 'data' | 'unsaid'
/**
 * What the marks are worth beside the model's margin: chosen on development rows of sources left out; `addressed` on
 * training rows, by models that missed their sources. Manuals of agents speak of assistants, too.
 */
const WORTH = {
	addressed: 1.4,
	override: 1.4,
	conceals: 0.9,
	hidden: 0.6,
	quoted: -2,
	plain: -0.5,
	polite: -0.9,
	people: -1.2,
	called: 1.4,
	own: -1.6,
	role: -1.2,
	about: -1,
}
/** Fewer invisible or look-alike characters come from copying. */
const HIDDEN = 6
const SHORT_UNITS = 300
const POLITE =
	/^(?:hi |hello |dear )?(?:please|kindly|could|can|would|will) |\b(?:please|could you|would you|can you|thanks|thank you|bitte|merci|por favor|per favore|graag|lutfen|пожалуйста)\b|请|ください/

/** In the cells and fields of a record a short text is no letter between people. */
const RECORD = /^\s*[{[]|^[^\n]*[,;|\t][^\n]*\n/
/** Nor is one with signs of markup, code or links: orders hide in these. */
const PROSE = /^(?:[^<>{}[\]|#\\_=*~^`]|#(?=\d))*$/

const isLetter = (source: string): boolean => !RECORD.test(source) && PROSE.test(source)

const isNamed = (text: string): boolean => callsByName(text) || callsByJob(text.slice(0, LONGEST_HEAD_UNITS))

/** The model's probability, moved by what the rules found. */
export function weighedByMarks(
	probability: number,
	marks: Marks,
	{ source, folded }: Pick<Document, 'source' | 'folded'>,
	of: Whose = 'unsaid',
): number {
	const own = of === 'own'
	const hides = folded.hidden + folded.lookalikes >= HIDDEN
	const called = marks.addressed && !own
	const marked = called || marks.override || marks.conceals || hides
	let shift = hides ? WORTH.hidden : 0
	if (called) shift += WORTH.addressed
	const byName = !called && !own && !isTalk(source) && isNamed(folded.text)
	if (byName) shift += WORTH.called
	if (marks.override) shift += WORTH.override
	if (marks.conceals) shift += WORTH.conceals
	const tells = quotes(source)
	if (!marks.addressed && !byName && !marks.conceals && !marks.override && source.length < SHORT_UNITS)
		shift += WORTH.people * Math.min(2, forPeople(folded.text))
	const about = !called && !byName && !marks.conceals && tellsOfAttacks(folded.text) ? WORTH.about : 0
	shift += about
	if (of !== 'data' && !marked && !byName && givesRole(folded.text)) shift += WORTH.role
	if (tells) shift = WORTH.quoted + about
	else if (own && !marked) shift += WORTH.own
	else if (!marked && !byName && source.length < SHORT_UNITS && isLetter(source)) {
		shift += WORTH.plain
		if (POLITE.test(folded.text)) shift += WORTH.polite
	}
	const odds = Math.log(probability / (1 - probability)) + shift
	const moved = 1 / (1 + Math.exp(-odds))
	// Rules alone are never sure: beyond these bounds only the model goes.
	const bounded = Math.min(
		Math.max(moved, Math.min(probability, LEAST)),
		tells ? MOST : Math.max(probability, MOST),
	)
	// A marked order may be surer: the rules and the model agree.
	const open = source.length >= SHORT_UNITS || ((marked || byName) && bounded > 0.5)
	return open ? bounded : modest(bounded)
}

/** A few words show too little to be surer than this, either way; the order of two texts stays. */
export function modest(p: number): number {
	if (p < FROM) return SUREST + (p * (FROM - SUREST)) / FROM
	return p > 1 - FROM ? 1 - SUREST - ((1 - p) * (FROM - SUREST)) / FROM : p
}

const SUREST = 0.1
const FROM = 0.15

const LEAST = 0.12
const MOST = 0.88
