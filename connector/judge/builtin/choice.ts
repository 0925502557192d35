/** One of several options. The margins say which; a gate, which knows how such margins have failed, says how surely. */
import { margin, probability } from '../learn/ensemble.ts'
import { softmax } from '../learn/trees.ts'
import { read } from '../text/document.ts'
import { ANSWERED, answerFeatures } from './answers.ts'
import type { Calls } from './calls.ts'
import { viewClaim } from './claim.ts'
import type { Models } from './models.ts'
import { passages } from './passages.ts'
import { tail } from './rubric.ts'
import { claimProbabilities } from './verify.ts'

export function choose(models: Models, call: Calls['choice'][0]): Calls['choice'][1] {
	const verdicts = verdictOptions(call.options)
	if (verdicts && call.context?.trim()) {
		const claim = tail(call.question) || call.question
		const { features, best } = viewClaim(read(claim), passages([call.context]))
		const list = best < 0 ? [0.05, 0.1, 0.85] : claimProbabilities(models, features)
		// An even share is kept back: what a caller calls settled differs more than what one calls a verdict.
		return {
			basis: 'evidence',
			probabilities: verdicts.map((k) => KEPT_EVEN / 3 + (1 - KEPT_EVEN) * list[k]!),
		}
	}
	const { question, context } = contextOf(call)
	if (context === undefined)
		return { basis: 'none', probabilities: call.options.map(() => 1 / call.options.length) }
	const rows = answerFeatures(question, call.options, context)
	const margins = rows.map((row) => margin(models.ensembles.choice, row))
	const sure = probability(models.ensembles.gate, gateFeatures(rows, margins))
	const probabilities = spread(softmax(margins, models.tuned.choice.temperature), sure)
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

const FEWEST_QUOTED_WORDS = 4
/** What may stand behind the quotation: a stop, a bracket. */
const LONGEST_REST_UNITS = 3

/** Share of a verdict's probabilities spread evenly. */
const KEPT_EVEN = 0.5

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

/** Gives the first option the gate's probability (never less than its share) and the others the rest, in proportion. */
export function spread(shares: readonly number[], sure: number): number[] {
	const top = shares.indexOf(Math.max(...shares))
	const first = Math.max(1 / shares.length, Math.min(0.98, sure))
	const rest = 1 - shares[top]!
	return shares.map((share, i) => {
		if (i === top) return first
		const part = rest > 1e-9 ? share / rest : 1 / (shares.length - 1)
		// Half by proportion, half evenly: what trails is known less well than what leads.
		return (1 - first) * (0.5 * part + 0.5 / (shares.length - 1))
	})
}

/** Places of the verdicts where the options are "supports", "contradicts" and "does not settle" in any order. */
function verdictOptions(options: readonly string[]): number[] | null {
	if (options.length !== 3) return null
	const kinds = options.map((option) => {
		if (
			/not (settle|enough|say|mention|clear|determin|support)|neither|neutral|unsupported|insufficient|unknown|undetermined/i.test(
				option,
			)
		)
			return 2
		if (/contradict|refute|disprove|false|against/i.test(option)) return 1
		return /support|entail|verif|confirm|true|prove/i.test(option) ? 0 : -1
	})
	return kinds.every((kind, i) => kind >= 0 && kinds.indexOf(kind) === i) ? kinds : null
}
