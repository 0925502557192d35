import { ProviderError } from './types.ts'
import type { Wire } from './wire.ts'

/**
 * What an owner's `parameters` may never set, with any interface: the conversation and the model, which Berth sends;
 * the form of the answer, which it reads; tools that run at the provider, past tool list, approval and limits; and
 * what the provider would keep.
 */
const reservedEverywhere = new Set([
	'background',
	'container',
	'context_management',
	'conversation',
	'functions',
	'include',
	'input',
	'instructions',
	'mcp_servers',
	'messages',
	'model',
	'previous_response_id',
	'prompt',
	'prompt_cache_key',
	'store',
	'stream',
	'stream_options',
	'system',
	'tools',
	'web_search_options',
])

/** Names of members that are refused; everything else goes into the body, so it can never be a header or an address. */
export function refusedParameters(wire: Wire, parameters: Record<string, unknown>): string[] {
	return Object.keys(parameters).filter(
		(name) => reservedEverywhere.has(name) || wire.reserved.has(name) || !/^[a-z][a-z0-9_]*$/.test(name),
	)
}

export function checkParameters(wire: Wire, parameters: Record<string, unknown>): void {
	const refused = refusedParameters(wire, parameters)
	if (refused.length > 0) {
		throw new ProviderError('agent_error', `model.parameters may not set ${refused.join(', ')}`)
	}
}
