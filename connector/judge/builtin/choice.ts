/** One of several options. The margins say which; a gate, which knows how such margins have failed, says how surely. */
import { margin, probability } from '../learned/ensemble.ts'
import { softmax } from '../learned/trees.ts'
import { tableSays } from '../rules/cells.ts'
import { languageAmong } from '../rules/of-text.ts'
import { pickOf } from '../rules/picks.ts'
import { recordOf } from '../rules/records.ts'
import { tableIn } from '../rules/tables.ts'
import { FUNCTION, phraseOf } from '../text/phrase.ts'
import { aboutSame } from './about.ts'
import { ANSWERED, answerFeatures } from './answers.ts'
import type { Calls } from './calls.ts'
import { closestOn } from './closest.ts'
import { hintsOn, onlyOneBeside } from './hints.ts'
import { inOrder, scaleOf } from './labels.ts'
import type { Models } from './models.ts'
import { nearerThanMost } from './nearest.ts'
import { spelled } from './places.ts'
import { placeOn, sidesOf } from './scale.ts'
import { answered, onScale } from './score.ts'
import { areStatements, asksForFalse, byContrary, byVerdict } from './statements.ts'
import { amongUnnamed } from './unnamed.ts'
import { claimIn, verdictOn, verdictOptions } from './verdicts.ts'

export function choose(models: Models, call: Calls['choice'][0]): Calls['choice'][1] {
	const verdicts = verdictOptions(call.options)
	if (verdicts && call.context?.trim()) {
		const { claim, evidence } = claimIn(call.question, call.context)
		const list = verdictOn(models, claim, evidence)
		// An even share is kept back: what a caller calls settled differs more than what one calls a verdict.
		return {
			basis: 'evidence',
			probabilities: evened(
				verdicts.map((k) => list[k]!),
				list[2] === Math.max(...list) ? KEPT_UNSETTLED : KEPT_EVEN,
			),
		}
	}
	const { question, context } = contextOf(call)
	if (context === undefined) return even(call.options)
	if (OF_PRONOUN.test(question)) return even(call.options)
	const ruled = sidesOf(call.options, context) ?? tableChoice(question, call.options, context)
	if (ruled) return { basis: isFlat(ruled) ? 'none' : 'text', probabilities: ruled }
	if (areStatements(question, call.options) && asksForFalse(question))
		return { basis: 'text', probabilities: evened(byContrary(models, call.options, context), KEPT_STATED) }
	const language = languageAmong(question, call.options, context)
	if (language >= 0) return { basis: 'text', probabilities: onlyAt(language, call.options) }
	const pick = pickOf(question, call.options, context)
	if (pick >= 0) return { basis: 'text', probabilities: onlyAt(pick, call.options) }
	const rated = onOrder(question, call.options, context)
	if (rated) return { basis: 'text', probabilities: evened(rated, KEPT_SHORT) }
	const beside = onlyOneBeside(question, call.options, context)
	if (beside >= 0 && !isRouting(call)) return { basis: 'text', probabilities: onlyAt(beside, call.options) }
	const record = recordOf(question, call.options, context)
	if (record >= 0) return { basis: 'text', probabilities: onlyAt(record, call.options, SURE_OF_RECORD) }
	const said =
		context.length < SHORT_UNITS ? answered(models, { question, levels: call.options, context }) : null
	if (said) return said
	const rows = answerFeatures(question, call.options, context)
	const hints = hintsOn(question, call.options, context)
	const close = closestOn(question, call.options, context)
	const learned = rows.map((row) => margin(models.ensembles.choice, row))
	const margins = learned.map((one, i) => one + hints[i]! + close[i]!)
	if (areStatements(question, call.options)) {
		const words = softmax(margins, models.tuned.choice.temperature)
		const shares = byVerdict(models, call.options, context, words)
		return { basis: 'text', probabilities: evened(shares, KEPT_STATED) }
	}
	const meant = aboutSame(context, call.options)
	const asked = { question, options: call.options, context, rows, margins: learned, hints, meant }
	const unnamed = amongUnnamed(asked)
	if (unnamed) return { basis: basisOf(unnamed), probabilities: unnamed }
	if (isRouting(call)) return routed(call.options, context, margins, hints, meant)
	const sure = probability(models.ensembles.gate, gateFeatures(rows, margins))
	const probabilities = evened(
		spread(softmax(margins, models.tuned.choice.temperature), sure),
		context.length < SHORT_UNITS ? KEPT_SHORT : KEPT_BACK,
	)
	return { basis: sure > FLAT / call.options.length ? 'text' : 'none', probabilities }
}

