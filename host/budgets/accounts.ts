import type { Budgets } from '../api/budgets.ts'
import type { Sql, Tx } from '../db/index.ts'

/** Whose run it is, and so which budgets it counts against. */
export interface Holder {
	deployment: string
	/** Null: the owner's own run; no key's budget is used. */
	lineage: string | null
}

/** A budget and its use in one month. */
export interface BudgetAccount {
	scope: 'deployment' | 'key'
	id: string
	budgets: Budgets
	tokens: number
	usd_micros: number
	unpriced: boolean
	reserved_tokens: number
	reserved_micros: number
	warned: number
}

export const micros = (usd: number) => Math.ceil(usd * 1e6 - 1e-6)
export const usd = (amount: number) => amount / 1e6
/** Null where a price is not known. */
export const usedOf = ({ tokens, usd_micros, unpriced }: BudgetAccount) => ({
	tokens,
	usd: unpriced ? null : usd(usd_micros),
})

/** `2026-11`: calendar months in UTC, by the clock that all hosts share. */
export const monthOf = (ms: number) => new Date(ms).toISOString().slice(0, 7)

/** The budgets as they are now; a change counts from the next call on. */
const limitsOf = (sql: Sql | Tx, { deployment, lineage }: Holder) => sql`
	select 'deployment' as scope, id, budgets from deployments where id = ${deployment} and budgets is not null
	union all
	(select 'key' as scope, lineage as id, budgets from run_keys
		where deployment_id = ${deployment} and lineage = ${lineage} and budgets is not null order by run_keys.id desc limit 1)`

/** As they stand, without waiting for anybody. */
export async function readAccounts(sql: Sql | Tx, holder: Holder, month: string): Promise<BudgetAccount[]> {
	return sql<BudgetAccount[]>`
		select l.scope, l.id, l.budgets, coalesce(u.tokens, 0) as tokens, coalesce(u.usd_micros, 0) as usd_micros,
			coalesce(u.unpriced, false) as unpriced,
			coalesce(u.reserved_tokens, 0) as reserved_tokens, coalesce(u.reserved_micros, 0) as reserved_micros,
			coalesce(u.warned, 0) as warned
		from (${limitsOf(sql, holder)}) l
		left join budget_usage u on u.scope = l.scope and u.id = l.id and u.month = ${month}`
}

/** Locked, in one order for all, until the transaction ends: what is decided by them still holds when it is written. */
export async function lockAccounts(tx: Tx, holder: Holder, month: string): Promise<BudgetAccount[]> {
	await tx`
		insert into budget_usage (scope, id, month)
		select l.scope, l.id, ${month} from (${limitsOf(tx, holder)}) l on conflict do nothing`
	return tx<BudgetAccount[]>`
		select u.scope, u.id, l.budgets, u.tokens, u.usd_micros, u.unpriced, u.reserved_tokens, u.reserved_micros, u.warned
		from (${limitsOf(tx, holder)}) l join budget_usage u on u.scope = l.scope and u.id = l.id and u.month = ${month}
		order by u.scope, u.id for update of u`
}
