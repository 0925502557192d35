/** A rubric's levels: where on the scale the text is expected to lie, spread over the levels as far as it is known. */
import { margin } from '../learned/ensemble.ts'
import { horizonLevel, horizonsOf, soonest } from '../rules/horizons.ts'
import { rangedLevel } from '../rules/ranged.ts'
import type { Shares } from '../rules/ruling.ts'
import { tableIn } from '../rules/tables.ts'
import type { Calls } from './calls.ts'
import { answersOf, scaleOf } from './labels.ts'
import type { Models } from './models.ts'
import { noul } from './noul.ts'
import { passages } from './passages.ts'
import { type Rubric, rubricOf } from './rubric.ts'
import { neutralOf, type Placed, placeOn } from './scale.ts'
import { twinsIn } from './twins.ts'
import { sharesOf } from './verify.ts'
import { amongLevels, bySharing } from './weighed-levels.ts'

export function score(models: Models, call: Calls['score'][0]): Calls['score'][1] {
	const even = call.levels.map(() => 1 / call.levels.length)
	if (!call.context?.trim() || call.levels.length < 2) return { basis: 'none', probabilities: even }
	const supported = supportOf(models, call.question, call.context)
	if (supported) {
		const [verified, contradicted] = supported
		const place = 0.5 + (verified - contradicted) / 2
		const up = !sideUp(call.levels)
		return {
			basis: 'text',
			probabilities: tempered(levelsAround(up ? place : 1 - place, LEAST_SPREAD, call.levels.length)),
		}
	}
	const measured = measuredLevel(call.question, call.levels, call.context)
	if (measured) return { basis: 'text', probabilities: measured }
	// "How similar" has degrees; "the same" has none.
	const strict =
		SAME.test(call.question) &&
		!/similar|grade|student|reference/i.test(call.question) &&
		call.levels.length <= 3
	const twins = strict ? twinsIn(call.context) : null
	const rubric = rubricOf(call.question, twins?.context ?? call.context, call.levels.length)
	if (rubric.kind === 'quality') return ofQuality(models, call, call.context, even)
	const up = !isTurned(call.levels)
	const found = expected(models, rubric)
	const place = twins?.against ? Math.min(found, AGAINST) : found
	return {
		basis: 'text',
		probabilities: tempered(
			levelsAround(up ? place : 1 - place, models.tuned.score.spread[rubric.kind], call.levels.length),
		),
	}
}

/** What no pair of texts is asked about: an amount, an answer, or else each level by what speaks for it. */
function ofQuality(models: Models, call: Calls['score'][0], context: string, even: number[]) {
	const { question, levels } = call
	const shared = bySharing(levels, context)
	if (shared) return { basis: 'text' as const, probabilities: tempered(shared) }
	const scale = scaleOf(levels, question)
	const yes = scale ? null : answered(models, call)
	if (yes) return yes
	const weighed = scale || !OF_THE_TEXT.test(question) ? amongLevels(question, levels, context) : null
	if (weighed) return { basis: 'text' as const, probabilities: tempered(weighed) }
	const placed = scale && placeOn(scale.name, context)
	if (placed) return { basis: 'text' as const, probabilities: onScale(placed, scale.up, levels) }
	const neutral = scale && neutralOf(levels)
	if (neutral) return { basis: 'text' as const, probabilities: neutral }
	return { basis: 'none' as const, probabilities: even }
}

/** Levels that are ranges or times of which the text gives one; null where they are not, or it gives none. */
function measuredLevel(question: string, levels: readonly string[], context: string): number[] | null {
	const ranged = rangedLevel(question, levels, context)
	if (ranged >= 0) return tempered(levels.map((_, i) => (i === ranged ? 1 : 0)))
	const hours = horizonsOf(question, levels)
	if (!hours) return null
	const wanted = soonest(context)
	if (wanted !== null) return onLevel(horizonLevel(hours, wanted), levels.length, LEAST_SPREAD)
	const urgent = placeOn('urgent', context)
	return urgent && onScale(urgent, hours[0]! > hours.at(-1)!, levels)
}

const onLevel = (level: number, levels: number, spread: number): number[] =>
	tempered(levelsAround(level / (levels - 1), spread, levels))

