import type { HostCalls } from '../../../runtime/wire/host-calls.ts'

/** A host whose budgets have no end. */
export const fakeBudgets = () => ({
	'budget.reserve': (a: Parameters<HostCalls['budget.reserve']>[0]) => ({
		status: 'granted' as const,
		output_tokens: a.output_tokens.most,
	}),
	'budget.share': ({ tokens, usd }: Parameters<HostCalls['budget.share']>[0]) => ({
		...{ status: 'granted' as const, tokens, usd },
	}),
	'budget.settle': () => ({ warnings: [] }),
})
