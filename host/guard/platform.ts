import type { Program, ProgramNote } from '../../connector/index.ts'
import { type BalanceChange, changeBalances } from '../accounts/index.ts'
import type { Audit } from '../audit/index.ts'
import {
	type AccountRow,
	findAccount,
	findAccounts,
	readSessionCookie,
	type Secrets,
	type SignInAttempt,
	signIn,
	type Throttle,
} from '../auth/index.ts'
import type { Sql } from '../db/index.ts'
import { newId } from '../lib/ids.ts'
import type { Config } from '../settings/config.ts'

export interface PlatformParts {
	config: Pick<Config, 'BASE_URL'>
	sql: Sql
	secrets: Pick<Secrets, 'verify' | 'onForget'>
	throttle: Throttle
	audit: Pick<Audit, 'add'>
}

/** What the guard is given of the platform: `Platform` of the connector. */
export function guardPlatform(parts: PlatformParts) {
	return {
		signIn: async (attempt: SignInAttempt) => {
			const done = await signIn(parts, attempt)
			if (done.ok) note(parts.audit, done.account.id, attempt, 200)
			else if (done.reason === 'refused' && done.account) note(parts.audit, done.account, attempt, 401)
			return done.ok ? { ok: true as const, account: view(done.account) } : done
		},
		session: async (cookieHeader: string | undefined) => {
			const cookie = readSessionCookie(parts.config.BASE_URL, cookieHeader)
			const subject = cookie ? await parts.secrets.verify(cookie) : null
			const row = subject?.kind === 'session' ? await findAccount(parts.sql, subject.accountId) : null
			return row && view(row)
		},
		accounts: async (ids: string[]) => {
			const rows = await findAccounts(parts.sql, ids)
			return ids.map((id) => rows.find((row) => row.id === id) ?? null).map((row) => row && view(row))
		},
		noteProgram: (said: ProgramNote) => noteProgram(parts.audit, said),
		watch: parts.secrets.onForget,
		charge: (charges: BalanceChange[]) => charge(parts.sql, charges),
	}
}

/** The page that lets a program in has no request of this host's own. */
function note(audit: Pick<Audit, 'add'>, account: string, { address }: SignInAttempt, status: number): void {
	const actor = { kind: 'sign_in', account, token: null } as const
	audit.add({ actor, account, operation: 'signIn', target: {}, status, request: '', address })
}

/** Consent is given by a session of the guard's pages, which is none of ours. */
function noteProgram(audit: Pick<Audit, 'add'>, { did, accountId, program, address }: ProgramNote): void {
	const ended = did === 'endProgram'
	const by = ended
		? ({ kind: 'oauth', token: program.grant } as const)
		: { kind: 'session' as const, token: null }
	const target = { [ended ? 'id' : 'made']: program.grant, ...programTarget(program) }
	const entry = {
		account: accountId,
		operation: did,
		target,
		status: ended ? 200 : 303,
		request: '',
		address,
	}
	audit.add({ ...entry, actor: { ...by, account: accountId } })
}

/** A name is long enough, and an address that is an id is without its query. */
const textMaxLetters = 200

export function programTarget({ name, clientId, resource, scopes }: Program): Record<string, string> {
	const texts = { program: name, client: clientId.replace(/[?#].*$/s, ''), resource, scopes }
	return Object.fromEntries(Object.entries(texts).map(([key, text]) => [key, text.slice(0, textMaxLetters)]))
}

/** Takes credits, for as long as the balance of each account suffices. */
export async function charge(
	sql: Sql,
	charges: BalanceChange[],
): Promise<{ charged: boolean; balance: number }[]> {
	const alone = charges.length === 1 ? await chargeAlone(sql, charges[0] as BalanceChange) : null
	if (alone) return [alone]
	const taken = charges.map((charge) => ({ ...charge, amount: -charge.amount }))
	// A disk can take longer than the whole call.
	return (await changeBalances(sql, taken, { awaitDisk: false })).map((done) => {
		if (!done) throw new Error('there is no such account')
		return { charged: done.changed, balance: done.balance }
	})
}

/**
 * `changeBalances` for one charge: with no other row to lock in order, the condition on the balance is all it needs, and
 * Postgres finds the row by its key, where it would read all accounts for a list. Null: nothing was taken, ask there why.
 */
async function chargeAlone(sql: Sql, { accountId, amount, reason }: BalanceChange) {
	const [row] = await sql<{ balance: number }[]>`
		with changed as (
			update accounts set balance = balance - ${amount}::bigint
			where id = ${accountId} and balance >= ${amount}::bigint
			returning id, balance
		), written as (
			insert into ledger (id, account_id, amount, balance, reason)
			select ${newId('ldg')}, id, -${amount}::bigint, balance, ${reason} from changed
		)
		select balance, set_config('synchronous_commit', 'off', true) from changed`
	return row ? { charged: true, balance: row.balance } : null
}

function view({ id, email, paid, tester, disabled, balance }: AccountRow) {
	return { id, email, paid, tester, disabled, balance }
}