/** How a text is written, and how much of a list it has: what its words mean tells neither. */
const OF_THE_TEXT = /\b(?:sentence|text|passage|paragraph|to read|of these|of those)\b/i
/** Sentences that share their words and say the opposite are alike, and not the same. */
const AGAINST = 0.25
const SAME =
	/\b(?:same|mean|means|meaning|equivalent|paraphrase|identical|agree)\b|gleich|misma|mismo|meme|stess|mesm|zelfde/i

/** "Claim: … Evidence: …" of a question how far the one supports the other. */
function supportOf(models: Models, question: string, context: string): Shares | null {
	const found = SUPPORT_ASKED.test(question) && CLAIM_AND_EVIDENCE.exec(context)
	return found ? sharesOf(models, found[1]!, passages([found[2]!]), [tableIn(found[2]!)]).shares : null
}

const SUPPORT_ASKED = /support|confirm|entail|back up|prove|contradict/i
const CLAIM_AND_EVIDENCE =
	/^\s*(?:claim|statement|hypothesis)\s*:\s*(.+?)\s+(?:evidence|text|source|premise|passage)\s*:\s*(.+)$/isu
/** Levels that begin with support. */
const sideUp = (levels: readonly string[]): boolean =>
	/^(?!.*(?:not|nothing|contradict|refut)).*(?:support|confirm|entail|prove|true)/i.test(levels[0]!)

/** "No … yes" of a question that no scale covers: as far as the text says what is asked. */
export function answered(
	models: Models,
	{ question, levels, context }: Calls['score'][0],
): Calls['score'][1] | null {
	const answers = answersOf(levels)
	if (!answers) return null
	const { probabilities } = noul(models, {
		propositions: [question.replace(/[?？\s]+$/u, '')],
		...(context === undefined ? {} : { context }),
	})
	const yes = 0.5 + ASKED * (probabilities[0]! - 0.5)
	return { basis: 'text', probabilities: answers.up ? [1 - yes, yes] : [yes, 1 - yes] }
}

/** A question is not the statement that answers it. */
const ASKED = 0.8

/** What a few words show is shown less surely than what many show; a mixed text lies between. */
const SPREAD_OF_ONE = 0.42
const LEAST_SPREAD = 0.24
const TEMPERED = 0.2

export function onScale({ place, words }: Placed, up: boolean, levels: readonly string[]): number[] {
	const spread = Math.max(LEAST_SPREAD, SPREAD_OF_ONE / Math.sqrt(words))
	return tempered(levelsAround(up ? place : 1 - place, spread, levels.length))
}

/** An even share is kept back from every answer. */
const tempered = (list: readonly number[]): number[] =>
	list.map((share) => TEMPERED / list.length + (1 - TEMPERED) * share)

/** Levels that begin with the best: "same … different", "right … wrong". */
function isTurned(levels: readonly string[]): boolean {
	const [first, last] = [levels[0]!.toLowerCase(), levels.at(-1)!.toLowerCase()]
	return HIGHEST.test(first) && LOWEST.test(last)
}

const HIGHEST = /^(same|identical|equivalent|the same|right|correct|yes|supported|fully|true|hard|difficult)/
const LOWEST =
	/^(different|unrelated|nothing|not |wrong|incorrect|no\b|unsupported|contradict|false|easy|simple)/

/** Place on the scale from 0 to 1. */
export function expected({ ensembles }: Models, { kind, features }: Rubric): number {
	if (kind === 'quality') return 0.5
	return Math.max(
		0,
		Math.min(1, kind === 'grade' ? graded(ensembles, features) : margin(ensembles[kind], features)),
	)
}

/** Half from graded answers, half from pairs of sentences: graded rows teach their own questions more than grading. */
export const graded = (
	ensembles: Pick<Models['ensembles'], 'grade' | 'reach'>,
	features: Float32Array,
): number => (margin(ensembles.grade, features) + margin(ensembles.reach, features)) / 2

export function levelsAround(place: number, spread: number, levels: number): number[] {
	const weights = Array.from(
		{ length: levels },
		(_, level) => Math.exp(-((level / (levels - 1) - place) ** 2) / (2 * spread * spread)) + 1e-4,
	)
	const sum = weights.reduce((a, b) => a + b, 0)
	return weights.map((weight) => weight / sum)
}
