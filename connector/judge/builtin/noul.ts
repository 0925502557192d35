/** Propositions: with a context, by what it says of them; without one the base rate, because the judge knows no facts. */
import { margin } from '../learned/ensemble.ts'
import { sigmoid } from '../learned/trees.ts'
import { denied } from '../rules/frames.ts'
import { ofText } from '../rules/of-text.ts'
import { renamed } from '../rules/renamed.ts'
import { type Table, tableIn } from '../rules/tables.ts'
import { read } from '../text/document.ts'
import type { Calls } from './calls.ts'
import { mannerOf } from './manners.ts'
import type { Models } from './models.ts'
import { passages } from './passages.ts'
import { labelledParts, rubricOf } from './rubric.ts'
import { openOf, STATED, statedFeatures, type Told, toldBy } from './stated.ts'
import { cosineOf, LONGEST_UNITS, type Products, together, weighedBy } from './together.ts'
import { type Ruling, sharesOf } from './verify.ts'

const SIX_LEVELS = 6

export function noul(models: Models, call: Calls['noul'][0]): Calls['noul'][1] {
	const { context } = call
	if (!context?.trim())
		return { basis: 'none', probabilities: call.propositions.map(() => models.tuned.noul.baseRate) }
	const given = givenBy(context)
	const probabilities = call.propositions.map((whole) => {
		const same = sameness(whole, context)
		if (same) {
			const { slope, offset } = models.tuned.noul.same
			return sigmoid(slope * margin(models.ensembles.pair, same) + offset)
		}
		const { text, against } = plainOf(whole)
		const p = within(stated(models, text, given))
		return against ? 1 - p : p
	})
	return { basis: 'text', probabilities }
}

/** A denial has what is left of the probability of what it denies. */
function plainOf(whole: string): { text: string; against: boolean } {
	const inner = denied(whole)
	if (inner === null) return { text: whole, against: false }
	const { text, against } = plainOf(inner)
	return { text, against: !against }
}

export interface Given {
	context: string
	table: Table | null
	told: Told
	beside: (text: string) => Products
}

export const givenBy = (context: string): Given => ({
	context,
	table: tableIn(context),
	told: toldBy(context, passages([context])),
	beside: together(context),
})

function stated(models: Models, text: string, given: Given): number {
	const asked = askedOfModel(models, text, given)
	if (typeof asked === 'number') return asked
	const { row, products } = asked
	const { slope } = models.ensembles.noul
	const learned = margin(models.ensembles.noul, row) + weighedBy(models.together, products)
	const p = sigmoid(slope * learned)
	if (given.context.length > LONGEST_UNITS) return mixed(p, sigmoid(row[HELD]!), OF_LONG)
	const mood = row[MOOD_OF_PERSON]!
	return mood ? mixed(p, 0.5 + 0.4 * mood, OF_PERSON) : p
}

const mixed = (p: number, other: number, share: number): number => (1 - share) * p + share * other

export interface Read {
	row: Float32Array
	products: Products
}

/** A probability where a rule decides, otherwise what the model reads. */
export function askedOfModel(models: Ruling, text: string, given: Given): number | Read {
	const { context, table, told, beside } = given
	if (repeats(context, text)) return 1
	const itself = ofText(text, context) ?? sideOf(text, told) ?? mannerOf(text, context)
	if (itself !== null) return itself
	const said = bare(text)
	const settled = sharesOf(models, said, told.evidence, [table])
	if (settled.rule && settled.rule !== 'absent')
		return settled.shares[0] + openOf(told.short) * settled.shares[2]
	const products = beside(said)
	const near = products && cosineOf(products)
	return { row: statedFeatures(renamed(said, told.evidence), told, settled, near), products }
}

const OF_A_SIDE =
	/^(?:the |this |der |die |das |le |la |el |il )?(?:text|review|message|comment|feedback|mail|email|e-mail|post|sentence|tone|mood|bewertung|nachricht|avis|commentaire|texto|resena|recensione|testo|sentiment) (?:is |was |ist |est |es |e |è )?(?:(?:mostly|rather|clearly|very) )?(positive|negative|positiv|negativ|positif|negatif|positiv[oa]|negativ[oa]|favou?rable|critical)$/i

/** "The review is positive": as far as it praises. */
function sideOf(text: string, { meant }: Told): number | null {
	const side = OF_A_SIDE.exec(read(text).folded.text.trim().replace(STOP, ''))?.[1]
	if (!side || !meant) return null
	const praise = 2 * meant.place - 1
	return 0.5 + 0.42 * (/^(?:neg|crit)/i.test(side) ? -praise : praise)
}

const STOP = /[\s.!。]+$/u

/** The last thing that the context says is the proposition itself, as a statement. */
const repeats = (context: string, text: string): boolean => {
	const plain = text.replace(STOP, '')
	const before = context.replace(STOP, '').slice(0, -plain.length || undefined)
	const ends = plain.length > 0 && context.replace(STOP, '').endsWith(plain) && !context.trim().endsWith('?')
	// Behind other words of the same sentence it may say anything: "Everyone except Tom came".
	return ends && /[.!?。…:;\n"”»)\]]\s*$/u.test(before)
}

const HELD = STATED.indexOf('held')
/** Of a long text the model of claims knows more, as it looks for the best passage; everyday rows are short. */
const OF_LONG = 0.8
const MOOD_OF_PERSON = STATED.indexOf('moodOfPerson')
/** Weight of praise and blame beside the model, in what is said of a person. */
const OF_PERSON = 0.4
/** Never surer than this. */
const within = (p: number): number => Math.min(0.93, Math.max(0.07, p))

const SAYS_SAME = /\b(same|equivalent|paraphrase|identical)\b/i

/** "The two sentences mean the same thing", of a context of two: a matter of likeness, not of evidence. */
export function sameness(proposition: string, context: string): Float32Array | null {
	if (!SAYS_SAME.test(proposition.slice(0, 200)) || labelledParts(context)?.length !== 2) return null
	const { kind, features } = rubricOf('How similar in meaning are the two?', context, SIX_LEVELS)
	return kind === 'pair' ? features : null
}

const LONGEST_FRAME_UNITS = 60

/** The statement without its frame: "The text supports this statement: …", "The answer to the question "…" is yes". */
export function bare(proposition: string): string {
	const colon = proposition.slice(0, LONGEST_FRAME_UNITS).indexOf(': ')
	if (colon > 0) return proposition.slice(colon + 2)
	const open = proposition.slice(0, LONGEST_FRAME_UNITS).search(/question ["“]/)
	const close = Math.max(proposition.lastIndexOf('"'), proposition.lastIndexOf('”'))
	return open >= 0 && close > open + 10 ? proposition.slice(open + 10, close) : proposition
}
