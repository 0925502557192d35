/**
 * What a run may use of models: the smaller of its agent's limits and of what its caller, another agent's run, has left
 * for it (spec agent.budget-lowers). A caller can only lower a limit.
 */
import type { Share } from '../../wire/agent-calls.ts'
import { spentOf } from '../../wire/usage.ts'
import { RunFailure } from './failure.ts'
import type { Run } from './run.ts'

export interface Limit {
	most: number
	/** Run whose limit it is, where that is one above. */
	above: string | undefined
}

type Limited = Pick<Run, 'begin' | 'bundle'>

export const tokenLimit = ({ begin, bundle }: Limited): Limit =>
	lower(bundle.agent.limits.tokens, begin.allowance?.tokens) as Limit

/** Undefined: there is none. */
export const usdLimit = ({ begin, bundle }: Limited): Limit | undefined =>
	lower(bundle.agent.limits.usd, begin.allowance?.usd)

function lower(own: number | undefined, given: Share | undefined): Limit | undefined {
	if (given && (own === undefined || given.left < own)) return { most: given.left, above: given.run }
	return own === undefined ? undefined : { most: own, above: undefined }
}

/** Neither used nor held. `usd` is infinite without a limit. */
export function leftOf(run: Run): { tokens: number; usd: number } {
	const { tokens, usd } = spentOf(run.usage)
	const dollars = usdLimit(run)?.most ?? Number.POSITIVE_INFINITY
	return {
		tokens: tokenLimit(run).most - tokens - run.held.tokens,
		usd: dollars === Number.POSITIVE_INFINITY ? dollars : dollars - (usd ?? dollars) - run.held.usd,
	}
}

/** Rounding makes differences of less. */
const USD_LEAST = 1e-9

/** What the agents that it called report has put it over a limit. */
export function overByAgents(run: Run): RunFailure | undefined {
	if (!run.usage.agents) return undefined
	const { tokens, usd } = spentOf(run.usage)
	if (tokens > tokenLimit(run).most) return limitReached(run, 'tokens')
	const dollars = usdLimit(run)?.most ?? Number.POSITIVE_INFINITY
	return (usd ?? 0) > dollars + USD_LEAST ? limitReached(run, 'usd') : undefined
}

/** `searches`: of the provider, that the call might make. */
export function limitReached(run: Run, limit: 'tokens' | 'usd', searches = 0): RunFailure {
	const spent = spentOf(run.usage)
	const { agents } = run.usage
	const { most, above } = (limit === 'tokens' ? tokenLimit(run) : usdLimit(run)) as Limit
	const whose = above ? 'the' : 'its'
	const named = above
		? `that were left to it by limits.${limit} or a budget of the run above, ${above}`
		: `(limits.${limit})`
	const isOver = (spent[limit] ?? 0) > most
	const held = searches > 0 ? `, for which ${searches} searches are held (max_uses of web_search)` : ''
	const rest = isOver ? 'that is over the limit.' : `the rest does not cover another call${held}.`
	if (limit === 'usd') {
		const below = agents?.usd ? `, ${agents.usd} of them by agents that it called` : ''
		const text = `The run has cost ${spent.usd} of ${whose} ${most} US dollars ${named}${below}; ${rest}`
		return new RunFailure('cost_limit_reached', text)
	}
	const below = agents?.tokens ? `, ${agents.tokens} of them by agents that it called` : ''
	const text = `The run has used ${spent.tokens} of ${whose} ${most} tokens ${named}${below}; ${rest}`
	return new RunFailure('token_limit_reached', text)
}
