import { z } from 'zod'

// Budgets of a deployment or of a run key: what its runs may use of models in a calendar month (UTC).

export const Budgets = z
	.strictObject({
		/** Input and output tokens. */
		tokens_per_month: z.number().int().min(0).max(1e15).optional(),
		usd_per_month: z.number().min(0).max(1e9).optional(),
	})
	.refine((budgets) => Object.keys(budgets).length > 0, { message: 'must name a budget; null removes it' })
	.meta({ id: 'Budgets' })

/** `usd` null: the price of a model that was used is not known. */
const amount = z.object({ tokens: z.number(), usd: z.number().nullable() })

/** A budget and what the month has used of it. `reserved`: by calls under way. */
export const BudgetState = z
	.object({ budgets: Budgets, used: amount, reserved: amount })
	.meta({ id: 'BudgetState' })

/** `GET /v1/deployments/{id}/budgets`. */
export const BudgetReport = z
	.object({
		month: z.string(),
		deployment: BudgetState.nullable(),
		/** Run keys that have one; a key and its successors share it. */
		keys: z.array(BudgetState.extend({ lineage: z.string() })),
		/**
		 * Models of the agent without a known price, as `provider/name`. A budget in US dollars refuses every call of
		 * them. Only where there is such a budget; a host of an earlier build does not say.
		 */
		unpriced_models: z.array(z.string()).optional(),
	})
	.meta({ id: 'BudgetReport' })

export type Budgets = z.infer<typeof Budgets>
export type BudgetReport = z.infer<typeof BudgetReport>
