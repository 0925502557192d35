import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Database } from '../../../host/db/index.ts'
import { addAccount, type Guard, startGuard } from '../../kit/guard.ts'
import { openTestDatabase } from '../../kit/guard-database.ts'
import { call, post, tokensFor } from '../../kit/oauth-clients.ts'

let database: Database
let guard: Guard
let accountId: string
let accessToken: string

beforeAll(async () => {
	database = await openTestDatabase()
	guard = await startGuard(database)
	const account = await addAccount(database)
	accountId = account.id
	accessToken = (await tokensFor(guard.baseUrl, account)).access_token
})
afterAll(async () => {
	await guard?.close()
	await database?.close()
})

const many = (n: number) => Array.from({ length: n }, (_, i) => `item ${i}`)
const rpc = { jsonrpc: '2.0', id: 7 }

describe('a bad argument is a tool error that names it, and costs nothing', () => {
	const bad: [tool: string, argument: string, args: unknown, said?: string][] = [
		['guard_verify', 'claims', { evidence: 'x' }],
		['guard_verify', 'claims', { claims: [], evidence: 'x' }],
		['guard_verify', 'claims', { claims: many(65), evidence: 'x' }],
		['guard_verify', 'claims', { claims: many(100_000), evidence: 'x' }],
		['guard_verify', 'claims[1]', { claims: ['a', ' '], evidence: 'x' }],
		['guard_verify', 'claims[0]', { claims: ['a\ud800b'], evidence: 'x' }],
		['guard_verify', 'evidence', { claims: ['a'] }],
		['guard_verify', 'evidence', { claims: ['a'], evidence: [] }],
		['guard_verify', 'evidence', { claims: ['a'], evidence: 7 }],
		[
			'guard_verify',
			'evidence',
			{ claims: ['a'], evidence: {} },
			'must be a text, or a list of at least one text',
		],
		['guard_screen', 'text', {}],
		['guard_screen', 'text', { text: '\udc00' }],
		['guard_screen', 'purpose', { text: 'x', purpose: '' }],
		['guard_screen', 'extra', { text: 'x', extra: 1 }],
		['guard_find', 'candidates', { query: 'q', candidates: [] }],
		['guard_find', 'candidates', { query: 'q', candidates: many(513) }],
		['guard_find', 'top_k', { query: 'q', candidates: ['a'], top_k: 0 }],
		['guard_find', 'query', { query: null, candidates: ['a'] }],
		['guard_noul', 'propositions', { propositions: many(65) }],
		['guard_choice', 'options', { question: 'q', options: ['one'] }],
		['guard_choice', 'options', { question: 'q', options: many(27) }],
		['guard_score', 'levels', { question: 'q', levels: ['one'] }],
		['guard_score', 'levels', { question: 'q', levels: many(12) }],
		['guard_score', 'arguments', ['not', 'an', 'object']],
	]
	for (const [tool, argument, args, said = ''] of bad) {
		const shown = JSON.stringify(args)
		// Proves: guard.bad-argument, guard.argument-ranges
		it(`${tool} ${shown.length > 60 ? `${shown.slice(0, 60)}…` : shown}`, async () => {
			if (Array.isArray(args)) {
				const response = await post(guard.baseUrl, accessToken, {
					...rpc,
					method: 'tools/call',
					params: { name: tool, arguments: args },
				})
				expect(await response.json()).toMatchObject({ error: { code: expect.any(Number) } })
				return
			}
			const answer = await call(guard.baseUrl, accessToken, tool, args)
			expect(answer.isError).toBe(true)
			expect(answer.texts).toHaveLength(1)
			expect(answer.texts[0]).toMatch(
				new RegExp(`^Invalid argument ${argument.replace(/[[\]]/g, '\\$&')}(\\[|\\.|:)`),
			)
			expect(answer.texts[0]).toContain(said)
			expect(answer.structured).toEqual({ ok: false, allowance_remaining: '2500 credits (Platform credits)' })
		})
	}
	// Proves: guard.bad-argument
	it('none of them was counted or charged', async () => {
		const [counted] =
			await database.sql`select count(*)::int as n from guard_windows where account_id = ${accountId}`
		const [lines] = await database.sql`select count(*)::int as n from ledger where account_id = ${accountId}`
		expect([counted?.n, lines?.n]).toEqual([0, 1])
	})
})

describe('a bad body is a protocol error, never a 500', () => {
	// Proves: guard.body-limit
	it('over 16 MiB is 413; just under is read', async () => {
		const body = (bytes: number) =>
			JSON.stringify({ ...rpc, method: 'ping', params: { x: 'a'.repeat(bytes) } })
		expect((await post(guard.baseUrl, accessToken, body(16 * 1024 * 1024))).status).toBe(413)
		expect((await post(guard.baseUrl, accessToken, body(16 * 1024 * 1024 - 100))).status).toBe(200)
	})
	// Proves: guard.invalid-json
	it('invalid UTF-8 and what is not JSON are 400 with −32700', async () => {
		const bytes = Buffer.concat([
			Buffer.from('{"jsonrpc":"2.0","id":1,"method":"'),
			Buffer.from([0xff]),
			Buffer.from('"}'),
		])
		for (const body of [bytes, '{"jsonrpc":', '']) {
			const response = await post(guard.baseUrl, accessToken, body)
			expect(response.status).toBe(400)
			expect(await response.json()).toMatchObject({ jsonrpc: '2.0', error: { code: -32700 }, id: null })
		}
	})
	// Proves: guard.unknown-method
	it('an unknown tool and an unknown method are JSON-RPC errors', async () => {
		const unknown = await post(guard.baseUrl, accessToken, {
			...rpc,
			method: 'tools/call',
			params: { name: 'guard_dance' },
		})
		expect(await unknown.json()).toMatchObject({ id: 7, error: { code: -32602 } })
		const method = await post(guard.baseUrl, accessToken, { ...rpc, method: 'dance' })
		expect(await method.json()).toMatchObject({ id: 7, error: { code: -32601 } })
	})
	it('another content type, a deep nest and odd shapes are refused below 500', async () => {
		const xml = await post(guard.baseUrl, accessToken, '<x/>', { 'content-type': 'text/xml' })
		expect([400, 415]).toContain(xml.status)
		const deep = `${'['.repeat(200_000)}${']'.repeat(200_000)}`
		for (const body of [
			deep,
			'null',
			'7',
			'[]',
			'[null]',
			'{"method":{}}',
			'{"method":"tools/call","params":[]}',
		]) {
			const { status } = await post(guard.baseUrl, accessToken, body)
			expect([body.slice(0, 20), status >= 400 && status < 500]).toEqual([body.slice(0, 20), true])
		}
	})
	// Proves: guard-oauth.header-only
	it('a token in the query or of another kind is no token', async () => {
		expect(
			(await fetch(`${guard.baseUrl}/mcp?access_token=${accessToken}`, { method: 'POST', body: '{}' }))
				.status,
		).toBe(401)
		expect((await post(guard.baseUrl, '', {}, { authorization: `Basic ${accessToken}` })).status).toBe(401)
		expect((await post(guard.baseUrl, 'x'.repeat(5_000), {})).status).toBe(401)
	})
})
