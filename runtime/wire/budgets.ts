/** Calls the runtime makes of the budgets that the host keeps. */
export interface BudgetCalls {
	/**
	 * Asks for the most a model call can use: input, and as many output tokens as are granted. `wait`: calls under way hold
	 * what it needs; ask again. `reached`: not even `least` will ever fit, and the run ends. Asked again for the same
	 * effect, it takes the place of what was reserved before. `usd`: null where the model has no price.
	 */
	'budget.reserve': (a: {
		run: string
		epoch: number
		effect: number
		input_tokens: number
		output_tokens: { least: number; most: number }
		usd: { input: number; output_token: number } | null
	}) =>
		| { status: 'granted'; output_tokens: number }
		| { status: 'wait' }
		| { status: 'reached'; message: string; warnings: BudgetWarning[] }
	/**
	 * The same for a call of another agent, which may use up to this. Granted is what the budgets have room for, but no more
	 * than half of that where it is much: runs beside this one go on. `again`: it was granted before a crash.
	 */
	'budget.share': (a: {
		run: string
		epoch: number
		effect: number
		tokens: number
		/** Null: the run has no such limit. */
		usd: number | null
		again: boolean
	}) =>
		| { status: 'granted'; tokens: number; usd: number | null }
		| { status: 'wait' }
		| { status: 'reached'; message: string; warnings: BudgetWarning[] }
	/** What the call has used takes the place of what was reserved. `warn`: the run can still tell of thresholds passed. */
	'budget.settle': (a: {
		run: string
		epoch: number
		effect: number
		tokens: number
		/** Null: the price is not known. */
		usd: number | null
		warn: boolean
	}) => { warnings: BudgetWarning[] }
}

/** Data of the event `budget.warning`: a threshold, in percent, that this run has passed. */
export interface BudgetWarning {
	scope: 'deployment' | 'key'
	month: string
	threshold: 50 | 80 | 100
	budgets: { tokens_per_month?: number | undefined; usd_per_month?: number | undefined }
	/** `usd` null: of one of its calls the price was not known. */
	used: { tokens: number; usd: number | null }
}
