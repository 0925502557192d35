import type { Session } from '../api/sessions.ts'
import type { Sql } from '../db/index.ts'
import { notFound } from '../http/errors.ts'
import type { Owner } from './auth.ts'
import type { Secrets } from './secrets.ts'
import { revokeToken } from './tokens.ts'

/** What OAuth has let in, of which the guard's authorization server knows. */
export interface OAuthGrants {
	list(accountId: string): Promise<Omit<Session, 'current'>[]>
	/** False: the account has no such grant. */
	revoke(accountId: string, id: string): Promise<boolean>
}

interface SessionsParts {
	sql: Sql
	secrets: Secrets
	grants: OAuthGrants
}

/** Browsers and programs that are signed in, the newest first. */
export async function listSessions({ sql, grants }: SessionsParts, owner: Owner): Promise<Session[]> {
	const [rows, programs] = await Promise.all([
		sql<{ id: string; name: string; created_at: Date; expires_at: Date; last_used_at: Date | null }[]>`
			select id, name, created_at, expires_at, last_used_at from tokens
			where account_id = ${owner.accountId} and kind = 'session' and revoked_at is null and expires_at > now()`,
		grants.list(owner.accountId),
	])
	const browsers = rows.map((row) => ({
		id: row.id,
		kind: 'browser' as const,
		name: browserName(row.name),
		created_at: row.created_at.toISOString(),
		last_used_at: row.last_used_at?.toISOString() ?? null,
		expires_at: row.expires_at.toISOString(),
	}))
	return [...browsers, ...programs]
		.map((session) => ({ ...session, current: session.id === owner.token.id }))
		.sort((a, b) => (a.created_at < b.created_at ? 1 : -1))
}

export async function revokeSession(parts: SessionsParts, accountId: string, id: string): Promise<void> {
	const known = id.startsWith('tok_')
		? await revokeToken(parts, accountId, id, 'session')
		: await parts.grants.revoke(accountId, id)
	if (!known) throw notFound('There is no such session.')
}

/** Those that name themselves after others come first: nearly all say Mozilla, Safari and Chrome. */
const browsers = [
	['Edg', 'Edge'],
	['OPR', 'Opera'],
	['Firefox', 'Firefox'],
	['Chrome', 'Chrome'],
	['Safari', 'Safari'],
]
const systems = [
	['Android', 'Android'],
	['iPhone|iPad', 'iOS'],
	['Windows', 'Windows'],
	['Mac OS X', 'macOS'],
	['Linux|X11', 'Linux'],
]
const nameMaxLetters = 60

/** As a person would say it; of others, their own words. */
export function browserName(agent: string): string {
	const found = (list: string[][]) => list.find(([pattern = '']) => new RegExp(pattern).test(agent))?.[1]
	const [browser, system] = [found(browsers), found(systems)]
	if (browser && system) return `${browser} on ${system}`
	return browser ?? (agent.slice(0, nameMaxLetters) || 'Unknown browser')
}
