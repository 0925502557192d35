import { and, desc, eq, lt } from 'drizzle-orm'
import { query, type Rows, read, type Sql, tables } from '../db/index.ts'
import { newId } from '../lib/ids.ts'

// Balances and the ledger count integers of 1/10,000 credit (spec account.credit-places).

export const unitsPerCredit = 10_000
/** What a new account is given (spec guard-limit.initial-balance). */
export const freeAmount = 2_500 * unitsPerCredit

export const toCredits = (units: number) => units / unitsPerCredit

export type LedgerRow = Omit<Rows['ledger'], 'account_id'>

export interface BalanceChange {
	accountId: string
	/** In 1/10,000 credit; below zero: taken. */
	amount: number
	reason: string
}

/**
 * INVARIANT: a balance never falls below zero and equals the sum of its ledger. Balances and ledger change in one
 * statement, each account's on its own: where a balance does not suffice nothing changes. Locks are taken in the order
 * of ids, so that two such statements never wait for each other. No account comes twice. Null: no such account.
 *
 * `awaitDisk: false` answers once it is committed for all to see, without waiting for the disk: a database that crashes
 * may forget the changes of its last 0.6 s, balance and ledger together.
 *
 * Arrays, in sub-selects, are taken for ten rows whatever their values: Postgres finds the accounts by their key, and
 * plans once. A JSON list it takes for a hundred, and reads all accounts there are.
 */
export async function changeBalances(
	sql: Sql,
	changes: BalanceChange[],
	{ awaitDisk = true }: { awaitDisk?: boolean } = {},
): Promise<({ changed: boolean; balance: number } | null)[]> {
	const asked = changes.map(({ accountId, amount, reason }) => ({
		ledger_id: newId('ldg'),
		account_id: accountId,
		amount,
		reason,
	}))
	const rows = await sql<{ id: string; balance: number; changed: boolean }[]>`
		with asked as (
			select t.* from (select set_config('synchronous_commit',
					case when ${awaitDisk} then current_setting('synchronous_commit') else 'off' end, true)) setting,
				unnest((select ${asked.map(({ ledger_id }) => ledger_id)}::text[]),
					(select ${asked.map(({ account_id }) => account_id)}::text[]),
					(select ${asked.map(({ amount }) => String(amount))}::bigint[]),
					(select ${asked.map(({ reason }) => reason)}::text[]))
				as t(ledger_id, account_id, amount, reason)
		), locked as (
			select id, balance from accounts where id in (select account_id from asked) order by id for no key update
		), changed as (
			update accounts a set balance = locked.balance + asked.amount
			from locked join asked on asked.account_id = locked.id
			where a.id = locked.id and locked.balance + asked.amount >= 0
			returning a.id, a.balance, asked.ledger_id, asked.amount, asked.reason
		), written as (
			insert into ledger (id, account_id, amount, balance, reason)
			select ledger_id, id, amount, balance, reason from changed
		)
		select locked.id, coalesce(changed.balance, locked.balance) as balance, changed.id is not null as changed
		from locked left join changed on changed.id = locked.id`
	const byId = new Map(rows.map(({ id, ...row }) => [id, row]))
	return changes.map(({ accountId }) => byId.get(accountId) ?? null)
}

/** Newest first, one more than `limit` where there is more. */
export async function readLedger(
	sql: Sql,
	accountId: string,
	{ limit, before }: { limit: number; before?: string | undefined },
): Promise<LedgerRow[]> {
	const { id, amount, balance, reason, at, account_id } = tables.ledger
	return read(
		sql,
		query
			.select({ id, amount, balance, reason, at })
			.from(tables.ledger)
			.where(and(eq(account_id, accountId), before ? lt(id, before) : undefined))
			.orderBy(desc(id))
			.limit(limit + 1),
	)
}
