/** A rubric's levels: where on the scale the text is expected to lie, spread over the levels as far as it is known. */
import { margin } from '../learned/ensemble.ts'
import type { Calls } from './calls.ts'
import type { Models } from './models.ts'
import { ALONE, type Rubric, rubricOf } from './rubric.ts'

export function score(models: Models, call: Calls['score'][0]): Calls['score'][1] {
	const even = call.levels.map(() => 1 / call.levels.length)
	if (!call.context?.trim() || call.levels.length < 2) return { basis: 'none', probabilities: even }
	const rubric = rubricOf(call.question, call.context, call.levels.length)
	return {
		basis: rubric.kind === 'quality' ? 'none' : 'text',
		probabilities: levelsAround(
			expected(models, rubric),
			models.tuned.score.spread[rubric.kind],
			call.levels.length,
		),
	}
}

/** Place on the scale from 0 to 1. */
export function expected({ ensembles }: Models, { kind, features }: Rubric): number {
	if (kind === 'quality') return quality(features)
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

/** Longer and closer to the question is, over many rubrics, slightly better: all that can be said without knowledge. */
function quality(features: Float32Array): number {
	const words = features[ALONE.indexOf('words')]!
	const onQuestion = features[ALONE.indexOf('onQuestion')]!
	return Math.max(0.2, Math.min(0.9, 0.55 + 0.08 * (words - 4.7) + 0.15 * (onQuestion - 0.5)))
}

export function levelsAround(place: number, spread: number, levels: number): number[] {
	const weights = Array.from(
		{ length: levels },
		(_, level) => Math.exp(-((level / (levels - 1) - place) ** 2) / (2 * spread * spread)) + 1e-4,
	)
	const sum = weights.reduce((a, b) => a + b, 0)
	return weights.map((weight) => weight / sum)
}
