import type { Signal } from '@preact/signals'
import type { Budgets } from '../../../../owner/client/index.ts'
import { TextField } from '../../../parts/field.tsx'

export interface BudgetTexts {
	usd: string
	tokens: string
}

export const budgetTexts = (budgets: Budgets | null): BudgetTexts => ({
	usd: budgets?.usd_per_month?.toString() ?? '',
	tokens: budgets?.tokens_per_month?.toString() ?? '',
})

/** Null: none is set. */
export function budgetsOf({ usd, tokens }: BudgetTexts): Budgets | null {
	if (usd.trim() === '' && tokens.trim() === '') return null
	return {
		...(usd.trim() !== '' && { usd_per_month: Number(usd) }),
		...(tokens.trim() !== '' && { tokens_per_month: Number(tokens) }),
	}
}

/** Two limits of a calendar month; an empty one is none. */
export function BudgetFields({
	of: texts,
	faults,
}: {
	of: Signal<BudgetTexts>
	faults: Record<string, string>
}) {
	const set = (change: Partial<BudgetTexts>) => {
		texts.value = { ...texts.value, ...change }
	}
	return (
		<div class="columns">
			<TextField
				label="Dollars a month"
				type="number"
				step="any"
				placeholder="no limit"
				value={texts.value.usd}
				onText={(usd) => set({ usd })}
				fault={faults['/budgets/usd_per_month']}
				hint="Needs a known price of its model."
			/>
			<TextField
				label="Tokens a month"
				type="number"
				placeholder="no limit"
				value={texts.value.tokens}
				onText={(tokens) => set({ tokens })}
				fault={faults['/budgets/tokens_per_month']}
				hint="Input and output together."
			/>
		</div>
	)
}
