import type { BudgetWarning } from '../../runtime/wire/budgets.ts'
import { raise } from '../alerts/index.ts'
import type { Tx } from '../db/index.ts'
import { type BudgetAccount, usedOf } from './accounts.ts'

const thresholds = [50, 80, 100] as const
/** From this one on, the owner is alerted, too. */
const alerted = 80

/** The highest threshold that is passed, by tokens or by dollars, whichever is further; 0: none. */
export function crossed({ budgets, tokens, usd_micros }: BudgetAccount): number {
	const { tokens_per_month, usd_per_month } = budgets
	const share = Math.max(
		tokens_per_month === undefined ? 0 : shareOf(tokens, tokens_per_month),
		usd_per_month === undefined ? 0 : shareOf(usd_micros, usd_per_month * 1e6),
	)
	return thresholds.findLast((threshold) => share * 100 >= threshold) ?? 0
}

const shareOf = (used: number, of: number) => (of === 0 ? 1 : used / of)

/** Each threshold is told once a month and budget, to the run that passes it. The account's row is locked. */
export async function warn(
	tx: Tx,
	deployment: string,
	account: BudgetAccount,
	month: string,
	upTo: number,
): Promise<BudgetWarning[]> {
	const { scope, id, budgets, warned } = account
	if (upTo <= warned) return []
	await tx`update budget_usage set warned = ${upTo} where scope = ${scope} and id = ${id} and month = ${month}`
	const passed = crossed(account)
	const warnings = thresholds
		.filter((threshold) => threshold > warned && (threshold === upTo || threshold <= passed))
		.map((threshold) => ({
			scope,
			month,
			threshold,
			budgets,
			used: usedOf(account),
		}))
	const last = warnings.at(-1)
	if (last && warned < alerted && last.threshold >= alerted)
		await raise(tx, { type: 'budget.warning', deployment, data: { ...last } })
	return warnings
}
