import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Database } from '../../../host/db/index.ts'
import { addAccount, type Guard, startGuard } from '../../kit/guard.ts'
import { openTestDatabase } from '../../kit/guard-database.ts'
import { type Connected, connect } from '../../kit/oauth-clients.ts'

// Both SDK clients validate `structuredContent` against the listed `outputSchema`, of errors, too: so does this file.

let database: Database
let guard: Guard
const clients: Record<string, Connected> = {}

beforeAll(async () => {
	database = await openTestDatabase()
	guard = await startGuard(database)
	const person = await addAccount(database)
	for (const version of ['v1', 'v2'] as const) {
		const client = await connect[version](guard.baseUrl, person)
		await client.listTools()
		clients[version] = client
	}
})
afterAll(async () => {
	for (const client of Object.values(clients)) await client.close()
	await guard?.close()
	await database?.close()
})

const judged = { judge: { backend: 'test', calibration: 'none' } }

/** Arguments, and what the answer has beside the envelope. */
const calls: Record<string, [args: Record<string, unknown>, fields: Record<string, unknown>]> = {
	guard_verify: [
		{ claims: ['It rains.', 'It snows.'], evidence: ['It rains.', 'Rain.'] },
		{
			results: ['It rains.', 'It snows.'].map((claim) => ({
				claim,
				verdict: 'verified',
				confidence: 0.9,
				evidence: { source: 0, start: 0, end: 3, quote: 'It ' },
			})),
			basis: 'evidence',
		},
	],
	guard_screen: [
		{ text: 'Hi there', purpose: 'greeting' },
		{
			injection: {
				flagged: false,
				probability: 0.1,
				spans: [{ start: 0, end: 2, probability: 0.1, quote: 'Hi' }],
			},
			substance: { probability: 0.8, reason: 'prose' },
			relevance: { probability: 0.7 },
			decision: 'pass',
			basis: 'evidence',
		},
	],
	guard_find: [
		{ query: 'last', candidates: ['a', { id: 'two', text: 'b' }, 'c'], top_k: 2 },
		{
			results: [
				{ id: null, index: 2, score: 2, rank: 1 },
				{ id: 'two', index: 1, score: 1, rank: 2 },
			],
			basis: 'evidence',
		},
	],
	guard_noul: [
		{ propositions: ['Water is wet.'] },
		{ results: [{ proposition: 'Water is wet.', probability: 0.5 }], basis: 'none' },
	],
	guard_choice: [
		{ question: 'Which?', options: ['this', 'that'], context: 'x' },
		{ choice: 'this', index: 0, probabilities: [0.5, 0.5], basis: 'evidence' },
	],
	guard_score: [
		{ question: 'How good?', levels: ['bad', 'fair', 'good', 'best'] },
		{ expected: 1.5, probabilities: [0.25, 0.25, 0.25, 0.25], level: 'fair', basis: 'evidence' },
	],
}

for (const version of ['v1', 'v2']) {
	describe(`the SDK's client ${version} after listTools`, () => {
		for (const [name, [args, fields]] of Object.entries(calls)) {
			// Proves: guard.verify, guard.screen, guard.find, guard.noul, guard.choice, guard.score
			// Proves: guard.envelope, guard.output-schema, guard.usage, guard.judge-named
			it(`${name} fits its schema in success and in error`, async () => {
				const client = clients[version] as Connected
				const { structuredContent, isError, content } = await client.callTool({ name, arguments: args })
				expect(isError ?? false).toBe(false)
				const { usage, allowance_remaining, ...rest } = structuredContent ?? {}
				expect(rest).toEqual({ ok: true, ...fields, ...judged })
				expect(usage).toEqual({ input_tokens: expect.any(Number), credits: expect.any(Number) })
				expect(allowance_remaining).toMatch(/^\d+(\.\d{1,4})? credits \(Platform credits\)$/)
				expect(content).toEqual([{ type: 'text', text: JSON.stringify(structuredContent) }])

				const refused = await client.callTool({ name, arguments: {} })
				expect(refused.isError).toBe(true)
				expect(refused.content).toEqual([
					{ type: 'text', text: expect.stringMatching(/^Invalid argument \w+: /) },
				])
				expect(refused.structuredContent).toEqual({ ok: false, allowance_remaining })
			})
		}
		// Proves: guard.annotations
		it('finds every tool marked as what it is', async () => {
			const { tools } = await (clients[version] as Connected).listTools()
			for (const tool of tools) {
				expect(tool.annotations).toMatchObject({ readOnlyHint: true, idempotentHint: true })
				expect(tool.outputSchema).toMatchObject({ type: 'object', required: ['ok', 'allowance_remaining'] })
				expect(tool.inputSchema).toMatchObject({ type: 'object', additionalProperties: false })
				expect(tool.description).toMatch(/\w{3}/)
			}
		})
	})
}
