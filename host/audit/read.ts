import type { AuditEntry } from '../api/audit.ts'
import type { Rows, Sql } from '../db/index.ts'
import { firstId } from '../lib/ids.ts'

export interface AuditAsked {
	/** Whose log: what the account did, and what was done to it. Null: all of the host. */
	account: string | null
	operation?: string
	/** Milliseconds of the epoch. */
	since?: number
	cursor?: string
	limit: number
}

/** Newest first, one more than `limit` where there is more. */
export async function readAudit(sql: Sql, { account, limit, ...asked }: AuditAsked): Promise<AuditEntry[]> {
	const page = sql`${within(sql, asked)} order by id desc limit ${limit + 1}`
	const rows =
		account === null
			? await sql<Rows['audit'][]>`select * from audit where ${page}`
			: await sql<Rows['audit'][]>`
				select * from (
					(select * from audit where account_id = ${account} and ${page})
					union all
					(select * from audit where actor_id = ${account} and account_id is distinct from ${account} and ${page})
				) a order by id desc limit ${limit + 1}`
	return rows.map(view)
}

const within = (sql: Sql, { operation, since, cursor }: Omit<AuditAsked, 'account' | 'limit'>) => sql`
	id >= ${since === undefined ? 'aud_' : firstId('aud', since)}
	${cursor === undefined ? sql`` : sql`and id < ${cursor}`}
	${operation === undefined ? sql`` : sql`and operation = ${operation}`}`

const view = (row: Rows['audit']): AuditEntry => ({
	id: row.id,
	at: row.at.toISOString(),
	account: row.account_id,
	actor: { kind: row.actor_kind, account: row.actor_id, token: row.token_id },
	operation: row.operation,
	target: row.target,
	status: row.status,
	request_id: row.request_id,
	address: row.address,
})
