import { sharedNow } from '../../runtime/lib/clock.ts'
import { type CreatedDeployment, misleading } from '../api/deployments.ts'
import type { Tx } from '../db/index.ts'
import { Problem } from '../http/errors.ts'
import { newId } from '../lib/ids.ts'
import { requireSeed, seedMemory } from '../memory/index.ts'
import { requirePlace } from '../places/index.ts'
import { newSlug } from './address.ts'
import { acceptBundle } from './bundle.ts'
import { needsOf } from './needs.ts'
import type { LifecycleParts } from './parts.ts'
import { requireSlot } from './slots.ts'
import { announce, ownDeployment } from './store.ts'
import type { OpenedBundle, Upload } from './upload.ts'
import { viewDeployment } from './view.ts'

const uploadTokenMs = 3_600_000

/**
 * In this order (spec deployment.platform-provider): bundle valid → not the platform's provider → plan limit → created.
 */
export async function createDeployment(
	parts: LifecycleParts,
	accountId: string,
	upload: Upload,
): Promise<CreatedDeployment> {
	const bundle = await acceptBundle(parts, accountId, upload)
	requireSeed(bundle.memory)
	const { name, place = parts.places.own.id } = readFields(upload.fields)
	await requirePlace(parts.sql, parts.places, place)
	const id = newId('dep')
	const [key, token] = await Promise.all([
		parts.runtime.call('sealing_key.create', { deployment: id }),
		parts.secrets.issue('upload'),
	])
	const expires = new Date(sharedNow() + uploadTokenMs)
	const row = await parts.sql.begin(async (tx) => {
		await requireSlot(tx, accountId)
		await requireName(tx, accountId, name)
		await insertBundle(tx, bundle.digest, upload.bundle)
		await tx`
			insert into deployments (id, account_id, name, slug, place, state, sealing_kid, sealing_wrapped, sealing_jwk)
			values (${id}, ${accountId}, ${name}, ${newSlug(name)}, ${place}, 'creating', ${key.kid}, ${key.wrapped},
				${key.jwk as never})`
		await insertVersion(tx, id, 1, bundle)
		await setNeeds(tx, id, bundle)
		await seedMemory(tx, id, accountId, bundle.memory)
		await tx`
			insert into tokens (id, account_id, kind, name, hash, deployment_id, expires_at)
			values (${token.id}, ${accountId}, 'upload', 'credential upload', ${token.hash}, ${id}, ${expires})`
		await announce(tx, id)
		return ownDeployment(tx, accountId, id)
	})
	return {
		...viewDeployment(parts.places, row),
		upload_token: token.secret,
		upload_token_expires_at: expires.toISOString(),
	}
}

const nameLettersMax = 60

export function readFields(fields: Record<string, string>): { name: string; place: string | undefined } {
	const { name = '', place, ...others } = fields
	const errors = Object.keys(others).map((path) => ({ path, message: 'is not expected' }))
	const trimmed = name.trim()
	const fault = nameFault(trimmed)
	if (fault) errors.push({ path: 'name', message: fault })
	if (errors.length === 0) return { name: trimmed, place }
	const detail = errors.map(({ path, message }) => `${path} ${message}`).join('; ')
	throw new Problem('invalid_request', `${detail}.`, { errors })
}

export function nameFault(name: string): string | null {
	if (name === '') return 'is missing'
	if (name.length > nameLettersMax) return `is over ${nameLettersMax} characters`
	return /\p{C}/u.test(name) ? 'holds a control or invisible character' : misleading(name)
}

/** Under the account's lock; the unique index says the same to anyone who comes without it. */
export async function requireName(tx: Tx, accountId: string, name: string, except = ''): Promise<void> {
	const taken = await tx`
		select 1 from deployments
		where account_id = ${accountId} and name = ${name} and state <> 'deleted' and id <> ${except}`
	if (taken.length > 0) throw nameTaken(name)
}

export function nameTaken(name: string): Problem {
	return new Problem(
		'name_taken',
		`You have a deployment named ${name}. Choose another name, or update that one.`,
	)
}

export async function insertBundle(tx: Tx, digest: string, bytes: Uint8Array): Promise<void> {
	await tx`insert into bundles (digest, bytes) values (${digest}, ${bytes}) on conflict do nothing`
}

/** JSON columns are given objects as they are: `tx.json` would make them `jsonb`, which refuses \\u0000. */
export async function insertVersion(
	tx: Tx,
	id: string,
	version: number,
	bundle: OpenedBundle,
): Promise<void> {
	await tx`
		insert into versions (deployment_id, version, digest, agent, commit)
		values (${id}, ${version}, ${bundle.digest}, ${bundle.agent as never}, ${bundle.commit})`
}

/**
 * Makes the credentials those of the version that is now active. One whose address or kind changed is missing again
 * (spec credential.address-change-missing); its ciphertext stays until it is replaced, for the runs in flight of the
 * version before, and the runtime never sends it anywhere but to the address it was sealed for.
 */
export async function setNeeds(tx: Tx, id: string, { agent }: Pick<OpenedBundle, 'agent'>): Promise<void> {
	for (const { name, kind, aud } of needsOf(agent)) {
		await tx`
			insert into credentials (deployment_id, name, kind, state, aud)
			values (${id}, ${name}, ${kind}, 'missing', ${aud})
			on conflict (deployment_id, name) do update
			set kind = excluded.kind, aud = excluded.aud, state = 'missing', last_error = null,
				scope = null, missing_scope = null, updated_at = now()
			where credentials.aud <> excluded.aud or credentials.kind <> excluded.kind`
	}
}
