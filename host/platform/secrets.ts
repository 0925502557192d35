import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'
import type { FastifyBaseLogger } from 'fastify'
import type { Listen, Sql } from '../db/index.ts'
import { Problem } from '../errors.ts'
import { hashSecret, matches } from './hashing.ts'
import { type FoundSecret, findSecret, noteUse, type Subject } from './lookup.ts'
import { newSecret, readSecret, type SecretKind } from './secretFormat.ts'

export interface IssuedSecret {
	/** Of the row it belongs to: `key_…` for run keys, `tok_…` otherwise. */
	id: string
	/** Shown once, stored nowhere. */
	secret: string
	/** argon2id PHC string, for the row. */
	hash: string
}

export interface Secrets {
	/** A new secret and what to store of it; the caller inserts the row. */
	issue(kind: SecretKind): Promise<IssuedSecret>
	/**
	 * Whose it is; null: malformed, unknown, expired or revoked. Answers at once where it was
	 * verified within the last minute.
	 */
	verify(text: string): Subject | null | Promise<Subject | null>
	/** After the row is revoked, expired or changed: every host forgets it within a second. */
	forget(id: string): Promise<void>
	/** After an account is disabled or changed, likewise for all of its secrets. */
	forgetAccount(accountId: string): Promise<void>
	close(): Promise<void>
}

interface Remembered {
	mac: Buffer
	subject: Subject
	until: number
}

interface Failures {
	macs: Set<string>
	until: number
}

/** Contract 3: how long a verified secret is believed, and so how long a revocation can take at worst. */
const rememberMs = 60_000
const rememberedMax = 20_000
const failuresMax = 10_000
/** After as many different wrong secrets for one id within the window, more are refused unhashed. */
const wrongPerId = 10
const failureWindowMs = 10_000
const channel = 'berth_secrets'

export async function openSecrets(sql: Sql, listen: Listen, log: FastifyBaseLogger): Promise<Secrets> {
	const remembered = new Map<string, Remembered>()
	const failures = new Map<string, Failures>()
	// Memory holds no secret: only its HMAC under a key that never leaves this process.
	const macKey = randomBytes(32)
	const mac = (text: string) => createHmac('sha256', macKey).update(text).digest()

	const underWay = new Map<string, Promise<Subject | null>>()
	let drops = 0
	const drop = (what: string) => {
		drops++
		if (remembered.delete(what)) return
		for (const [id, { subject }] of remembered) if (subject.accountId === what) remembered.delete(id)
	}
	const hearing = await listen(channel, drop, () => remembered.clear())
	const tell = async (what: string) => {
		drop(what)
		await sql`select pg_notify(${channel}, ${what})`
	}

	function verify(text: string): Subject | null | Promise<Subject | null> {
		const parts = readSecret(text)
		if (!parts) return null
		const digest = mac(text)
		const known = remembered.get(parts.id)
		const now = Date.now()
		if (known && known.until > now && timingSafeEqual(known.mac, digest)) {
			return known.subject.expiresAt !== null && known.subject.expiresAt <= now ? null : known.subject
		}
		// Two hundred callers with one key are one hashing.
		const name = digest.toString('base64')
		const already = underWay.get(name)
		if (already) return already
		const verifying = verifySlowly(text, parts.id, parts.kind, digest).finally(() => underWay.delete(name))
		underWay.set(name, verifying)
		return verifying
	}

	async function verifySlowly(
		text: string,
		id: string,
		kind: SecretKind,
		digest: Buffer,
	): Promise<Subject | null> {
		if (failedBefore(id, digest)) return null
		const dropsBefore = drops
		const found = await findSecret(sql, kind, id)
		if (!found || !usable(found) || !(await matches(found.hash, text))) {
			// What is revoked or expired stays so; of what is not there, nobody can know the id in advance.
			noteFailure(id, digest)
			return null
		}
		// A revocation heard in between may be this one's.
		if (drops === dropsBefore) {
			if (remembered.size >= rememberedMax) forgetOldest(remembered)
			remembered.set(id, { mac: digest, subject: found.subject, until: Date.now() + rememberMs })
		}
		noteUse(sql, kind, id).catch((error) =>
			log.warn({ err: error }, 'the last use of a secret was not noted'),
		)
		return found.subject
	}

	function failedBefore(id: string, digest: Buffer): boolean {
		const failed = failures.get(id)
		if (!failed) return false
		if (failed.until < Date.now()) {
			failures.delete(id)
			return false
		}
		if (failed.macs.has(digest.toString('base64'))) return true
		if (failed.macs.size < wrongPerId) return false
		throw new Problem('rate_limited', 'Too many wrong secrets for this id.', {
			headers: { 'retry-after': '10' },
		})
	}

	function noteFailure(id: string, digest: Buffer): void {
		if (failures.size >= failuresMax) forgetOldest(failures)
		const failed = failures.get(id) ?? { macs: new Set(), until: Date.now() + failureWindowMs }
		failed.macs.add(digest.toString('base64'))
		failures.set(id, failed)
	}

	return {
		issue: async (kind) => {
			const made = newSecret(kind)
			return { ...made, hash: await hashSecret(made.secret) }
		},
		verify,
		forget: tell,
		forgetAccount: tell,
		close: hearing.stop,
	}
}

function usable({ revoked, subject }: FoundSecret): boolean {
	return !revoked && (subject.expiresAt === null || subject.expiresAt > Date.now())
}

function forgetOldest(map: Map<string, unknown>): void {
	for (const key of map.keys()) {
		map.delete(key)
		return
	}
}
