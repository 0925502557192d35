import type { Budgets } from '../api/budgets.ts'
import type { IssuedKey, RunKey } from '../api/keys.ts'
import type { IssuedSecret, Secrets } from '../auth/index.ts'
import { budgetChanged } from '../budgets/index.ts'
import type { Rows, Sql, Tx } from '../db/index.ts'
import { announce, iso, type KnownDeployments, ownDeployment } from '../deployments/index.ts'
import { notFound, Problem } from '../http/errors.ts'
import { requireFuture } from '../http/validation.ts'
import { isId } from '../lib/ids.ts'

export interface KeyParts {
	sql: Sql
	secrets: Pick<Secrets, 'issue' | 'forget'>
	deployments: Pick<KnownDeployments, 'changed'>
}

const keysMax = 100

type KeyRow = Pick<
	Rows['run_keys'],
	'id' | 'name' | 'lineage' | 'created_at' | 'expires_at' | 'last_used_at' | 'revoked_at'
> & { scopes: RunKey['scopes']; budgets: Budgets | null }

interface NewKey {
	name: string
	scopes: RunKey['scopes']
	expires_at?: string | null
	/** Of the key it succeeds; absent: it begins a lineage of its own. */
	lineage?: string
	budgets?: Budgets | null | undefined
}

const view = (row: KeyRow): RunKey => ({
	id: row.id,
	name: row.name,
	scopes: row.scopes,
	lineage: row.lineage,
	budgets: row.budgets,
	created_at: iso(row.created_at),
	expires_at: iso(row.expires_at),
	last_used_at: iso(row.last_used_at),
	revoked_at: iso(row.revoked_at),
})

const columns = (sql: Sql | Tx) =>
	sql`id, name, scopes, lineage, budgets, created_at, expires_at, last_used_at, revoked_at`

export async function insertKey(
	sql: Sql | Tx,
	deployment: string,
	secret: IssuedSecret,
	key: NewKey,
): Promise<RunKey> {
	const [row] = await sql<KeyRow[]>`
		insert into run_keys (id, deployment_id, name, hash, scopes, lineage, budgets, expires_at)
		values (${secret.id}, ${deployment}, ${key.name}, ${secret.hash}, ${key.scopes}, ${key.lineage ?? secret.id},
			${(key.budgets ?? null) as never}, ${key.expires_at ?? null})
		returning ${columns(sql)}`
	return view(row!)
}

export async function listKeys(sql: Sql, accountId: string, deployment: string): Promise<RunKey[]> {
	await ownDeployment(sql, accountId, deployment)
	const rows = await sql<KeyRow[]>`
		select ${columns(sql)} from run_keys where deployment_id = ${deployment} order by id desc`
	return rows.map(view)
}

export async function createKey(
	parts: KeyParts,
	accountId: string,
	deployment: string,
	key: NewKey,
): Promise<IssuedKey> {
	await ownDeployment(parts.sql, accountId, deployment)
	requireFuture(key.expires_at)
	const [count] = await parts.sql<{ keys: number }[]>`
		select count(*)::int as keys from run_keys where deployment_id = ${deployment} and revoked_at is null`
	if ((count?.keys ?? 0) >= keysMax) {
		throw new Problem('conflict', `A deployment has at most ${keysMax} run keys. Revoke one first.`)
	}
	const secret = await parts.secrets.issue('run_key')
	const issued = await parts.sql.begin(async (tx) => {
		const made = await insertKey(tx, deployment, secret, key)
		if (made.budgets) await noteBudgets(tx, deployment, made, null)
		return made
	})
	if (issued.budgets) await parts.deployments.changed(deployment)
	return { ...issued, run_key: secret.secret }
}

/** A budget is its whole lineage's: a rotation neither doubles nor loses it. */
export async function patchKey(
	parts: KeyParts,
	accountId: string,
	deployment: string,
	id: string,
	patch: { name?: string | undefined; budgets?: Budgets | null | undefined },
): Promise<RunKey> {
	const before = await ownKey(parts.sql, accountId, deployment, id)
	const { name = before.name, budgets = before.budgets } = patch
	const key = await parts.sql.begin(async (tx) => {
		if (patch.budgets !== undefined)
			await tx`update run_keys set budgets = ${budgets as never} where lineage = ${before.lineage} and deployment_id = ${deployment}`
		const [row] = await tx<KeyRow[]>`
			update run_keys set name = ${name} where id = ${id} returning ${columns(tx)}`
		if (patch.budgets !== undefined) await noteBudgets(tx, deployment, row!, before.budgets)
		return view(row!)
	})
	if (patch.budgets !== undefined) await parts.deployments.changed(deployment)
	return key
}

