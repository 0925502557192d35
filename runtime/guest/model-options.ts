import type { ModelCallOptions, ModelOptions } from '../../bundles/types/index.d.ts'

const NAMES = [
	...['temperature', 'top_p', 'seed', 'stop', 'max_tokens', 'effort', 'thinking_tokens'],
	...['parallel_tool_calls', 'tool_choice', 'strict', 'citations', 'web_search'],
] as (keyof ModelOptions)[]

/** Options of the provider among those of a call, for the effect; nothing where none is set, as before there were any. */
export function callOptions(given: ModelOptions): { options?: ModelCallOptions } {
	const set = NAMES.filter((name) => given[name] !== undefined)
	return set.length === 0 ? {} : { options: Object.fromEntries(set.map((name) => [name, given[name]])) }
}

/** A tool that is forced in every call of a loop would be called for ever. */
export function unforce({ options }: { options?: ModelCallOptions }): void {
	const choice = options?.tool_choice
	if (choice === 'required' || typeof choice === 'object') delete options?.tool_choice
}
