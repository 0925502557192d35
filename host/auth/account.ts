import type { Sql } from '../db/index.ts'

export interface AccountRow {
	id: string
	email: string
	plan: string
	/** The plan is paid for. */
	paid: boolean
	running_agents: number | null
	operator: boolean
	tester: boolean
	disabled: boolean
	has_password: boolean
	/** In 1/10,000 credit. */
	balance: number
	created_at: Date
}

/** Rows with what their plan allows; a condition follows. */
export const accountRows = (sql: Sql) => sql`
	select a.id, a.email, a.plan, p.paid, p.running_agents, a.operator, a.tester, a.disabled_at is not null as disabled,
		a.password_hash is not null as has_password, a.balance, a.created_at
	from accounts a join plans p on p.name = a.plan`

export async function findAccount(sql: Sql, id: string): Promise<AccountRow | null> {
	const [row] = await sql<AccountRow[]>`${accountRows(sql)} where a.id = ${id}`
	return row ?? null
}

export async function findAccounts(sql: Sql, ids: string[]): Promise<AccountRow[]> {
	return sql<AccountRow[]>`${accountRows(sql)} where a.id = any(${ids})`
}
