import type { Host } from '../context.ts'
import { type AccountRow, findAccount, findAccounts } from './accounts.ts'
import { readSessionCookie } from './cookies.ts'
import { type BalanceChange, changeBalances } from './ledger.ts'
import { type SignInAttempt, signIn } from './signIn.ts'

/** What the guard is given of the platform: `Platform` of the connector. */
export function guardPlatform(host: Host) {
	return {
		signIn: async (attempt: SignInAttempt) => {
			const done = await signIn(host, attempt)
			return done.ok ? { ok: true as const, account: view(done.account) } : done
		},
		session: async (cookieHeader: string | undefined) => {
			const cookie = readSessionCookie(host.config.BASE_URL, cookieHeader)
			const subject = cookie ? await host.secrets.verify(cookie) : null
			const row = subject?.kind === 'session' ? await findAccount(host.sql, subject.accountId) : null
			return row && view(row)
		},
		accounts: async (ids: string[]) => {
			const rows = await findAccounts(host.sql, ids)
			return ids.map((id) => rows.find((row) => row.id === id) ?? null).map((row) => row && view(row))
		},
		watch: host.secrets.onForget,
		charge: async (charges: BalanceChange[]) => {
			const taken = charges.map((charge) => ({ ...charge, amount: -charge.amount }))
			// A disk can take longer than the whole call.
			return (await changeBalances(host.sql, taken, { awaitDisk: false })).map((done) => {
				if (!done) throw new Error('there is no such account')
				return { charged: done.changed, balance: done.balance }
			})
		},
	}
}

function view({ id, email, paid, tester, disabled, balance }: AccountRow) {
	return { id, email, paid, tester, disabled, balance }
}
