import type { Rows, Sql } from '../db/index.ts'
import type { SecretKind } from './secret-format.ts'

/** Whose a verified secret is. */
export interface Subject {
	id: string
	kind: SecretKind
	accountId: string
	/** In ms since 1970. */
	expiresAt: number | null
	account: { email: string; plan: string; operator: boolean; tester: boolean; disabled: boolean }
	/** Run keys and upload tokens: the one deployment. */
	deploymentId: string | null
	/** Run keys only. */
	scopes: readonly string[]
	lineage: string | null
	/** Console tokens only: the session they came from, and end with. */
	sessionId: string | null
}

export interface FoundSecret {
	hash: string
	revoked: boolean
	subject: Subject
}

/** Scopes and lineage are those of a run key, the deployment also that of an upload token. */
type Row = Pick<
	Rows['tokens'],
	'hash' | 'revoked_at' | 'expires_at' | 'deployment_id' | 'session_id' | 'account_id'
> &
	Pick<Rows['run_keys'], 'scopes'> & { lineage: string | null } & Pick<
		Rows['accounts'],
		'email' | 'plan' | 'operator' | 'tester' | 'disabled_at'
	>

export async function findSecret(sql: Sql, kind: SecretKind, id: string): Promise<FoundSecret | null> {
	const rows =
		kind === 'run_key'
			? await sql<Row[]>`
				select k.hash, k.revoked_at, k.expires_at, k.deployment_id, k.scopes, k.lineage, null as session_id,
					a.id as account_id, a.email, a.plan, a.operator, a.tester, a.disabled_at
				from run_keys k join deployments d on d.id = k.deployment_id join accounts a on a.id = d.account_id
				where k.id = ${id}`
			: await sql<Row[]>`
				select t.hash, t.revoked_at, t.expires_at, t.deployment_id, '{}'::text[] as scopes, null as lineage,
					t.session_id, a.id as account_id, a.email, a.plan, a.operator, a.tester, a.disabled_at
				from tokens t join accounts a on a.id = t.account_id
				where t.id = ${id} and t.kind = ${kind} and (t.session_id is null or exists (
					select 1 from tokens s where s.id = t.session_id and s.revoked_at is null and s.expires_at > now()))`
	const row = rows[0]
	if (!row) return null
	const {
		hash,
		revoked_at,
		account_id,
		expires_at,
		deployment_id,
		scopes,
		lineage,
		session_id,
		disabled_at,
		...account
	} = row
	const subject: Subject = {
		id,
		kind,
		accountId: account_id,
		expiresAt: expires_at?.getTime() ?? null,
		account: { ...account, disabled: disabled_at !== null },
		deploymentId: deployment_id,
		scopes,
		lineage,
		sessionId: session_id,
	}
	return { hash, revoked: revoked_at !== null, subject }
}

/** At most once a minute a host: only a verification that was not remembered comes here. */
export async function noteUse(sql: Sql, kind: SecretKind, id: string): Promise<void> {
	if (kind === 'run_key') await sql`update run_keys set last_used_at = now() where id = ${id}`
	else await sql`update tokens set last_used_at = now() where id = ${id}`
}
