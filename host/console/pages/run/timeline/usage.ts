import type { Timeline, Tokens } from './types.ts'

interface Usage extends Tokens {
	model_calls: number
	tool_calls: number
	failed_tool_calls: number
	http_calls: number
	web_searches: number
}

/** What a run has used, as far as its events tell. */
export function usageSoFar({ effects }: Timeline): Usage {
	const sum: Usage = {
		input_tokens: 0,
		cached_input_tokens: 0,
		output_tokens: 0,
		usd: 0,
		model_calls: 0,
		tool_calls: 0,
		failed_tool_calls: 0,
		http_calls: 0,
		web_searches: 0,
	}
	for (const { kind, usage, tries, state, error } of effects) {
		if (kind === 'model') sum.model_calls += tries.length
		if (kind === 'tool') sum.tool_calls++
		// One that was refused was never sent.
		if (kind === 'http' && !error?.code.endsWith('_refused')) sum.http_calls += tries.length
		if (kind === 'tool' && state === 'failed') sum.failed_tool_calls++
		if (!usage) continue
		sum.input_tokens += usage.input_tokens
		sum.cached_input_tokens += usage.cached_input_tokens
		sum.output_tokens += usage.output_tokens
		sum.web_searches += usage.web_searches
		sum.usd = sum.usd === null || usage.usd === null ? null : sum.usd + usage.usd
	}
	return sum
}
