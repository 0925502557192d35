/** Propositions: with a context, by what it says of them; without one the base rate, because the judge knows no facts. */
import { margin, probability } from '../learned/ensemble.ts'
import { sigmoid } from '../learned/trees.ts'
import { denied } from '../rules/frames.ts'
import { ofText } from '../rules/of-text.ts'
import { renamed } from '../rules/renamed.ts'
import { type Table, tableIn } from '../rules/tables.ts'
import { read } from '../text/document.ts'
import { leaning } from '../text/polarity.ts'
import type { Calls } from './calls.ts'
import { viewClaim } from './claim.ts'
import { mannerOf } from './manners.ts'
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
	const given = {
		evidence,
		context,
		table: tableIn(context),
		meant: placeOn('good', context),
		plainly: placeOn('good', context, false),
	}
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
	/** How far the context praises or blames, in all its words and in the plainest. */
	meant: Placed | null
	plainly: Placed | null
}

/** A denial has what is left of the probability of what it denies. */
function stated(models: Models, text: string, given: Given): number {
	const { evidence, context, table, meant, plainly } = given
	const inner = denied(text)
	if (inner !== null) return 1 - stated(models, inner, given)
	if (repeats(context, text)) return within(1)
	const itself = ofText(text, context) ?? sideOf(text, given) ?? mannerOf(text, context)
	if (itself !== null) return within(itself)
	const learned = probability(
		models.ensembles.noul,
		propositionFeatures(renamed(bare(text), evidence), evidence),
	)
	const { shares, rule, best } = sharesOf(models, bare(text), evidence, [table])
	const { share: ofClaims, open } = context.length > LONG_UNITS ? OF_CLAIMS.long : OF_CLAIMS.short
	const claimed = shares[0] + open * shares[2]
	if (rule && rule !== 'absent') return within(claimed)
	const short = context.length <= LONG_UNITS
	const both = (1 - ofClaims) * learned + ofClaims * claimed
	// Two short texts without a common word often say the same in others.
	const held = short && best < 0 ? Math.max(both, OF_NOTHING_SHARED) : both
	const said = wordsOf(text)
	const ofPerson = said.some((word) => PERSONS.has(word))
	const side = Math.max(-1, Math.min(1, FULL_SIDE * leaning(said, 'good', ofPerson).value))
	const place = ofPerson ? meant : plainly
	if (!side || !place) return within(held)
	const agrees = side * (2 * place.place - 1)
	const share = ofPerson ? OF_PERSON : OF_THING
	return within((1 - share) * held + share * (0.5 + 0.4 * agrees))
}

const OF_A_SIDE =
	/^(?:the |this |der |die |das |le |la |el |il )?(?:text|review|message|comment|feedback|mail|email|e-mail|post|sentence|tone|mood|bewertung|nachricht|avis|commentaire|texto|resena|recensione|testo|sentiment) (?:is |was |ist |est |es |e |è )?(?:(?:mostly|rather|clearly|very) )?(positive|negative|positiv|negativ|positif|negatif|positiv[oa]|negativ[oa]|favou?rable|critical)$/i

/** "The review is positive": as far as it praises. */
function sideOf(text: string, { meant }: Given): number | null {
	const side = OF_A_SIDE.exec(read(text).folded.text.trim().replace(STOP, ''))?.[1]
	if (!side || !meant) return null
	const praise = 2 * meant.place - 1
	return 0.5 + 0.42 * (/^(?:neg|crit)/i.test(side) ? -praise : praise)
}

const STOP = /[\s.!。]+$/u

/** The last thing that the context says is the proposition itself, as a statement. */
const repeats = (context: string, text: string): boolean => {
	const plain = text.replace(STOP, '')
	return plain.length > 0 && context.replace(STOP, '').endsWith(` ${plain}`) && !context.trim().endsWith('?')
}

/** A proposition takes a side with one plain word. */
const FULL_SIDE = 2
/**
 * Share of what the model of claims says beside the model of propositions, and how often holds what it leaves open. Of a
 * long text the model of claims knows more, as it looks for the best passage.
 */
const OF_CLAIMS = { short: { share: 0.6, open: 0.2 }, long: { share: 0.8, open: 0.1 } }
const LONG_UNITS = 240
/** As often such a proposition holds: 12 of 27 everyday ones, 21 of 92 of development rows. */
const OF_NOTHING_SHARED = 0.36
/** Weight of praise and blame beside the learned model: of what a person feels, of anything else. */
const OF_PERSON = 0.8
const OF_THING = 0.2
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
