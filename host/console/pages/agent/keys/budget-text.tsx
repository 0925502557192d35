import type { Budgets } from '../../../../owner/client/index.ts'
import { count, dollars } from '../../../data/format.ts'

/** `$0.0120 of $5`, `1.2k of 50k tokens`. A dash where there is no budget. */
export function BudgetText({
	of: budgets,
	used,
}: {
	of: Budgets | null
	used?: { tokens: number; usd: number | null } | undefined
}) {
	if (!budgets) return <span class="soft">–</span>
	const { usd_per_month, tokens_per_month } = budgets
	return (
		<>
			{usd_per_month !== undefined && (
				<div>
					{used && `${dollars(used.usd)} of `}
					{dollars(usd_per_month)}
				</div>
			)}
			{tokens_per_month !== undefined && (
				<div>
					{used && `${count(used.tokens)} of `}
					{count(tokens_per_month)} tokens
				</div>
			)}
		</>
	)
}
