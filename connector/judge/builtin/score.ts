import { read } from '../text/document.ts'
import { charVector, dot } from '../text/similarity.ts'
import type { Basis } from './calls.ts'

export function score(call: { question: string; levels: string[]; context?: string }): {
	basis: Basis
	probabilities: number[]
} {
	const last = call.levels.length - 1
	if (!call.context?.trim()) return { basis: 'none', probabilities: call.levels.map(() => 1 / (last + 1)) }
	const [a, b] = twoParts(call.question, call.context)
	const likeness = Math.min(1, 0.1 + dot(vector(a), vector(b)))
	const weights = call.levels.map((_, level) => Math.exp(-((level / last - likeness) ** 2) / 0.1))
	const sum = weights.reduce((x, y) => x + y, 0)
	return { basis: 'text', probabilities: weights.map((weight) => weight / sum) }
}

const vector = (text: string) => charVector(read(text).sentences.flatMap((sentence) => sentence.words))

function twoParts(question: string, context: string): [string, string] {
	const lines = context.split('\n').filter((line) => line.trim())
	return lines.length === 2 ? [lines[0]!, lines[1]!] : [question, context]
}
