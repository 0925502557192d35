/** Claims against evidence, in two steps: does the evidence speak of this at all, and if so, for it or against it. */

import { margin } from '../learned/ensemble.ts'
import { sigmoid } from '../learned/trees.ts'
import { read } from '../text/document.ts'
import type { Calls, Verdict } from './calls.ts'
import { viewClaim } from './claim.ts'
import type { Models, Tuned } from './models.ts'
import { passages } from './passages.ts'

/** Verdict of a claim that shares no word with the evidence. */
const NOTHING_SHARED = [0.03, 0.05, 0.92] as const
const VERDICTS = ['verified', 'contradicted', 'unsupported'] as const

export function verify(models: Models, call: Calls['verify'][0]): Calls['verify'][1] {
	const evidence = passages(call.evidence)
	const results = call.claims.map((text): Verdict => {
		const { features, best } = viewClaim(read(text), evidence)
		if (best < 0) return verdictOf(NOTHING_SHARED, null)
		const { source, sentence } = evidence.list[best]!
		return verdictOf(claimProbabilities(models, features), { source, ...sentence.span })
	})
	return { basis: evidence.list.length ? 'evidence' : 'none', results }
}

export function claimProbabilities({ ensembles, tuned }: Models, features: ArrayLike<number>): number[] {
	const unsupported = sigmoid(margin(ensembles.unsupported, features))
	const contradicted = sigmoid(margin(ensembles.contradicted, features))
	return weighed(
		[(1 - unsupported) * (1 - contradicted), (1 - unsupported) * contradicted, unsupported],
		tuned.verify,
	)
}

export function weighed(
	probabilities: readonly number[],
	{ multipliers, temperature }: Tuned['verify'],
): number[] {
	const powers = probabilities.map((p, k) => (Math.max(1e-6, p) * multipliers[k]!) ** (1 / temperature))
	const sum = powers.reduce((a, b) => a + b, 0)
	return powers.map((power) => power / sum)
}

function verdictOf(list: readonly number[], passage: Verdict['evidence']): Verdict {
	const [verified, contradicted, unsupported] = list as [number, number, number]
	const top = list.indexOf(Math.max(...list))
	const verdict = VERDICTS[top]!
	return {
		verdict,
		confidence: list[top]!,
		evidence: verdict === 'unsupported' ? null : passage,
		probabilities: { verified, contradicted, unsupported },
	}
}
