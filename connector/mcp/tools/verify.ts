import { z } from 'zod'
import { defineTool, longestList, phrase, probability, text } from '../../guard/tool.ts'

export const verify = defineTool({
	name: 'guard_verify',
	title: 'Verify claims',
	description:
		'Checks claims against evidence text. For each claim: verified, contradicted or unsupported, a confidence, and the passage that decided.',
	scope: 'guard:verify',
	input: z.strictObject({
		claims: z.array(phrase()).min(1).max(64).describe('Statements to check, one fact each'),
		evidence: z
			.union([text(), z.array(text()).min(1).max(longestList)], {
				error: 'must be a text, or a list of at least one text',
			})
			.describe('The text, or texts, to check against'),
	}),
	output: z.object({
		results: z.array(
			z.object({
				claim: z.string(),
				verdict: z.enum(['verified', 'contradicted', 'unsupported']),
				confidence: probability(),
				evidence: z
					.object({ source: z.int(), start: z.int(), end: z.int(), quote: z.string() })
					.nullable()
					.describe('Where it stands; offsets are UTF-16 code units, end exclusive'),
			}),
		),
	}),
	texts: ({ claims, evidence }) => [...claims, ...[evidence].flat()],
	run: async ({ claims, evidence }, judge, signal) => {
		const sources = [evidence].flat()
		const { results, ...rest } = await judge.verify({ claims, evidence: sources }, signal)
		return {
			results: results.map(({ verdict, confidence, evidence: at }, i) => ({
				claim: claims[i],
				verdict,
				confidence,
				evidence: at && { ...at, quote: sources[at.source]?.slice(at.start, at.end) ?? '' },
			})),
			...rest,
		}
	},
})
