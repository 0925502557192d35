import type { RuntimeClient } from '../../runtime/supervisor/client.ts'
import type { HostNotes } from '../../runtime/wire/host-calls.ts'
import { raise } from '../alerts/index.ts'
import type { Credential } from '../api/credentials.ts'
import type { OwnedDeployment } from '../auth/index.ts'
import type { Sql, Tx } from '../db/index.ts'
import {
	announce,
	changedMeanwhile,
	type DeploymentRow,
	type FailParts,
	failDeployment,
	type KnownDeployments,
	needsOf,
	ownDeployment,
	ruleOf,
	viewCredentials,
} from '../deployments/index.ts'
import { notFound, Problem } from '../http/errors.ts'

export interface CredentialParts extends FailParts {
	runtime: Pick<RuntimeClient, 'call'>
	/** A connector was connected: what it offers is locked, and nobody waits for it. */
	lockSoon(row: Pick<DeploymentRow, 'id' | 'slug' | 'digest' | 'agent'>): void
}

/** Write-only: name, kind, state and times, never a value (spec credential.write-only). */
export async function readCredentials(
	sql: Sql,
	{ id, accountId }: OwnedDeployment,
): Promise<{ data: Credential[]; sealing_key: Record<string, string> }> {
	const row = await ownDeployment(sql, accountId, id)
	return { data: viewCredentials(row.agent, row.credentials), sealing_key: row.sealing_jwk ?? {} }
}

/**
 * Takes a sealed credential after the runtime has opened it and thrown the plaintext away. It is in use from the next
 * model or tool call on, also in runs that are under way.
 */
export async function putCredential(
	parts: CredentialParts,
	deployment: OwnedDeployment,
	name: string,
	jwe: string,
): Promise<Credential> {
	const { id, accountId } = deployment
	const row = await ownDeployment(parts.sql, accountId, id)
	ruleOf(row.state, 'upload')
	const need = needsOf(row.agent).find((candidate) => candidate.name === name)
	if (!need || !row.sealing_kid || !row.sealing_wrapped) {
		const names = needsOf(row.agent).map((candidate) => candidate.name)
		throw notFound(`The agent needs no credential \`${name}\`; it needs ${names.join(', ') || 'none'}.`)
	}
	const sealing = { kid: row.sealing_kid, wrapped: row.sealing_wrapped }
	const { kind, scope } = await parts.runtime
		.call('credential.check', { deployment: id, sealing, name, aud: need.aud, jwe })
		.catch(async (cause) => {
			if (cause.code === 'secret_unreadable')
				throw await failDeployment(parts, { deployment: id, kid: sealing.kid, reason: cause.message })
			if (cause.code !== 'credential_rejected') throw cause
			throw new Problem('credential_rejected', cause.message)
		})
	if (kind !== need.kind) {
		throw new Problem(
			'credential_rejected',
			`${need.needed_by} asks for a credential of kind ${need.kind}; this one is ${kind}.`,
		)
	}
	const done = await parts.sql.begin(async (tx) => {
		// Deleted, or its address changed, since it was checked: then it is not this credential any more.
		const [alive] = await tx`
			update deployments set rev = rev + 1 where id = ${id} and sealing_kid = ${sealing.kid} returning 1`
		const [updated] = await tx`
			update credentials
			set jwe = ${jwe}, version = version + 1, state = 'ready', last_error = null, updated_at = now(),
				scope = ${scope}, missing_scope = null
			where deployment_id = ${id} and name = ${name} and aud = ${need.aud} and kind = ${need.kind} returning 1`
		if (!alive || !updated) return false
		await announce(tx, id)
		return true
	})
	if (!done) throw changedMeanwhile()
	await parts.deployments.changed(id)
	const now = await ownDeployment(parts.sql, accountId, id)
	if (now.state === 'running' && (need.kind === 'oauth' || need.kind === 'bearer')) parts.lockSoon(now)
	const shown = viewCredentials(now.agent, now.credentials).find((candidate) => candidate.name === name)
	if (!shown) throw notFound(`The agent no longer needs \`${name}\`.`)
	return shown
}

/** What it takes to write down what came of a use. */
export interface NotingParts {
	sql: Sql
	deployments: Pick<KnownDeployments, 'changed'>
}

const MISSING_MAX_CHARS = 500

/** Tools may lack different scopes, and one sign-in is to bring them all. A server that names ever others has only its last ones. */
function withMissing(before: string | null | undefined, missing: string): string {
	const all = [...new Set([...(before?.split(' ') ?? []), ...missing.split(' ')])].join(' ')
	return all.length > MISSING_MAX_CHARS ? missing : all
}

/** Than the last use: hosts tell of theirs in any order. A clock that is ahead counts as the database's. */
const isLater = (sql: Sql | Tx, used: Date) =>
	sql`(last_used_at is null or last_used_at <= least(${used}, now()))`

/**
 * What the runtime learned by using it: state and error are those of the last use. Counts only for the version it used:
 * an owner's PUT in between wins. A sign-in that lacks a scope serves other tools on: it stays `ready` here, so that no
 * run is refused for it, and `missing_scope` tells its owner until the next sign-in (spec connect.missing-scope).
 */
export async function noteCredential(parts: NotingParts, note: HostNotes['credential.state']): Promise<void> {
	const { deployment, name, version } = note
	const used = new Date(note.used_at)
	const missing = note.missing_scope ?? null
	const state = missing === null ? note.state : 'ready'
	// A use that serves leaves what is told of a missing scope.
	const values = (tx: Sql | Tx, lacked: string | null) => tx`
		last_error = coalesce(${note.error}, case when missing_scope is null then null else last_error end),
		missing_scope = coalesce(${lacked}, missing_scope), last_used_at = least(${used}, now())`
	const asBefore = await parts.sql`
		update credentials set ${values(parts.sql, null)}
		where deployment_id = ${deployment} and name = ${name} and version = ${version} and state = ${state}
			and (${missing}::text is null or string_to_array(${missing}, ' ') <@ string_to_array(missing_scope, ' '))
			and ${isLater(parts.sql, used)}
		returning 1`
	if (asBefore.length > 0) return
	const changed = await parts.sql.begin(async (tx) => {
		await tx`select id from deployments where id = ${deployment} for no key update`
		const [before] = await tx<{ state: string; missing_scope: string | null }[]>`
			select state, missing_scope from credentials where deployment_id = ${deployment} and name = ${name}`
		// A key whose address is now another's stays missing, however well it served the old version's runs.
		const done = await tx`
			update credentials
			set state = ${state}, ${values(tx, missing && withMissing(before?.missing_scope, missing))}
			where deployment_id = ${deployment} and name = ${name} and version = ${version} and state <> 'missing'
				and ${isLater(tx, used)}
			returning 1`
		if (done.length === 0) return false
		const asked = before?.state === 'needs_sign_in' || (missing !== null && before?.missing_scope !== null)
		if (note.state === 'needs_sign_in' && !asked)
			await raise(tx, { type: 'credential.needs_sign_in', deployment, data: { credential: name } })
		await tx`update deployments set rev = rev + 1 where id = ${deployment}`
		await announce(tx, deployment)
		return true
	})
	if (changed) await parts.deployments.changed(deployment)
}
