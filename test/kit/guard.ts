import { hash, randomUUID } from 'node:crypto'
import { type FastifyBaseLogger, fastify } from 'fastify'
import { pino } from 'pino'
import {
	type Connector,
	type ConnectorDeps,
	type GuardAccount,
	type Judge,
	mountConnector,
	type Platform,
} from '../../connector/index.ts'
import { networkOf } from '../../host/auth/throttle.ts'
import { type Database, unavailable } from '../../host/db/index.ts'
import { freePort } from '../../host/lib/free-port.ts'

// The connector on a real Postgres, with a Platform of a few lines over the real tables: faults that a host's own
// platform does not have (a ledger that fails) can be had here at will.

export const log = pino({ level: process.env.TEST_LOG ?? 'silent' }) as FastifyBaseLogger

export async function addPlans({ sql }: Database): Promise<void> {
	await sql`
		insert into plans (name, running_agents, paid) values ('free', 1, false), ('pro', 5, true)
		on conflict do nothing`
}

export interface NewAccount {
	plan?: 'free' | 'pro'
	tester?: boolean
	/** In 1/10,000 credit. */
	balance?: number
}

export async function addAccount(
	{ sql }: Database,
	given: NewAccount = {},
): Promise<GuardAccount & { password: string }> {
	const id = `acc_${randomUUID()}`
	const email = `${id}@example.com`
	const { plan = 'free', tester = false, balance = 25_000_000 } = given
	await sql`
		insert into accounts (id, email, password_hash, plan, tester, balance)
		values (${id}, ${email}, ${hash('sha256', `pass ${id}`)}, ${plan}, ${tester}, ${balance})`
	await sql`
		insert into ledger (id, account_id, amount, balance, reason)
		values (${randomUUID()}, ${id}, ${balance}, ${balance}, 'opening')`
	return { id, email, paid: plan === 'pro', tester, disabled: false, balance, password: `pass ${id}` }
}

/** The windows as so many admissions would leave them (windows.test.ts holds the two together). */
export async function addHistory(
	{ sql }: Database,
	accountId: string,
	{ calls, first, everyMs }: { calls: number; first: number; everyMs: number },
): Promise<void> {
	const sealed = Math.max(0, Math.floor((calls - 120) / 40))
	const at = (from: number, n: number) =>
		Array.from({ length: n }, (_, i) => String((first + (from + i) * everyMs) * 1000))
	const old = Array.from({ length: sealed }, (_, row) => ({ row, admitted: `{${at(row * 40, 40)}}` }))
	await sql`
		insert into guard_windows (account_id, newest, sealed)
		values (${accountId}, ${`{${at(sealed * 40, calls - sealed * 40)}}`}::text::bigint[], ${sealed})`
	await sql`
		insert into guard_sealed_windows (account_id, row, admitted)
		select ${accountId}, row, admitted::bigint[]
		from json_to_recordset(${JSON.stringify(old)}::text::json) as o(row int, admitted text)`
}

