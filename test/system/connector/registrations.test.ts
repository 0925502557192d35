import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { Database } from '../../../host/db/index.ts'
import { addAccount, type Guard, startGuard } from '../../kit/guard.ts'
import { openTestDatabase } from '../../kit/guard-database.ts'
import { redirect, tokensFor } from '../../kit/oauth-clients.ts'

// Registering needs no sign-in: what a stranger may fill by it is bounded.

let database: Database
let guard: Guard

beforeAll(async () => {
	database = await openTestDatabase()
	guard = await startGuard(database, { unusedClients: 200 })
})
beforeEach(async () => {
	await database.sql`delete from guard_oauth where model = 'Client'`
})
afterAll(async () => {
	await guard?.close()
	await database?.close()
})

const register = (from: string, more: Record<string, unknown> = {}) =>
	fetch(`${guard.baseUrl}/register`, {
		method: 'POST',
		headers: { 'content-type': 'application/json', 'x-forwarded-for': from },
		body: JSON.stringify({ redirect_uris: [redirect], token_endpoint_auth_method: 'none', ...more }),
	})
const clients = async () =>
	(await database.sql`select count(*)::int as n from guard_oauth where model = 'Client'`)[0]?.n as number

describe('a registration', () => {
	// Proves: guard-oauth.registration-bounds
	it('of over 16 KiB is refused in the form of RFC 7591, with CORS', async () => {
		const before = await clients()
		for (const size of [17_000, 70_000]) {
			const answer = await register('192.0.2.1', { x_vendor: 'x'.repeat(size) })
			expect(answer.status).toBe(413)
			expect(answer.headers.get('access-control-allow-origin')).toBe('*')
			expect(await answer.json()).toMatchObject({ error: expect.stringMatching(/^invalid_/) })
		}
		expect(await clients()).toBe(before)
		expect((await register('192.0.2.1', { x_vendor: 'x'.repeat(15_000) })).status).toBe(201)
	})

	it('that is null or no object is refused', async () => {
		for (const body of ['null', '[]', '"x"', '{']) {
			const headers = { 'content-type': 'application/json', 'x-forwarded-for': '192.0.2.2' }
			const answer = await fetch(`${guard.baseUrl}/register`, { method: 'POST', headers, body })
			expect([body, answer.status]).toEqual([body, 400])
		}
	})

	// Proves: guard-oauth.registration-bounds
	it.each([
		['one address', () => '192.0.2.3', '192.0.2.4'],
		['a /64', (n: number) => `2001:db8:0:1::${n.toString(16)}`, '2001:db8:0:2::1'],
	])('is one of sixty from %s, and others go on', async (_, from, other) => {
		const answers = await Promise.all(Array.from({ length: 62 }, (_, n) => register(from(n))))
		const refused = answers.filter(({ status }) => status === 429)
		expect(refused).toHaveLength(2)
		expect(Number(refused[0]?.headers.get('retry-after'))).toBeGreaterThan(0)
		expect(Number(refused[0]?.headers.get('retry-after'))).toBeLessThanOrEqual(6)
		expect(await refused[0]?.json()).toMatchObject({ error: 'temporarily_unavailable' })
		expect((await register(other)).status).toBe(201)
	})

	// Proves: guard-oauth.registration-bounds
	it('pushes out the oldest unused one where there are too many, never a used or a young one', async () => {
		const used = await tokensFor(guard.baseUrl, await addAccount(database))
		const many = (from: string, count: number) =>
			Promise.all(Array.from({ length: count }, () => register(from)))
		for (const from of ['192.0.2.10', '192.0.2.11', '192.0.2.14', '192.0.2.15']) await many(from, 50)
		const full = await register('192.0.2.12')
		expect([full.status, full.headers.get('retry-after')]).toEqual([429, '60'])
		await database.sql`
			update guard_oauth set expires_at = expires_at - interval '2 hours'
			where model = 'Client' and expires_at is not null`
		expect((await register('192.0.2.13')).status).toBe(201)
		expect(await clients()).toBe(201)
		const left = await database.sql`
			select from guard_oauth where model = 'Client' and payload->>'client_id' = ${used.clientId}`
		expect(left).toHaveLength(1)
	})
})