/**
 * A question of fact without a context is not for this judge, whatever words it shares with an option. What a question
 * quotes is a context: "Which sentence is closest to: "…"".
 */
export function contextOf({ question, context }: { question: string; context?: string }): {
	question: string
	context?: string
} {
	if (context?.trim()) return { question, context }
	const open = question.search(/["“«]/)
	const close = Math.max(...['"', '”', '»'].map((mark) => question.lastIndexOf(mark)))
	const ends = question.length - close <= LONGEST_REST_UNITS
	const quoted = open >= 0 && close > open && ends ? question.slice(open + 1, close) : ''
	return quoted.split(' ').length >= FEWEST_QUOTED_WORDS
		? { question: question.slice(0, open), context: quoted }
		: { question }
}

/** Whether the question only says what to do with the context given: it shares no topic with it. */
export function isRouting({ question, context }: { question: string; context?: string }): boolean {
	if (!context?.trim()) return false
	const text = phraseOf(context)
	const asked = phraseOf(question)
	let shared = 0
	let total = 0
	for (let i = 0; i < asked.words.length; i++) {
		if (asked.marks[i]! & FUNCTION) continue
		total += asked.weights[i]!
		if (text.places.has(asked.stems[i]!)) shared += asked.weights[i]!
	}
	return shared <= MOST_SHARED * total
}

const MOST_SHARED = 0.45
/**
 * Fitted on 644 everyday questions of four authors, each read by an encoder that had not learned from that author, on
 * collected rows and on the half of the probes that is for tuning. Words mislead most where a message goes to a place.
 */
const WORTH_NEAR = 12
const OF_TREES = 0.35
const OF_HINTS = 0.3
const ROUTING_TEMPERATURE = 1.25
/**
 * Share of a routing's probabilities spread evenly where the text is long: the encoder reads its beginning. Chosen on 170
 * questions of two authors, from whom nothing is learned.
 */
const KEPT_ROUTING = 0.4
export const KEPT_BACK = 0.15
/** Of statements, one of which follows. */
const KEPT_STATED = 0.1
/** "Who does "she" refer to?": the words of a sentence do not tell. */
const OF_PRONOUN = /["“«'‘](?:he|she|they|it|him|her|them|his|hers|their|its)["”»'’][^?]{0,20}\brefer/i
const even = (options: readonly string[]): Calls['choice'][1] => ({
	basis: 'none',
	probabilities: options.map(() => 1 / options.length),
})
/** A few words may be of any kind: of two options none is surer than 0.9. */
const KEPT_SHORT = 0.2
const SHORT_UNITS = 300

const evened = (shares: readonly number[], kept: number): number[] =>
	shares.map((share) => kept / shares.length + (1 - kept) * share)

/** As sure as a rule of reading is on the rows that it speaks of. */
const SURE = 0.8
const SURE_OF_RECORD = 0.7
const onlyAt = (place: number, options: readonly string[], sure = SURE): number[] =>
	options.map((_, i) => (i === place ? sure : (1 - sure) / (options.length - 1)))

const isFlat = (list: readonly number[]): boolean => Math.max(...list) - Math.min(...list) < 1e-9

/** A message and the places that it may go to. */
function routed(
	options: readonly string[],
	context: string,
	margins: readonly number[],
	hints: readonly number[],
	meant: readonly number[],
): Calls['choice'][1] {
	const words = margins.map((one, i) => OF_TREES * one + OF_HINTS * hints[i]! + meant[i]!)
	const near = nearerThanMost(phraseOf(context), context, options.map(spelled), words)
	const both = words.map((one, i) => one + WORTH_NEAR * near[i]!)
	const probabilities = evened(
		softmax(both, ROUTING_TEMPERATURE),
		context.length < SHORT_UNITS ? KEPT_SHORT : KEPT_ROUTING,
	)
	return { basis: basisOf(probabilities), probabilities }
}

const basisOf = (shares: readonly number[]) => (Math.max(...shares) > FLAT / shares.length ? 'text' : 'none')

/** Options that are levels in any order: "high", "low", "medium" of how urgent it is. */
function onOrder(question: string, options: readonly string[], context: string): number[] | null {
	// Two levels are the ends of a scale in any order: "urgent", "not urgent".
	const places = options.length > 2 ? inOrder(options) : [0, 1]
	if (!places) return null
	const levels = places.map((place) => options[place]!)
	const scale = scaleOf(levels, question)
	const placed = scale && placeOn(scale.name, context)
	if (!placed) return null
	const shares = onScale(placed, scale.up, levels)
	return options.map((_, i) => shares[places.indexOf(i)]!)
}

/** What a table says of "Which … ?" with each option put in the place of what is asked for. */
function tableChoice(question: string, options: readonly string[], context: string): number[] | null {
	const table = tableIn(context)
	if (!table) return null
	const asked = question.replace(/[?？\s]+$/u, '')
	const said = options.map((option) => {
		const put = asked.replace(
			/^(?:which|what|who|welche[rs]?|quel(?:le)?|cu[aá]l) (?:\w+ )?(?=is |has |are |costs? |earns? )/i,
			`${option} `,
		)
		return tableSays(table, put === asked ? `${asked} ${option}` : put)
	})
	return said.filter((one) => one > 0).length === 1
		? evened(
				said.map((one) => (one > 0 ? 1 : 0)),
				KEPT_BACK,
			)
		: null
}

const FEWEST_QUOTED_WORDS = 4
/** What may stand behind the quotation: a stop, a bracket. */
const LONGEST_REST_UNITS = 3

/**
 * Share of a verdict's probabilities spread evenly. Other words for the same look like other matter, so "not settled"
 * is worth least on kinds of evidence never seen.
 */
const KEPT_EVEN = 0.3
const KEPT_UNSETTLED = 0.5

/** Below this many times its share, the first option is no better than a guess. */
const FLAT = 1.15

/** What the gate sees: how far the first option leads and what it leads by. */
export const GATE = [
	'lead',
	'top',
	'spread',
	'options',
	'softBack',
	'soft',
	'chars',
	'meaning',
	'found',
	'context',
	'generic',
] as const

const at = (name: string) => ANSWERED.indexOf(name)
const READ = [
	at('text.softBack'),
	at('text.soft'),
	at('text.chars'),
	at('text.meaning'),
	at('found'),
	at('context'),
	at('generic'),
]

export function gateFeatures(rows: readonly Float32Array[], margins: readonly number[]): Float32Array {
	const shares = softmax(margins)
	const top = shares.indexOf(Math.max(...shares))
	const second = Math.max(...shares.filter((_, i) => i !== top))
	const spread = Math.max(...margins) - Math.min(...margins)
	return Float32Array.of(
		shares[top]! - second,
		shares[top]!,
		spread,
		rows.length,
		...READ.map((column) => rows[top]![column]!),
	)
}

/**
 * Gives the first option the gate's probability (never less than its share) and the others the rest, in proportion.
 * Options that are first together share it: which of them comes first in the question says nothing.
 */
export function spread(shares: readonly number[], sure: number): number[] {
	const most = Math.max(...shares)
	const tied = shares.filter((share) => share === most).length
	const others = shares.length - tied
	if (!others) return shares.map(() => 1 / tied)
	const first = Math.max(tied / shares.length, Math.min(0.98, sure))
	const rest = 1 - tied * most
	return shares.map((share) => {
		if (share === most) return first / tied
		const part = rest > 1e-9 ? share / rest : 1 / others
		// Half by proportion, half evenly: what trails is known less well than what leads.
		return (1 - first) * (0.5 * part + 0.5 / others)
	})
}
