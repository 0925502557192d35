import { z } from 'zod'
import { defineTool, phrase, probability, text } from '../../guard/tool.ts'

export const score = defineTool({
	name: 'guard_score',
	title: 'Score on a rubric',
	description:
		'Scores one question against an ordered rubric: the expected score and a probability for each level.',
	scope: null,
	input: z.strictObject({
		question: phrase(),
		levels: z.array(phrase()).min(2).max(11).describe('The rubric, lowest level first'),
		context: text().optional().describe('What is to be scored'),
	}),
	output: z.object({
		expected: z.number().describe('0 for the lowest level to n − 1 for the highest'),
		probabilities: z.array(probability()).describe('In the order of the levels; their sum is 1'),
		level: z.string().describe('The most probable one; of several, that nearest to `expected`'),
	}),
	texts: ({ question, levels, context }) => [question, ...levels, context],
	run: async ({ question, levels, context }, judge, signal) => {
		const { probabilities, ...rest } = await judge.score(
			{ question, levels, ...(context !== undefined && { context }) },
			signal,
		)
		const expected = probabilities.reduce((sum, p, i) => sum + p * i, 0)
		return { expected, probabilities, level: levels[likeliest(probabilities, expected)], ...rest }
	},
})

/** Sums of shares that are even differ by less. */
const EVEN = 1e-9

function likeliest(probabilities: readonly number[], expected: number): number {
	const most = Math.max(...probabilities)
	const first = probabilities.flatMap((p, i) => (p > most - EVEN ? [i] : []))
	return first.reduce((best, i) => (Math.abs(i - expected) < Math.abs(best - expected) - EVEN ? i : best))
}
