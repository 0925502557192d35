import type { Agent } from '../../bundles/index.ts'
import type { Budgets } from '../api/budgets.ts'
import type { Rows, Sql, Tx } from '../db/index.ts'
import { notFound } from '../http/errors.ts'
import { isId } from '../lib/ids.ts'
import { isPlaceAlive } from '../places/index.ts'
import { deleted } from './states.ts'

export type CredentialRow = Pick<
	Rows['credentials'],
	'name' | 'version' | 'kind' | 'state' | 'aud' | 'last_error' | 'scope' | 'missing_scope'
> & {
	/** As Postgres writes a timestamp in JSON. */
	updated_at: string
	last_used_at: string | null
}

/** A deployment with its active version and its credentials, without any ciphertext. */
export type DeploymentRow = Omit<Rows['deployments'], 'drain_until' | 'deleted_at' | 'budgets'> &
	Pick<Rows['versions'], 'digest' | 'commit'> & {
		budgets: Budgets | null
		agent: Agent
		credentials: CredentialRow[]
		/** Whether a host of its place lives. */
		place_alive: boolean
	}

const columns = (sql: Sql | Tx) => sql`
	d.id, d.account_id, d.name, d.slug, d.place, d.state, d.state_reason, d.state_since, d.rev, d.version, d.sealing_kid,
	d.sealing_wrapped, d.sealing_jwk, d.run_key_issued_at, d.budgets, d.retain_days, d.created_at, v.digest, v.commit, v.agent,
	${isPlaceAlive(sql, 'd.place')} as place_alive,
	coalesce((select json_agg(json_build_object('name', c.name, 'version', c.version, 'kind', c.kind, 'state', c.state,
		'aud', c.aud, 'updated_at', c.updated_at, 'last_used_at', c.last_used_at, 'last_error', c.last_error,
		'scope', c.scope, 'missing_scope', c.missing_scope))
		from credentials c where c.deployment_id = d.id), '[]') as credentials`

/** The caller's own deployment. Another's is not there (spec deployment.other-account-404); a deleted one is gone. */
export async function ownDeployment(
	sql: Sql | Tx,
	accountId: string,
	id: string,
	{ evenDeleted = false } = {},
): Promise<DeploymentRow> {
	const [row] = isId('dep', id)
		? await sql<DeploymentRow[]>`
			select ${columns(sql)}
			from deployments d join versions v on v.deployment_id = d.id and v.version = d.version
			where d.id = ${id} and d.account_id = ${accountId}`
		: []
	if (!row) throw notFound('There is no such deployment.')
	if (row.state === 'deleted' && !evenDeleted) throw deleted()
	return row
}

/** Newest first; `cursor` is the id the page before ended with. */
export async function listDeployments(
	sql: Sql,
	accountId: string,
	{ name, limit, cursor }: { name?: string; limit: number; cursor?: string },
): Promise<DeploymentRow[]> {
	return sql<DeploymentRow[]>`
		select ${columns(sql)}
		from deployments d join versions v on v.deployment_id = d.id and v.version = d.version
		where d.account_id = ${accountId} and d.state <> 'deleted'
			${name === undefined ? sql`` : sql`and d.name = ${name}`} ${cursor === undefined ? sql`` : sql`and d.id < ${cursor}`}
		order by d.id desc limit ${limit + 1}`
}

/** After every change that a cache must see, in the same transaction: all hosts hear of it when it is committed. */
export async function announce(sql: Sql | Tx, id: string): Promise<void> {
	await sql`select pg_notify('deployments', ${id})`
}

/** A row's column, or a timestamp inside JSON, as the outside reads it. */
export function iso(at: Date | string): string
export function iso(at: Date | string | null): string | null
export function iso(at: Date | string | null): string | null {
	return at === null ? null : new Date(at).toISOString()
}
