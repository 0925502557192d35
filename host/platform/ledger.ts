import type { Sql } from '../db/index.ts'
import { newId } from '../ids.ts'

// Balances and the ledger count integers of 1/10,000 credit (contract 10).

export const unitsPerCredit = 10_000
/** What a new account is given (contract 10). */
export const freeAmount = 2_500 * unitsPerCredit

export const toCredits = (units: number) => units / unitsPerCredit

export interface LedgerRow {
	id: string
	amount: number
	balance: number
	reason: string
	at: Date
}

/**
 * INVARIANT: a balance never falls below zero and equals the sum of its ledger. Balance and ledger change in one
 * statement, which does nothing where the balance does not suffice. Null: there is no such account.
 */
export async function changeBalance(
	sql: Sql,
	accountId: string,
	amount: number,
	reason: string,
): Promise<{ changed: boolean; balance: number } | null> {
	const [row] = await sql<{ balance: number }[]>`
		with changed as (
			update accounts set balance = balance + ${amount}
			where id = ${accountId} and balance + ${amount} >= 0 returning id, balance
		), written as (
			insert into ledger (id, account_id, amount, balance, reason)
			select ${newId('ldg')}, id, ${amount}, balance, ${reason} from changed
		)
		select balance from changed`
	if (row) return { changed: true, balance: row.balance }
	const [there] = await sql<{ balance: number }[]>`select balance from accounts where id = ${accountId}`
	return there ? { changed: false, balance: there.balance } : null
}

/** Newest first, one more than `limit` where there is more. */
export async function readLedger(
	sql: Sql,
	accountId: string,
	{ limit, before }: { limit: number; before?: string | undefined },
): Promise<LedgerRow[]> {
	return sql<LedgerRow[]>`
		select id, amount, balance, reason, at from ledger
		where account_id = ${accountId} and ${before ? sql`id < ${before}` : true}
		order by id desc limit ${limit + 1}`
}
