/** A rubric's levels: where on the scale the text is expected to lie, spread over the levels as far as it is known. */
import { margin } from '../learned/ensemble.ts'
import type { Calls } from './calls.ts'
import type { Models } from './models.ts'
import { type Rubric, rubricOf } from './rubric.ts'
import { type Placed, placeOn, scaleOf } from './scale.ts'

export function score(models: Models, call: Calls['score'][0]): Calls['score'][1] {
	const even = call.levels.map(() => 1 / call.levels.length)
	if (!call.context?.trim() || call.levels.length < 2) return { basis: 'none', probabilities: even }
	const scale = scaleOf(call.levels, call.question)
	const rubric = rubricOf(call.question, call.context, call.levels.length)
	if (rubric.kind === 'quality') {
		const placed = scale ? placeOn(scale.name, call.context) : null
		return placed && scale
			? { basis: 'text', probabilities: onScale(placed, scale.up, call.levels) }
			: { basis: 'none', probabilities: even }
	}
	const up = !isTurned(call.levels)
	const place = expected(models, rubric)
	return {
		basis: 'text',
		probabilities: tempered(
			levelsAround(up ? place : 1 - place, models.tuned.score.spread[rubric.kind], call.levels.length),
		),
	}
}

/** What a few words show is shown less surely than what many show; a mixed text lies between. */
const SPREAD_OF_ONE = 0.42
const LEAST_SPREAD = 0.24
const TEMPERED = 0.2

function onScale({ place, words }: Placed, up: boolean, levels: readonly string[]): number[] {
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
