import type { FastifyRequest } from 'fastify'
import type { Sql } from '../db/index.ts'
import { type AccountRow, findAccount } from './account.ts'
import { noteSignIn } from './actor.ts'
import { matchesNothing, matchesPassword } from './hashing.ts'
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
export type SignInResult = Judged | { ok: false; reason: 'throttled'; retryAfterSeconds: number }

type Judged =
	| { ok: true; account: AccountRow }
	/** `account`: of that address, if there is one; never told to the caller. */
	| { ok: false; reason: 'refused'; account: string | null }

/** Unknown address and wrong password are one answer in one time. */
export async function signIn(
	{ sql, throttle }: { sql: Sql; throttle: Throttle },
	attempt: SignInAttempt,
): Promise<SignInResult> {
	const end = await throttle.begin(attempt.email, attempt.address)
	if (typeof end === 'number') return { ok: false, reason: 'throttled', retryAfterSeconds: end }
	try {
		const result = await judge(sql, attempt)
		end(result.ok ? 'succeeded' : 'failed')
		return result
	} catch (error) {
		end('unjudged')
		throw error
	}
}

async function judge(sql: Sql, { email, password, request }: SignInAttempt): Promise<Judged> {
	const [row] = await sql<{ id: string; password_hash: string | null }[]>`
		select id, password_hash from accounts where lower(email) = lower(${email})`
	if (request && row) noteSignIn(request, row.id)
	const right = row?.password_hash
		? await matchesPassword(row.password_hash, password)
		: await matchesNothing(password)
	const account = right && row ? await findAccount(sql, row.id) : null
	return account ? { ok: true, account } : { ok: false, reason: 'refused', account: row?.id ?? null }
}
