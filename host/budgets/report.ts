import { sharedNow } from '../../runtime/lib/clock.ts'
import type { BudgetReport } from '../api/budgets.ts'
import type { Sql } from '../db/index.ts'
import { type BudgetAccount, monthOf, readAccounts, usd, usedOf } from './accounts.ts'

/** The budgets of a deployment and of its run keys, and what the month has used of them. */
export async function reportBudgets(sql: Sql, deployment: string): Promise<BudgetReport> {
	const month = monthOf(sharedNow())
	const lineages = await sql<{ lineage: string }[]>`
		select distinct lineage from run_keys where deployment_id = ${deployment} and budgets is not null order by lineage`
	const own = (await readAccounts(sql, { deployment, lineage: null }, month))[0]
	const keys = await Promise.all(
		lineages.map(async ({ lineage }) => {
			const accounts = await readAccounts(sql, { deployment, lineage }, month)
			return accounts.filter(({ scope }) => scope === 'key').map((account) => ({ lineage, ...view(account) }))
		}),
	)
	return { month, deployment: own ? view(own) : null, keys: keys.flat() }
}

const view = (account: BudgetAccount) => ({
	budgets: account.budgets,
	used: usedOf(account),
	reserved: { tokens: account.reserved_tokens, usd: usd(account.reserved_micros) },
})
