import type { Host } from '../context.ts'
import { type AccountRow, findAccount } from './accounts.ts'
import { readSessionCookie } from './cookies.ts'
import { changeBalance } from './ledger.ts'
import { type SignInAttempt, signIn } from './signIn.ts'

/** What the guard is given of the platform: `Platform` of the connector. */
export function guardPlatform(host: Host) {
	const account = async (id: string) => {
		const row = await findAccount(host.sql, id)
		return row && view(row)
	}
	return {
		signIn: async (attempt: SignInAttempt) => {
			const done = await signIn(host, attempt)
			return done.ok ? { ok: true as const, account: view(done.account) } : done
		},
		session: async (cookieHeader: string | undefined) => {
			const cookie = readSessionCookie(host.config.BASE_URL, cookieHeader)
			const subject = cookie ? await host.secrets.verify(cookie) : null
			return subject?.kind === 'session' ? account(subject.accountId) : null
		},
		account,
		charge: async (accountId: string, amount: number, reason: string) => {
			const done = await changeBalance(host.sql, accountId, -amount, reason)
			if (!done) throw new Error('there is no such account')
			return { charged: done.changed, balance: done.balance }
		},
	}
}

function view({ id, email, paid, tester, disabled, balance }: AccountRow) {
	return { id, email, paid, tester, disabled, balance }
}
