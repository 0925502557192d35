import { modelChains } from '../../bundles/index.ts'
import { sharedNow } from '../../runtime/lib/clock.ts'
import { isPriced } from '../../runtime/prices/index.ts'
import type { BudgetReport } from '../api/budgets.ts'
import type { Sql } from '../db/index.ts'
import { type BudgetAccount, monthOf, readAccounts, usd, usedOf } from './accounts.ts'
import { priceTable } from './prices.ts'

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
	const shown = { month, deployment: own ? view(own) : null, keys: keys.flat() }
	const inUsd = [own, ...shown.keys].some((one) => one?.budgets.usd_per_month !== undefined)
	return inUsd ? { ...shown, unpriced_models: await unpricedModels(sql, deployment) } : shown
}

async function unpricedModels(sql: Sql, deployment: string): Promise<string[]> {
	const [row] = await sql<{ agent: Parameters<typeof modelChains>[0] }[]>`
		select v.agent from deployments d join versions v on v.deployment_id = d.id and v.version = d.version
		where d.id = ${deployment}`
	const own = await priceTable(sql)
	const models = row ? [...modelChains(row.agent).values()].flat() : []
	const names = models
		.filter(({ model }) => !isPriced(model.provider, model.name, own))
		.map(({ model }) => `${model.provider}/${model.name}`)
	return [...new Set(names)]
}

const view = (account: BudgetAccount) => ({
	budgets: account.budgets,
	used: usedOf(account),
	reserved: { tokens: account.reserved_tokens, usd: usd(account.reserved_micros) },
})
