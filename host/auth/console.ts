import type { Sql } from '../db/index.ts'
import { Problem } from '../http/errors.ts'
import type { Secrets } from './secrets.ts'

/** The page asks for another before its time is over; one that leaks is of little use. */
const lifeSeconds = 900

/**
 * A bearer token for the page of a session: it reaches deployments at their own addresses, where a cookie is never read.
 * It ends with the session at the latest.
 */
export async function issueConsoleToken(
	{ sql, secrets }: { sql: Sql; secrets: Secrets },
	sessionId: string,
): Promise<{ token: string; expires_at: string }> {
	const { id, secret, hash } = await secrets.issue('console')
	const [row] = await sql<{ expires_at: Date }[]>`
		insert into tokens (id, account_id, kind, name, hash, session_id, expires_at)
		select ${id}, account_id, 'console', name, ${hash}, id,
			least(expires_at, now() + make_interval(secs => ${lifeSeconds}))
		from tokens where id = ${sessionId} and kind = 'session' and revoked_at is null
		returning expires_at`
	if (!row) throw new Problem('unauthenticated', 'The session is over. Sign in again.')
	return { token: secret, expires_at: row.expires_at.toISOString() }
}
