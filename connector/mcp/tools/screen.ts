import { z } from 'zod'
import { defineTool, phrase, probability, text } from '../../guard/tool.ts'
import type { ScreenResult } from '../../judge/types.ts'

/** Below these a text is worth a second look before an agent reads it. */
const reviewInjection = 0.4
const reviewWorth = 0.2

export const screen = defineTool({
	name: 'guard_screen',
	title: 'Screen a text',
	description:
		'Screens fetched or external text before an agent reads it: prompt injection, substance and, with a stated purpose, relevance.',
	scope: 'guard:screen',
	input: z.strictObject({
		text: text().describe('The text to screen'),
		purpose: phrase()
			.optional()
			.describe('What it is wanted for, or "the user\'s request" if the user wrote it'),
	}),
	output: z.object({
		injection: z.object({
			flagged: z.boolean(),
			probability: probability(),
			spans: z.array(
				z.object({ start: z.int(), end: z.int(), quote: z.string(), probability: probability() }),
			),
		}),
		substance: z.object({ probability: probability(), reason: z.string() }),
		relevance: z.object({ probability: probability() }).optional(),
		decision: z.enum(['pass', 'review', 'block']),
	}),
	texts: ({ text, purpose }) => [text, purpose],
	run: async ({ text, purpose }, judge, signal) => {
		const given = purpose === undefined ? { text } : { text, purpose }
		const { injection, substance, relevance, ...rest } = await judge.screen(given, signal)
		return {
			injection: {
				...injection,
				spans: injection.spans.map((span) => ({ ...span, quote: text.slice(span.start, span.end) })),
			},
			substance,
			...(relevance && { relevance }),
			decision: decide({ injection, substance, ...(relevance && { relevance }) }),
			...rest,
		}
	},
})

function decide({ injection, substance, relevance }: ScreenResult): 'pass' | 'review' | 'block' {
	if (injection.flagged) return 'block'
	const worth = Math.min(substance.probability, relevance?.probability ?? 1)
	return injection.probability >= reviewInjection || worth < reviewWorth ? 'review' : 'pass'
}
