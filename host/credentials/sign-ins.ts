import { sharedNow } from '../../runtime/lib/clock.ts'
import type { HostCalls } from '../../runtime/wire/host-calls.ts'
import type { SealedCredential } from '../../runtime/wire/runtime-calls.ts'
import { isAlive, type Lease, type Sql } from '../db/index.ts'
import { announce } from '../deployments/index.ts'
import { type NotingParts, noteCredential } from './credentials.ts'

// A sign-in that is refreshed (spec connect.one-refresh): one host at a time, stored by compare-and-set on its version
// before it is used. An owner's upload in between has a newer version, and wins.

export interface SignInParts extends NotingParts {
	/** Of this host, in the `hosts` table. */
	id: string
	lease: Pick<Lease, 'silent'>
}

type Args<M extends keyof HostCalls> = Parameters<HostCalls[M]>[0]

/**
 * Longer than a refresh may take, and much shorter than the 30 s in which our own server repeats the answer to one
 * whose host died (spec connect.crash-keeps-sign-in).
 */
const leaseSeconds = 12

/**
 * A host's runtime makes one refresh of a sign-in at a time: if it asks again, it is another process, or gave up. The
 * lease of a host that is gone is void.
 */
export async function leaseCredential(
	parts: SignInParts,
	{ deployment, name, version }: Args<'credential.lease'>,
): Promise<ReturnType<HostCalls['credential.lease']>> {
	const mine = await parts.sql`
		update credentials
		set refresh_lease_until = now() + make_interval(secs => ${leaseSeconds}), refresh_lease_by = ${parts.id}
		where deployment_id = ${deployment} and name = ${name} and version = ${version} and jwe is not null
			and state <> 'needs_sign_in'
			and (refresh_lease_until is null or refresh_lease_until < now() or refresh_lease_by = ${parts.id}
				or not ${isAlive(parts.sql, parts.lease, 'refresh_lease_by')})
		returning 1`
	if (mine.length > 0) return { status: 'yours' }
	const now = await current(parts.sql, deployment, name)
	if (now && now.credential.version !== version) return { status: 'changed', credential: now.credential }
	return { status: !now || now.state === 'needs_sign_in' ? 'gone' : 'wait' }
}

export async function storeCredential(
	parts: SignInParts,
	{ deployment, name, version, jwe }: Args<'credential.store'>,
): Promise<ReturnType<HostCalls['credential.store']>> {
	await parts.sql.begin(async (tx) => {
		await tx`select id from deployments where id = ${deployment} for no key update`
		// One whose address is now another's stays missing: it is refreshed for the runs in flight of an older version.
		const done = await tx`
			update credentials
			set jwe = ${jwe}, version = version + 1, updated_at = now(),
				last_error = case when missing_scope is null then null else last_error end,
				state = case when state = 'missing' then state else 'ready' end,
				refresh_lease_until = null, refresh_lease_by = null
			where deployment_id = ${deployment} and name = ${name} and version = ${version} and kind = 'oauth'
				and jwe is not null
			returning 1`
		if (done.length === 0) return
		await tx`update deployments set rev = rev + 1 where id = ${deployment}`
		await announce(tx, deployment)
	})
	const now = await current(parts.sql, deployment, name)
	return { credential: now?.credential ?? null }
}

/** Without a new sign-in. Where it was refused, runs are refused from here on, before anything is spent. */
export async function releaseCredential(
	parts: SignInParts,
	{ deployment, name, version, refused }: Args<'credential.release'>,
): Promise<ReturnType<HostCalls['credential.release']>> {
	if (refused !== null) {
		const note = { deployment, name, version, error: refused, used_at: sharedNow() }
		await noteCredential(parts, { ...note, state: 'needs_sign_in' })
	}
	await parts.sql`
		update credentials set refresh_lease_until = null, refresh_lease_by = null
		where deployment_id = ${deployment} and name = ${name} and version = ${version} and refresh_lease_by = ${parts.id}`
	const now = await current(parts.sql, deployment, name)
	return { credential: now?.credential ?? null }
}

async function current(
	sql: Sql,
	deployment: string,
	name: string,
): Promise<{ credential: SealedCredential; state: string } | null> {
	const [row] = await sql<{ version: number; jwe: string | null; state: string }[]>`
		select version, jwe, state from credentials where deployment_id = ${deployment} and name = ${name}`
	if (!row?.jwe) return null
	return { credential: { name, version: row.version, jwe: row.jwe }, state: row.state }
}
