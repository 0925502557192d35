import { sharedNow } from '../../runtime/lib/clock.ts'
import type { Sql } from '../db/index.ts'
import { Problem } from '../http/errors.ts'
import { type Holder, monthOf, readAccounts } from './accounts.ts'
import { reachedMessage } from './decide.ts'
import { crossed } from './warn.ts'

/** Refuses a run whose budget is used up before anything of it exists. */
export async function requireBudget(sql: Sql, holder: Holder): Promise<void> {
	const accounts = await readAccounts(sql, holder, monthOf(sharedNow()))
	const reached = accounts.find((account) => crossed(account) === 100)
	if (reached) throw new Problem('budget_reached', reachedMessage(reached))
}
