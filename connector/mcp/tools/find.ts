import { z } from 'zod'
import { defineTool, phrase, text } from '../../guard/tool.ts'

export const find = defineTool({
	name: 'guard_find',
	title: 'Find by meaning',
	description: 'Ranks candidates against a plain-language query. Semantic search; no embeddings are needed.',
	scope: 'guard:find',
	input: z.strictObject({
		query: phrase().describe('What is looked for'),
		candidates: z
			.array(z.union([text(), z.strictObject({ id: text(), text: text() })]))
			.min(1)
			.max(512)
			.describe('Texts to rank, with an id of your own if you like'),
		top_k: z.int().min(1).max(512).optional().describe('How many to answer with; all by default'),
	}),
	output: z.object({
		results: z.array(
			z.object({
				id: z.string().nullable().describe('The one given; null where none was'),
				index: z.int().describe('Place among the candidates given'),
				score: z.number(),
				rank: z.int().describe('1 is the best'),
			}),
		),
	}),
	texts: ({ query, candidates }) => [query, ...candidates.map(textOf)],
	run: async ({ query, candidates, top_k }, judge, signal) => {
		const { scores, ...rest } = await judge.find({ query, candidates: candidates.map(textOf) }, signal)
		const ranked = candidates
			.map((given, index) => ({
				id: typeof given === 'string' ? null : given.id,
				index,
				score: scores[index] ?? 0,
			}))
			.sort((a, b) => b.score - a.score || a.index - b.index)
		return { results: ranked.slice(0, top_k).map((result, i) => ({ ...result, rank: i + 1 })), ...rest }
	},
})

function textOf(candidate: string | { text: string }): string {
	return typeof candidate === 'string' ? candidate : candidate.text
}
