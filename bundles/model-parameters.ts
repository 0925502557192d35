import type { apiOf } from './provider-address.ts'

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

/** What an interface keeps for itself besides. */
const reservedIn: Record<ReturnType<typeof apiOf>, readonly string[]> = {
	responses: ['n'],
	chat: ['audio', 'function_call', 'modalities', 'n', 'response_format'],
	messages: ['cache_control', 'user_profile_id', 'workspace_id'],
}

/** Names of members that are refused; everything else goes into the body, so it can never be a header or an address. */
export function refusedParameters(
	api: ReturnType<typeof apiOf>,
	parameters: Record<string, unknown>,
): string[] {
	return Object.keys(parameters).filter(
		(name) =>
			reservedEverywhere.has(name) || reservedIn[api].includes(name) || !/^[a-z][a-z0-9_]*$/.test(name),
	)
}
