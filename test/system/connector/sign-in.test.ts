import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Database } from '../../../host/db/index.ts'
import { addAccount, type Guard, startGuard } from '../../kit/guard.ts'
import { openTestDatabase } from '../../kit/guard-database.ts'
import { connect, memoryAuth } from '../../kit/oauth-clients.ts'

let database: Database
let guard: Guard
let person: Awaited<ReturnType<typeof addAccount>>

beforeAll(async () => {
	database = await openTestDatabase()
	guard = await startGuard(database)
	person = await addAccount(database)
})
afterAll(async () => {
	await guard?.close()
	await database?.close()
})

describe('a client with the address alone', () => {
	const clients = {
		'the SDK of 2025': () => connect.v1(guard.baseUrl, person),
		'the SDK of 2026 in the initialize era': () =>
			connect.v2(guard.baseUrl, person, memoryAuth(), '/mcp', 'legacy'),
		'the SDK of 2026': () => connect.v2(guard.baseUrl, person),
	}
	for (const [name, open] of Object.entries(clients)) {
		// Proves: guard-oauth.discovery-alone, guard-oauth.platform-sign-in
		it(`${name} gets to a tool result over the real pages`, async () => {
			const client = await open()
			const { tools } = await client.listTools()
			expect(tools.map((tool) => tool.name)).toEqual([
				'guard_verify',
				'guard_screen',
				'guard_find',
				'guard_noul',
				'guard_choice',
				'guard_score',
			])
			const result = await client.callTool({
				name: 'guard_verify',
				arguments: { claims: ['The sky is blue.'], evidence: 'The sky is blue.' },
			})
			expect(result.isError).toBeFalsy()
			expect(result.structuredContent).toMatchObject({
				ok: true,
				results: [{ verdict: 'verified', confidence: 0.9 }],
			})
			expect(JSON.parse(result.content[0]?.text ?? '')).toEqual(result.structuredContent)
			await client.close()
		})
	}
})
