import type { Sql, Tx } from '../db/index.ts'
import type { Config } from '../settings/config.ts'

export type RetentionSettings = Pick<Config, 'RETAIN_RUNS_DAYS'>

/** In SQL, of a row `d` of deployments: the most days that ended runs are kept; null: for ever. */
const most = (sql: Sql | Tx, { RETAIN_RUNS_DAYS }: RetentionSettings) => sql`
	least((select p.retain_days from accounts a join plans p on p.name = a.plan where a.id = d.account_id),
		${RETAIN_RUNS_DAYS || null}::int)`

/** The same, where the owner may have said fewer. */
export const keptDays = (sql: Sql | Tx, config: RetentionSettings) => sql`
	least(d.retain_days, ${most(sql, config)})`

export async function mostDays(
	sql: Sql | Tx,
	config: RetentionSettings,
	deployment: string,
): Promise<number | null> {
	const [row] = await sql<{ days: number | null }[]>`
		select ${most(sql, config)} as days from deployments d where d.id = ${deployment}`
	return row?.days ?? null
}
