/** Propositions: with a context, by what it says of them; without one the base rate, because the judge knows no facts. */
import { margin, probability } from '../learned/ensemble.ts'
import { sigmoid } from '../learned/trees.ts'
import { denied } from '../rules/frames.ts'
import { type Table, tableIn } from '../rules/tables.ts'
import { read } from '../text/document.ts'
import { leaning } from '../text/polarity.ts'
import type { Calls } from './calls.ts'
import { viewClaim } from './claim.ts'
import type { Models } from './models.ts'
import { type Passages, passages } from './passages.ts'
import { labelledParts, rubricOf } from './rubric.ts'
import { type Placed, placeOn } from './scale.ts'
import { sharesOf } from './verify.ts'

const SIX_LEVELS = 6

export function noul(models: Models, call: Calls['noul'][0]): Calls['noul'][1] {
	const { context } = call
	if (!context?.trim())
		return { basis: 'none', probabilities: call.propositions.map(() => models.tuned.noul.baseRate) }
	const evidence = passages([context])
	const given = { evidence, context, table: tableIn(context), meant: placeOn('good', context) }
	const probabilities = call.propositions.map((text) => {
		const same = sameness(text, context)
		if (same) {
			const { slope, offset } = models.tuned.noul.same
			return sigmoid(slope * margin(models.ensembles.pair, same) + offset)
		}
		return stated(models, text, given)
	})
	return { basis: 'text', probabilities }
}

interface Given {
	evidence: Passages
	context: string
	table: Table | null
	meant: Placed | null
}

/** A denial has what is left of the probability of what it denies. */
function stated(models: Models, text: string, given: Given): number {
	const { evidence, context, table, meant } = given
	const inner = denied(text)
	if (inner !== null) return 1 - stated(models, inner, given)
	if (repeats(context, text)) return within(1)
	const learned = probability(models.ensembles.noul, propositionFeatures(text, evidence))
	const { shares, rule } = sharesOf(models, bare(text), evidence, [table])
	if (rule) return within(shares[0] + OPEN * shares[2])
	const said = wordsOf(text)
	const side = leaning(said, 'good').value
	if (!side || !meant) return within(learned)
	const agrees = side * (2 * meant.place - 1)
	const share = said.some((word) => PERSONS.has(word)) ? OF_PERSON : OF_THING
	return within((1 - share) * learned + share * (0.5 + 0.4 * agrees))
}

const STOP = /[\s.!。]+$/u

/** The last thing that the context says is the proposition itself, as a statement. */
const repeats = (context: string, text: string): boolean => {
	const plain = text.replace(STOP, '')
	return plain.length > 0 && context.replace(STOP, '').endsWith(` ${plain}`) && !context.trim().endsWith('?')
}

/** What the evidence leaves open holds a little less often than not. */
const OPEN = 0.4
/** Weight of praise and blame beside the learned model: of what a person feels, of anything else. */
const OF_PERSON = 0.8
const OF_THING = 0.4
const PERSONS = new Set(
	'writer reviewer customer guest user client author speaker kunde kundin client cliente klant клиент musteri'.split(
		' ',
	),
)
const wordsOf = (text: string): string[] => read(text).sentences.flatMap(({ words }) => words)
/** Never surer than this. */
const within = (p: number): number => Math.min(0.93, Math.max(0.07, p))

const SAYS_SAME = /\b(same|equivalent|paraphrase|identical)\b/i

/** "The two sentences mean the same thing", of a context of two: a matter of likeness, not of evidence. */
export function sameness(proposition: string, context: string): Float32Array | null {
	if (!SAYS_SAME.test(proposition.slice(0, 200)) || labelledParts(context)?.length !== 2) return null
	const { kind, features } = rubricOf('How similar in meaning are the two?', context, SIX_LEVELS)
	return kind === 'pair' ? features : null
}

export function propositionFeatures(text: string, evidence: Passages): Float32Array {
	return viewClaim(read(bare(text)), evidence).features
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
