import type { Basis } from './calls.ts'
import { verify } from './verify.ts'

const BASE_RATE = 0.49

export function noul(call: { propositions: string[]; context?: string }): {
	basis: Basis
	probabilities: number[]
} {
	if (!call.context?.trim()) return { basis: 'none', probabilities: call.propositions.map(() => BASE_RATE) }
	const { results } = verify({ claims: call.propositions, evidence: [call.context] })
	return {
		basis: 'text',
		probabilities: results.map(({ probabilities }) => 0.25 + 0.5 * probabilities.verified),
	}
}
