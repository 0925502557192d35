import type { ConnectorDeps } from '../deps.ts'
import type { GuardAccount } from '../platform.ts'
import { batchedByKey } from './batch.ts'

/**
 * Accounts as they were last read, so that a call in a row of calls costs no look-up. Whoever refuses a call for what is
 * said here asks `fresh` first: only a balance that is too high may be believed, and that one the charge finds out.
 */
export interface Accounts {
	remembered(id: string): GuardAccount | null
	/** Null: there is no such account. */
	fresh(id: string): Promise<GuardAccount | null>
	/** What a charge left. */
	noteBalance(id: string, balance: number): void
	close(): void
}

/** Should the Platform's word of a change be lost. */
const believedMs = 5_000
const mostRemembered = 10_000

export function openAccounts({ platform }: Pick<ConnectorDeps, 'platform'>): Accounts {
	const known = new Map<string, { account: GuardAccount; until: number }>()
	let changes = 0
	const stop = platform.watch((id) => {
		changes++
		if (id === null) known.clear()
		else known.delete(id)
	})
	const read = batchedByKey((id: string) => id, platform.accounts)
	return {
		remembered: (id) => {
			const entry = known.get(id)
			return entry && entry.until > performance.now() ? entry.account : null
		},
		fresh: async (id) => {
			const before = changes
			const account = await read(id)
			// A change told of in between may be this one's.
			if (account && changes === before) {
				known.delete(id)
				known.set(id, { account, until: performance.now() + believedMs })
				if (known.size > mostRemembered) known.delete(known.keys().next().value as string)
			}
			return account
		},
		noteBalance: (id, balance) => {
			const entry = known.get(id)
			if (entry) entry.account = { ...entry.account, balance }
		},
		close: stop,
	}
}