export function testPlatform({ sql }: Database): Platform {
	const read = async (column: 'id' | 'email', value: string) => {
		const [row] = await sql<(GuardAccount & { password_hash: string })[]>`
			select a.id, a.email, p.paid, a.tester, a.disabled_at is not null as disabled, a.balance, a.password_hash
			from accounts a join plans p on p.name = a.plan where a.${sql(column)} = ${value}`
		return row ?? null
	}
	let tries = 0
	return {
		signIn: async ({ email, password }) => {
			const account = await read('email', email)
			if (account && account.password_hash === hash('sha256', password)) return { ok: true, account }
			return ++tries > 5
				? { ok: false, reason: 'throttled', retryAfterSeconds: 7 }
				: { ok: false, reason: 'refused' }
		},
		session: async (cookies) => {
			const id = /test_session=(\w+-?[\w-]*)/.exec(cookies ?? '')?.[1]
			return id ? read('id', id) : null
		},
		accounts: async (ids) => {
			const rows = await sql<GuardAccount[]>`
				select a.id, a.email, p.paid, a.tester, a.disabled_at is not null as disabled, a.balance
				from accounts a join plans p on p.name = a.plan where a.id = any(${ids}::text[])`
			return ids.map((id) => rows.find((row) => row.id === id) ?? null)
		},
		noteProgram: () => {},
		watch: () => () => {},
		charge: async (charges) => {
			const rows = await sql<{ id: string; balance: number; charged: boolean }[]>`
				with asked as (
					select c.* from (select set_config('synchronous_commit', 'off', true)) setting,
						json_to_recordset(${JSON.stringify(charges)}::text::json)
						as c("accountId" text, amount bigint, reason text)
				), locked as materialized (
					select id from accounts where id in (select "accountId" from asked) order by id for update
				), charged as (
					update accounts a set balance = a.balance - c.amount
					from asked c, locked l where a.id = c."accountId" and l.id = a.id and a.balance >= c.amount
					returning a.id, a.balance, c.amount, c.reason
				), written as (
					insert into ledger (id, account_id, amount, balance, reason)
					select gen_random_uuid()::text, id, -amount, balance, reason from charged
				)
				select id, balance, true as charged from charged`
			const rest = charges.map((c) => c.accountId).filter((id) => !rows.some((row) => row.id === id))
			if (rest.length > 0)
				rows.push(
					...(await sql<
						typeof rows
					>`select id, balance, false as charged from accounts where id = any(${rest}::text[])`),
				)
			return charges.map(({ accountId }) => rows.find((row) => row.id === accountId) as (typeof rows)[0])
		},
	}
}

/** Answers at once, the same always: what is tested here is everything around it. */
export function testJudge(): Judge {
	const judged = { basis: 'evidence', judge: { backend: 'test', calibration: 'none' } } as const
	const even = (n: number) => Array.from({ length: n }, () => 1 / n)
	return {
		verify: async ({ claims }) => ({
			results: claims.map(() => ({
				verdict: 'verified',
				confidence: 0.9,
				evidence: { source: 0, start: 0, end: 3 },
			})),
			...judged,
		}),
		screen: async ({ purpose }) => ({
			injection: { flagged: false, probability: 0.1, spans: [{ start: 0, end: 2, probability: 0.1 }] },
			substance: { probability: 0.8, reason: 'prose' },
			...(purpose !== undefined && { relevance: { probability: 0.7 } }),
			...judged,
		}),
		find: async ({ candidates }) => ({ scores: candidates.map((_, i) => i), ...judged }),
		noul: async ({ propositions }) => ({
			probabilities: propositions.map(() => 0.5),
			...judged,
			basis: 'none',
		}),
		choice: async ({ options }) => ({ probabilities: even(options.length), ...judged }),
		score: async ({ levels }) => ({ probabilities: even(levels.length), ...judged }),
		close: async () => {},
	}
}

export interface Guard {
	baseUrl: string
	connector: Connector
	close(): Promise<void>
}

/** One host's connector, listening. Several on one database are several hosts; they share a `baseUrl` if told to. */
export async function startGuard(database: Database, given: Partial<ConnectorDeps> = {}): Promise<Guard> {
	const app = fastify({ loggerInstance: log, trustProxy: '127.0.0.1' })
	// The address is part of every document, so the port is chosen before the connector is made.
	const port = await freePort()
	const baseUrl = given.baseUrl ?? `http://127.0.0.1:${port}`
	const connector = await mountConnector(app, {
		baseUrl,
		origins: [],
		clientMetadata: 'auto',
		online: () => true,
		platform: testPlatform(database),
		judge: testJudge(),
		sql: database.sql,
		listen: database.listen,
		unavailable,
		fetch: () => Promise.reject(new Error('no network')),
		secrets: {
			wrap: async (plain) => `wrapped:${Buffer.from(plain).toString('base64')}`,
			unwrap: async (wrapped) => Buffer.from(wrapped.slice(8), 'base64').toString(),
		},
		access: 'everyone',
		log,
		networkOf,
		...given,
	})
	await app.listen({ port, host: '127.0.0.1' })
	return {
		baseUrl: `http://127.0.0.1:${port}`,
		connector,
		close: async () => {
			await app.close()
			await connector.close()
		},
	}
}
