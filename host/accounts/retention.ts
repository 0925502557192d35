import { sharedNow } from '../../runtime/lib/clock.ts'
import type { Sql } from '../db/index.ts'
import { firstId } from '../lib/ids.ts'
import type { Config } from '../settings/config.ts'

type RetentionConfig = Pick<Config, 'RETAIN_AUDIT_DAYS' | 'RETAIN_LEDGER_DAYS'>

const dayMs = 86_400_000
/** Rows of one statement. */
const batchMax = 5_000

/** What is older than its setting says goes; 0 days: nothing does. Several hosts at once delete the same rows once. */
export async function dropOldRecords(sql: Sql, config: RetentionConfig): Promise<void> {
	const { RETAIN_AUDIT_DAYS: audit, RETAIN_LEDGER_DAYS: ledger } = config
	if (audit > 0) await repeat(() => dropAudit(sql, sharedNow() - audit * dayMs))
	if (ledger > 0) await repeat(() => foldLedger(sql, sharedNow() - ledger * dayMs))
}

async function repeat(batch: () => Promise<number>): Promise<void> {
	while ((await batch()) >= batchMax);
}

async function dropAudit(sql: Sql, before: number): Promise<number> {
	const gone = await sql`
		delete from audit where id in (
			select id from audit where id < ${firstId('aud', before)} order by id limit ${batchMax} for update skip locked)`
	return gone.count
}

/**
 * The newest of an account's old rows becomes what the older ones came to, and they go: the balance stays the ledger's sum.
 * One account at a time, with its row locked, as every change of a balance does.
 */
async function foldLedger(sql: Sql, before: number): Promise<number> {
	const bound = firstId('ldg', before)
	const accounts = await sql<{ account_id: string }[]>`
		select account_id from ledger where id < ${bound} group by account_id having count(*) > 1 limit ${batchMax}`
	for (const { account_id } of accounts) {
		await sql.begin(async (tx) => {
			await tx`select 1 from accounts where id = ${account_id} for no key update`
			await tx`
				with last as (
					select id from ledger where account_id = ${account_id} and id < ${bound} order by id desc limit 1
				), gone as (
					delete from ledger where account_id = ${account_id} and id < (select id from last) returning 1
				)
				update ledger set amount = balance, reason = 'carried forward' where id = (select id from last)`
		})
	}
	return accounts.length
}
