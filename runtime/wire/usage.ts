import { type Allowance, type ShareSpent, type Spent, unreported } from './agent-calls.ts'
import type { Entry, Usage } from './journal.ts'

export function noUsage(): Usage {
	return {
		input_tokens: 0,
		cached_input_tokens: 0,
		output_tokens: 0,
		model_calls: 0,
		tool_calls: 0,
		failed_tool_calls: 0,
		http_calls: 0,
		web_searches: 0,
		usd: 0,
	}
}

export type ModelUsage = Pick<Usage, 'input_tokens' | 'cached_input_tokens' | 'output_tokens' | 'usd'> &
	Partial<Pick<Usage, 'web_searches'>>

export function addModelUsage(usage: Usage, call: ModelUsage): void {
	usage.input_tokens += call.input_tokens
	usage.cached_input_tokens += call.cached_input_tokens
	usage.output_tokens += call.output_tokens
	usage.web_searches += call.web_searches ?? 0
	usage.usd = sum(usage.usd, call.usd)
}

export function addSpent(usage: Usage, { unreported, ...spent }: ShareSpent): void {
	const { unreported: before, ...reported }: Agents = usage.agents ?? nothing
	usage.agents = unreported
		? { ...reported, unreported: add(before ?? nothing, spent) }
		: { ...add(reported, spent), ...(before && { unreported: before }) }
}

/** By the run itself and by the agents that it called, at most. */
export function spentOf({ input_tokens, output_tokens, usd, agents }: Usage): Spent {
	const { unreported = nothing, ...reported }: Agents = agents ?? nothing
	return add(add({ tokens: input_tokens + output_tokens, usd }, reported), unreported)
}

type Agents = NonNullable<Usage['agents']>
const nothing: Spent = { tokens: 0, usd: 0 }

const add = (one: Spent, other: Spent): Spent => ({
	tokens: one.tokens + other.tokens,
	usd: sum(one.usd, other.usd),
})

const sum = (one: number | null, other: number | null) =>
	one === null || other === null ? null : Math.round((one + other) * 1e9) / 1e9

/** Each such entry is one call whose result is a failure: the tool's, a connector's, or an exception of the program. */
export const isFailedTool = ({ type, data }: Pick<Entry, 'type' | 'data'>) =>
	type === 'tool.completed' && data.ok === false

/** Nothing began: a model wrote a call whose arguments cannot be read. */
const isUnreadable = ({ type, data }: Entry) => type === 'tool.completed' && data.call === undefined

/** What earlier attempts used, from the entries they committed. */
export function usageOf(journal: readonly Entry[]): Usage {
	const usage = noUsage()
	for (const entry of journal) {
		const { type, data } = entry
		if (isFailedTool(entry)) usage.failed_tool_calls++
		if (type === 'model.started') usage.model_calls++
		else if (type === 'http.started') usage.http_calls++
		// A screened result is a second call, of the guard.
		else if (type === 'tool.started' || (type === 'tool.completed' && data.screen) || isUnreadable(entry))
			usage.tool_calls++
		else if ((type === 'model.completed' || type === 'model.retrying') && data.usage)
			addModelUsage(usage, data.usage as ModelUsage)
		if (type === 'tool.completed' && data.spent) addSpent(usage, data.spent as ShareSpent)
	}
	return usage
}

/** Calls of agents that a journal does not tell the end of, and what each may have used. */
export function openShares(journal: readonly Entry[]): Map<number, Allowance> {
	const open = new Map<number, Allowance>()
	for (const { type, effect = 0, data } of journal) {
		if (type === 'tool.started' && data.allowance) open.set(effect, data.allowance as Allowance)
		else if (type === 'tool.completed') open.delete(effect)
	}
	return open
}

/** The same of a run that ends now: what nobody has reported counts as spent. */
export function usageAtEnd(journal: readonly Entry[]): Usage {
	const usage = usageOf(journal)
	for (const share of openShares(journal).values()) addSpent(usage, unreported(share))
	return usage
}