/** Whether runs count against a budget is part of what hosts remember of a deployment. */
async function noteBudgets(
	tx: Tx,
	deployment: string,
	{ lineage, budgets }: Pick<RunKey, 'lineage' | 'budgets'>,
	before: Budgets | null,
): Promise<void> {
	await budgetChanged(tx, { deployment, lineage }, before, budgets)
	await tx`update deployments set rev = rev + 1 where id = ${deployment}`
	await announce(tx, deployment)
}

/** A successor with the same name, scopes, expiry and view of runs; the old one works on for the overlap. */
export async function rotateKey(
	parts: KeyParts,
	accountId: string,
	deployment: string,
	id: string,
	overlapSeconds: number,
): Promise<IssuedKey> {
	const old = await ownKey(parts.sql, accountId, deployment, id)
	if (old.revoked_at) throw new Problem('conflict', 'The key is revoked. Create another.')
	const secret = await parts.secrets.issue('run_key')
	const issued = await parts.sql.begin(async (tx) => {
		const expires = await requireNewest(tx, id)
		await tx`
			update run_keys set expires_at = least(expires_at, now() + make_interval(secs => ${overlapSeconds}))
			where id = ${id}`
		return insertKey(tx, deployment, secret, {
			name: old.name,
			scopes: old.scopes,
			lineage: old.lineage,
			budgets: old.budgets,
			expires_at: iso(expires),
		})
	})
	await parts.secrets.forget(id)
	return { ...issued, run_key: secret.secret }
}

/**
 * Refuses to rotate a key that is over, or that was rotated: its successor is the one that works longer. Returns the
 * expiry of the next key: that of the lineage, for an overlap has shortened the key's own.
 */
async function requireNewest(tx: Tx, id: string): Promise<Date | null> {
	await tx`select from run_keys where id = (select lineage from run_keys where id = ${id}) for update`
	const [row] = await tx<{ over: boolean; successor: string | null; expires: Date | null }[]>`
		select coalesce(k.expires_at <= now(), false) as over,
			(select n.id from run_keys n where n.deployment_id = k.deployment_id and n.lineage = k.lineage
				and n.revoked_at is null and coalesce(n.expires_at, 'infinity') > coalesce(k.expires_at, 'infinity')
				order by n.expires_at desc nulls first, n.created_at desc limit 1) as successor,
			(select case when bool_and(n.expires_at is not null) then max(n.expires_at) end from run_keys n
				where n.deployment_id = k.deployment_id and n.lineage = k.lineage) as expires
		from run_keys k where k.id = ${id}`
	if (row?.successor)
		throw new Problem('conflict', `The key was rotated already. Rotate ${row.successor} instead.`)
	if (row?.over) throw new Problem('conflict', 'The key has expired. Create another.')
	return row?.expires ?? null
}

/** Safe to repeat: the first time counts. */
export async function revokeKey(
	parts: KeyParts,
	accountId: string,
	deployment: string,
	id: string,
): Promise<RunKey> {
	await ownKey(parts.sql, accountId, deployment, id)
	const [row] = await parts.sql<KeyRow[]>`
		update run_keys set revoked_at = coalesce(revoked_at, now()) where id = ${id} returning ${columns(parts.sql)}`
	await parts.secrets.forget(id)
	return view(row!)
}

async function ownKey(sql: Sql, accountId: string, deployment: string, id: string): Promise<KeyRow> {
	await ownDeployment(sql, accountId, deployment)
	const [row] = isId('key', id)
		? await sql<KeyRow[]>`
			select ${columns(sql)} from run_keys where id = ${id} and deployment_id = ${deployment}`
		: []
	if (!row) throw notFound('There is no such run key.')
	return row
}
