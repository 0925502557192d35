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
		usd: 0,
	}
}

export type ModelUsage = Pick<Usage, 'input_tokens' | 'cached_input_tokens' | 'output_tokens' | 'usd'>

export function addModelUsage(usage: Usage, call: ModelUsage): void {
	usage.input_tokens += call.input_tokens
	usage.cached_input_tokens += call.cached_input_tokens
	usage.output_tokens += call.output_tokens
	usage.usd = usage.usd === null || call.usd === null ? null : Math.round((usage.usd + call.usd) * 1e9) / 1e9
}

/** Each such entry is one call whose result is a failure: the tool's, a connector's, or an exception of the program. */
export const isFailedTool = ({ type, data }: Pick<Entry, 'type' | 'data'>) =>
	type === 'tool.completed' && data.ok === false

/** What earlier attempts used, from the entries they committed. */
export function usageOf(journal: readonly Entry[]): Usage {
	const usage = noUsage()
	for (const entry of journal) {
		const { type, data } = entry
		if (isFailedTool(entry)) usage.failed_tool_calls++
		if (type === 'model.started') usage.model_calls++
		else if (type === 'http.started') usage.http_calls++
		// A screened result is a second call, of the guard.
		else if (type === 'tool.started' || (type === 'tool.completed' && data.screen)) usage.tool_calls++
		else if ((type === 'model.completed' || type === 'model.retrying') && data.usage)
			addModelUsage(usage, data.usage as ModelUsage)
	}
	return usage
}
