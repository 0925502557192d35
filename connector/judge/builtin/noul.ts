/** Propositions: with a context, by what it says of them; without one the base rate, because the judge knows no facts. */
import { margin, probability } from '../learned/ensemble.ts'
import { sigmoid } from '../learned/trees.ts'
import { read } from '../text/document.ts'
import type { Calls } from './calls.ts'
import { viewClaim } from './claim.ts'
import type { Models } from './models.ts'
import { type Passages, passages } from './passages.ts'
import { labelledParts, rubricOf } from './rubric.ts'

const SIX_LEVELS = 6

export function noul(models: Models, call: Calls['noul'][0]): Calls['noul'][1] {
	const { context } = call
	if (!context?.trim())
		return { basis: 'none', probabilities: call.propositions.map(() => models.tuned.noul.baseRate) }
	const evidence = passages([context])
	const probabilities = call.propositions.map((text) => {
		const same = sameness(text, context)
		if (same) {
			const { slope, offset } = models.tuned.noul.same
			return sigmoid(slope * margin(models.ensembles.pair, same) + offset)
		}
		return probability(models.ensembles.noul, propositionFeatures(text, evidence))
	})
	return { basis: 'text', probabilities }
}

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
