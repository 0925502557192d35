/**
 * The three scopes (spec guard-oauth.scopes); metadata lists exactly these. The other tools need a valid token and no
 * scope.
 */
export const guardScopes = ['guard:verify', 'guard:screen', 'guard:find'] as const

/** What a token for `{base_url}/v1` holds: the owner's own account. Never listed, never asked for by name. */
export const accountScope = 'account'

/** For the person who is asked. An agent is named beside it. */
export const scopeMeaning: Record<string, string> = {
	'guard:verify': 'Check claims against evidence',
	'guard:screen': 'Screen texts before an agent reads them',
	'guard:find': 'Rank texts by meaning',
	run: 'Run this agent as you, and read and cancel the runs that it begins',
	[accountScope]: 'Manage your deployments, runs and account as you',
}
