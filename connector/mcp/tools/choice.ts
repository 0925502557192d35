import { z } from 'zod'
import { defineTool, highest, phrase, probability, text } from '../../guard/tool.ts'

export const choice = defineTool({
	name: 'guard_choice',
	title: 'Choose an option',
	description: 'Answers one multiple-choice question of yours: the chosen option and a probability for each.',
	scope: null,
	input: z.strictObject({
		question: phrase(),
		options: z.array(phrase()).min(2).max(26),
		context: text().optional().describe('What is known'),
	}),
	output: z.object({
		choice: z.string(),
		index: z.int(),
		probabilities: z.array(probability()).describe('In the order of the options; their sum is 1'),
	}),
	texts: ({ question, options, context }) => [question, ...options, context],
	run: async ({ question, options, context }, judge, signal) => {
		const { probabilities, ...rest } = await judge.choice(
			{ question, options, ...(context !== undefined && { context }) },
			signal,
		)
		const index = highest(probabilities)
		return { choice: options[index], index, probabilities, ...rest }
	},
})
