import type { ModelCallOptions, ModelOptions } from '../../bundles/types/index.d.ts'
import { EffectFailure } from './bridge.ts'
import { cut } from './inspect.ts'

const MAX_NAME_CHARS = 200

const NAMES = [
	...['temperature', 'top_p', 'seed', 'stop', 'max_tokens', 'effort', 'thinking_tokens'],
	...['parallel_tool_calls', 'tool_choice', 'strict', 'citations', 'web_search'],
] as (keyof ModelOptions)[]

const KNOWN = new Set<string>([...NAMES, 'system', 'tools', 'model', 'parameters', 'output', 'messages'])

/** Options of the provider among those of a call, for the effect; nothing where none is set, as before there were any. */
export function callOptions(given: ModelOptions): { options?: ModelCallOptions } {
	const strange = Object.keys(given).find((name) => !KNOWN.has(name))
	if (strange !== undefined)
		throw new EffectFailure({
			code: 'agent_error',
			message: `A model call has no option \`${cut(strange, MAX_NAME_CHARS)}\`; what only the provider knows stands in \`parameters\`.`,
		})
	const set = NAMES.filter((name) => given[name] !== undefined)
	return set.length === 0 ? {} : { options: Object.fromEntries(set.map((name) => [name, given[name]])) }
}

/** A tool that is forced in every call of a loop would be called for ever. */
export function unforce({ options }: { options?: ModelCallOptions }): void {
	const choice = options?.tool_choice
	if (choice === 'required' || typeof choice === 'object') delete options?.tool_choice
}
