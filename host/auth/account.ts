import type { Rows, Sql } from '../db/index.ts'

export type AccountRow = Pick<
	Rows['accounts'],
	'id' | 'email' | 'plan' | 'operator' | 'tester' | 'alert_mail' | 'balance' | 'created_at'
> &
	Pick<Rows['plans'], 'paid' | 'running_agents' | 'retain_days'> & {
		disabled: boolean
		has_password: boolean
	}

/** Rows with what their plan allows; a condition follows. */
export const accountRows = (sql: Sql) => sql`
	select a.id, a.email, a.plan, p.paid, p.running_agents, p.retain_days, a.operator, a.tester, a.alert_mail, a.disabled_at is not null as disabled,
		a.password_hash is not null as has_password, a.balance, a.created_at
	from accounts a join plans p on p.name = a.plan`

export async function findAccount(sql: Sql, id: string): Promise<AccountRow | null> {
	const [row] = await sql<AccountRow[]>`${accountRows(sql)} where a.id = ${id}`
	return row ?? null
}

export async function findAccounts(sql: Sql, ids: string[]): Promise<AccountRow[]> {
	return sql<AccountRow[]>`${accountRows(sql)} where a.id = any(${ids})`
}
