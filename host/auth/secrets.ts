import { hash, randomBytes } from 'node:crypto'
import type { FastifyBaseLogger } from 'fastify'
import { sharedNow } from '../../runtime/lib/clock.ts'
import type { Listen, Sql } from '../db/index.ts'
import { hashSecret, matchesSecret } from './hashing.ts'
import { type FoundSecret, findSecret, noteUse, type Subject } from './lookup.ts'
import { newSecret, readSecret, type SecretKind } from './secret-format.ts'
import { wrongSecrets } from './wrong-secrets.ts'

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
	/** After the row is revoked, expired or changed: every host forgets it, and what came from it, within a second. */
	forget(id: string): Promise<void>
	/** After an account is disabled or changed, likewise for all of its secrets. */
	forgetAccount(accountId: string): Promise<void>
	/**
	 * Hears what is forgotten: the id of a secret or account, on the host that changed it at once, on others by notice.
	 * Null: notices may have been lost.
	 */
	onForget(listener: (id: string | null) => void): () => void
	close(): Promise<void>
}

interface Remembered {
	digest: string
	subject: Subject
	/** By `performance.now()`. */
	until: number
}

/** How long a verified secret is believed, and so how long a revocation can take at worst. */
const rememberMs = 60_000
const rememberedMax = 20_000
const channel = 'berth_secrets'

export async function openSecrets(sql: Sql, listen: Listen, log: FastifyBaseLogger): Promise<Secrets> {
	const remembered = new Map<string, Remembered>()
	const underWay = new Map<string, Promise<Subject | null>>()
	const wrong = wrongSecrets()
	// Memory holds no secret: only its hash under a key that never leaves this process. A digest is never shown, so the
	// key before the text is as good as an HMAC, at a fifth of its price.
	const key = randomBytes(32).toString('base64url')

	let drops = 0
	const listeners = new Set<(id: string | null) => void>()
	const drop = (what: string) => {
		drops++
		for (const listener of listeners) listener(what)
		remembered.delete(what)
		for (const [id, { subject }] of remembered)
			if (subject.accountId === what || subject.sessionId === what) remembered.delete(id)
	}
	const dropAll = () => {
		drops++
		for (const listener of listeners) listener(null)
		remembered.clear()
	}
	const hearing = await listen(channel, drop, dropAll)
	const tell = async (what: string) => {
		drop(what)
		await sql`select pg_notify(${channel}, ${what})`
	}

	function verify(text: string): Subject | null | Promise<Subject | null> {
		const parts = readSecret(text)
		if (!parts) return null
		const digest = hash('sha256', key + text, 'base64')
		const known = remembered.get(parts.id)
		if (known && known.until > performance.now() && known.digest === digest) {
			return known.subject.expiresAt !== null && known.subject.expiresAt <= sharedNow() ? null : known.subject
		}
		// Two hundred callers with one key are one hashing.
		const already = underWay.get(digest)
		if (already) return already
		const verifying = verifySlowly(text, parts, digest).finally(() => underWay.delete(digest))
		underWay.set(digest, verifying)
		return verifying
	}

	async function verifySlowly(
		text: string,
		{ id, kind }: { id: string; kind: SecretKind },
		digest: string,
	): Promise<Subject | null> {
		if (wrong.has(id, digest)) return null
		const dropsBefore = drops
		const found = await findSecret(sql, kind, id)
		if (!found || !usable(found) || !(await matchesSecret(found.hash, text))) {
			// What is revoked or expired stays so; of what is not there, nobody can know the id in advance.
			wrong.add(id, digest)
			return null
		}
		// A revocation heard in between may be this one's.
		if (drops === dropsBefore) {
			if (remembered.size >= rememberedMax) remembered.delete(remembered.keys().next().value as string)
			remembered.set(id, { digest, subject: found.subject, until: performance.now() + rememberMs })
		}
		noteUse(sql, kind, id).catch((error) =>
			log.warn({ err: error }, 'the last use of a secret was not noted'),
		)
		return found.subject
	}

	return {
		issue: async (kind) => {
			const made = newSecret(kind)
			return { ...made, hash: await hashSecret(made.secret) }
		},
		verify,
		forget: tell,
		forgetAccount: tell,
		onForget: (listener) => {
			listeners.add(listener)
			return () => listeners.delete(listener)
		},
		close: hearing.stop,
	}
}

function usable({ revoked, subject }: FoundSecret): boolean {
	return !revoked && (subject.expiresAt === null || subject.expiresAt > sharedNow())
}
