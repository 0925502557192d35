import { accountScope, guardScopes } from './scopes.ts'

// What real clients ask of /authorize, brought to what it means here, before it is checked.

const known = [
	'client_id',
	'redirect_uri',
	'response_type',
	'response_mode',
	'state',
	'code_challenge',
	'code_challenge_method',
	'login_hint',
	'ui_locales',
	// Refused by name, not ignored: leaving them out would change what is asked.
	'request',
	'request_uri',
]
const prompts = new Set(['none', 'login', 'consent', 'select_account'])

/** Unknown parameters fall away; no resource means `/mcp`; no scope, or none of ours, means all of the resource's. */
export function authorizationQuery(given: URLSearchParams, baseUrl: string): URLSearchParams {
	const query = new URLSearchParams()
	for (const name of known) for (const value of given.getAll(name)) query.append(name, value)

	const resources = given.getAll('resource').filter(Boolean)
	if (resources.length === 0) resources.push(`${baseUrl}/mcp`)
	for (const uri of new Set(resources)) query.append('resource', uri)

	const asked = (given.get('scope') ?? '').split(' ')
	const scopes: string[] = guardScopes.filter((scope) => asked.includes(scope))
	if (resources.includes(`${baseUrl}/v1`)) query.set('scope', accountScope)
	else query.set('scope', (scopes.length > 0 ? scopes : guardScopes).join(' '))

	const prompt = (given.get('prompt') ?? '').split(' ').filter((value) => prompts.has(value))
	if (prompt.length > 0) query.set('prompt', prompt.join(' '))
	return query
}
