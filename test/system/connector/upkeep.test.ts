import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { sweep } from '../../../connector/sweep.ts'
import type { Database } from '../../../host/db/index.ts'
import { addAccount, addHistory, type Guard, startGuard } from '../../kit/guard.ts'
import { openTestDatabase } from '../../kit/guard-database.ts'
import { call, register, tokensFor } from '../../kit/oauth-clients.ts'

let database: Database
let guard: Guard

beforeAll(async () => {
	database = await openTestDatabase()
	guard = await startGuard(database)
})
afterAll(async () => {
	await guard?.close()
	await database?.close()
})

describe('the guard’s tables are swept', () => {
	it('expired tokens and registrations nobody used go, what is in use stays', async () => {
		const person = await addAccount(database)
		const used = await tokensFor(guard.baseUrl, person)
		const unused = await register(guard.baseUrl)
		const young = await register(guard.baseUrl)
		const clients = [used.clientId, unused.client_id]
		await database.sql`
			update guard_oauth
			set payload = (payload::jsonb || '{"client_id_issued_at": 1700000000}')::json
			where model = 'Client' and payload->>'client_id' = any(${clients})`
		await database.sql`update guard_oauth set expires_at = now() - interval '1 s' where model = 'AuthorizationCode'`
		await sweep(database.sql)
		const left = await database.sql<{ model: string; client: string }[]>`
			select model, payload->>'client_id' as client from guard_oauth where model in ('Client', 'AuthorizationCode')`
		expect(left.map(({ model }) => model)).not.toContain('AuthorizationCode')
		const clientsLeft = left.map(({ client }) => client)
		expect(clientsLeft).toEqual(expect.arrayContaining([used.clientId, young.client_id]))
		expect(clientsLeft).not.toContain(unused.client_id)
		expect(
			(await call(guard.baseUrl, used.access_token, 'guard_noul', { propositions: ['x'] })).isError,
		).toBe(false)
	})
	it('a registration goes after a day, unless somebody has ever authorized it', async () => {
		const person = await addAccount(database)
		const used = await tokensFor(guard.baseUrl, person)
		const unused = await register(guard.baseUrl)
		const days = await database.sql<{ client: string; day: boolean }[]>`
			select payload->>'client_id' as client,
				expires_at between now() + interval '23 hours' and now() + interval '24 hours' as day
			from guard_oauth where model = 'Client' and expires_at is not null`
		expect(days).toContainEqual({ client: unused.client_id, day: true })
		expect(days.map(({ client }) => client)).not.toContain(used.clientId)
		await database.sql`update guard_oauth set expires_at = now() - interval '1 s' where model = 'Client' and expires_at is not null`
		await sweep(database.sql)
		const left = await database.sql<{ client: string }[]>`
			select payload->>'client_id' as client from guard_oauth where model = 'Client'`
		const kept = left.map(({ client }) => client)
		expect(kept).toContain(used.clientId)
		expect(kept).not.toContain(unused.client_id)
	})
	it('admissions go once no window reaches them', async () => {
		await addHistory(database, 'old', { calls: 200, first: Date.now() - 90_000_000, everyMs: 1_000 })
		await addHistory(database, 'new', { calls: 200, first: Date.now() - 80_000_000, everyMs: 1_000 })
		await sweep(database.sql)
		const left = await database.sql`select distinct account_id from guard_sealed_windows`
		expect(left.map((row) => row.account_id)).toEqual(['new'])
	})
})

describe('the month’s sum', () => {
	// Proves: guard-limit.usage-kept
	it('is of all hosts together, and outlives them', async () => {
		const person = await addAccount(database)
		const other = await startGuard(database, { baseUrl: guard.baseUrl })
		const { access_token } = await tokensFor(guard.baseUrl, person)
		const before = guard.connector.status().month.calls
		const ask = (url: string) => call(url, access_token, 'guard_noul', { propositions: ['x'] })
		await Promise.all([ask(guard.baseUrl), ask(other.baseUrl), ask(other.baseUrl)])
		await other.close()
		await ask(guard.baseUrl)
		await expect.poll(() => guard.connector.status().month.calls).toBe(before + 4)
		// A host counts its own calls before they are in the database, from which the next one reads.
		const stored = async () => {
			const [row] = await database.sql<{ calls: number }[]>`
				select sum(calls)::float8 as calls from guard_usage`
			return row?.calls
		}
		await expect.poll(stored).toBe(before + 4)
		const next = await startGuard(database)
		expect(next.connector.status().month).toEqual(guard.connector.status().month)
		await next.close()
	})
})
