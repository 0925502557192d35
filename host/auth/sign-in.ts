import type { FastifyRequest } from 'fastify'
import type { Sql } from '../db/index.ts'
import { type AccountRow, findAccount } from './account.ts'
import { noteSignIn } from './actor.ts'
import { matches, matchesNothing } from './hashing.ts'
import type { Throttle } from './throttle.ts'

export interface SignInAttempt {
	email: string
	password: string
	/** The caller's. */
	address: string
	/** For the audit log. */
	request?: FastifyRequest
}

/** A disabled account signs in, too: whoever asked decides what that is worth. */
export type SignInResult =
	| { ok: true; account: AccountRow }
	/** `account`: of that address, if there is one; never told to the caller. */
	| { ok: false; reason: 'refused'; account: string | null }
	| { ok: false; reason: 'throttled'; retryAfterSeconds: number }

/** Unknown address and wrong password are one answer in one time. */
export async function signIn(
	{ sql, throttle }: { sql: Sql; throttle: Throttle },
	{ email, password, address, request }: SignInAttempt,
): Promise<SignInResult> {
	const retryAfterSeconds = await throttle.before(email, address)
	if (retryAfterSeconds !== null) return { ok: false, reason: 'throttled', retryAfterSeconds }
	const [row] = await sql<{ id: string; password_hash: string | null }[]>`
		select id, password_hash from accounts where lower(email) = lower(${email})`
	if (request && row) noteSignIn(request, row.id)
	const right = row?.password_hash
		? await matches(row.password_hash, password)
		: await matchesNothing(password)
	const account = right && row ? await findAccount(sql, row.id) : null
	if (!account) {
		throttle.failed(email, address)
		return { ok: false, reason: 'refused', account: row?.id ?? null }
	}
	throttle.succeeded(email, address)
	return { ok: true, account }
}
