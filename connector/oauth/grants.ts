import type { Sql } from '../deps.ts'
import { digest, revokedChannel } from './rows.ts'

// What an account has let in, for its owner to see and to end. A grant's own id is a secret; shown is its digest.

export interface GrantShown {
	id: string
	/** What the client calls itself, or its address. */
	name: string
	/** What its tokens are for: `{base_url}/mcp`, `{base_url}/v1`. */
	resources: string[]
	createdAt: Date
	expiresAt: Date | null
}

interface Row {
	id: string
	payload: { clientId?: string; iat?: number; resources?: Record<string, string> }
	expires_at: Date | null
}

const grantsMax = 500

export async function listGrants(sql: Sql, accountId: string): Promise<GrantShown[]> {
	const rows = await sql<Row[]>`
		select id, payload, expires_at from guard_oauth
		where model = 'Grant' and payload->>'accountId' = ${accountId} and (expires_at is null or expires_at > now())
		order by expires_at desc limit ${grantsMax}`
	const clients = rows.map(({ payload }) => digest(payload.clientId ?? ''))
	const names = await sql<{ id: string; name: string | null }[]>`
		select id, payload->>'client_name' as name from guard_oauth where model = 'Client' and id = any(${clients})`
	return rows.map(({ id, payload: { clientId = '', iat = 0, resources = {} }, expires_at }) => ({
		id,
		name: names.find((client) => client.id === digest(clientId))?.name ?? clientId,
		resources: Object.keys(resources),
		createdAt: new Date(iat * 1000),
		expiresAt: expires_at,
	}))
}

/** With all its tokens: `forget` is for this host, and others hear of it within a second. False: the account has no such grant. */
export async function revokeGrant(
	sql: Sql,
	accountId: string,
	id: string,
	forget: (grant: string) => void,
): Promise<boolean> {
	const revoked = await sql.begin(async (tx) => {
		const gone = await tx`
			delete from guard_oauth
			where model = 'Grant' and id = ${id} and payload->>'accountId' = ${accountId} returning 1`
		if (gone.length === 0) return null
		// Rows of the grant name it in clear. Seldom asked for, so that no index is kept for it.
		const named = await tx<{ grant_id: string }[]>`
			select distinct grant_id from guard_oauth
			where grant_id is not null and payload->>'accountId' = ${accountId}`
		const grant = named.find(({ grant_id }) => digest(grant_id) === id)?.grant_id
		if (grant === undefined) return ''
		await tx`delete from guard_oauth where grant_id = ${grant}`
		await tx`select pg_notify(${revokedChannel}, ${grant})`
		return grant
	})
	if (revoked) forget(revoked)
	return revoked !== null
}
