import { z } from 'zod'
import { defineTool, phrase, probability, text } from '../../guard/tool.ts'

export const noul = defineTool({
	name: 'guard_noul',
	title: 'Judge propositions',
	description: 'Returns a calibrated probability for each of a batch of stated propositions.',
	scope: null,
	input: z.strictObject({
		propositions: z.array(phrase()).min(1).max(64).describe('Statements that are true or false'),
		context: text().optional().describe('What is known'),
	}),
	output: z.object({
		results: z.array(z.object({ proposition: z.string(), probability: probability() })),
	}),
	texts: ({ propositions, context }) => [...propositions, context],
	run: async ({ propositions, context }, judge, signal) => {
		const { probabilities, ...rest } = await judge.noul(
			{ propositions, ...(context !== undefined && { context }) },
			signal,
		)
		return {
			results: propositions.map((proposition, i) => ({ proposition, probability: probabilities[i] })),
			...rest,
		}
	},
})
