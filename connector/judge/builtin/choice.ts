import type { Basis } from './calls.ts'
import { find } from './find.ts'

export function choose(call: { question: string; options: string[]; context?: string }): {
	basis: Basis
	probabilities: number[]
} {
	const query = call.context ? `${call.question}\n${call.context}` : call.question
	const { scores } = find({ query, candidates: call.options })
	const top = Math.max(...scores)
	const weights = scores.map((score) => Math.exp(3 * (score - top)))
	const sum = weights.reduce((a, b) => a + b, 0)
	return { basis: top > 0 ? 'text' : 'none', probabilities: weights.map((weight) => weight / sum) }
}
