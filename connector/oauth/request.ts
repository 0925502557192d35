import { agentScope } from './agents.ts'
import { accountScope, guardScopes } from './scopes.ts'

/** Whose resources there are. */
export interface Resources {
	baseUrl: string
	agents?: { isAddress(resource: string): boolean } | undefined
}

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
export function authorizationQuery(given: URLSearchParams, ours: Resources): URLSearchParams {
	const query = new URLSearchParams()
	for (const name of known) for (const value of given.getAll(name)) query.append(name, value)

	const { baseUrl, agents } = ours
	const resources = resourcesOf(given, ours)
	if (resources.length === 0) resources.push(`${baseUrl}/mcp`)
	for (const uri of resources) query.append('resource', uri)

	const asked = (given.get('scope') ?? '').split(' ')
	const scopes: string[] = guardScopes.filter((scope) => asked.includes(scope))
	if (resources.includes(`${baseUrl}/v1`)) query.set('scope', accountScope)
	else if (resources.some((uri) => agents?.isAddress(uri))) query.set('scope', agentScope)
	else query.set('scope', (scopes.length > 0 ? scopes : guardScopes).join(' '))

	const prompt = (given.get('prompt') ?? '').split(' ').filter((value) => prompts.has(value))
	if (prompt.length > 0) query.set('prompt', prompt.join(' '))
	return query
}

/** Of a device authorization request, likewise. The client proves itself as at `/token`. */
export function deviceForm(given: URLSearchParams, ours: Resources): Buffer {
	const form = authorizationQuery(given, ours)
	for (const name of [...form.keys()]) if (!deviceParameters.has(name)) form.delete(name)
	const secret = given.get('client_secret')
	if (secret !== null) form.set('client_secret', secret)
	return Buffer.from(form.toString())
}

const deviceParameters = new Set(['client_id', 'scope', 'resource'])

/** Null: the form is good as it is. */
export function tokenForm(given: URLSearchParams, ours: Resources): Buffer | null {
	const resources = resourcesOf(given, ours)
	if (resources.join() === given.getAll('resource').join()) return null
	given.delete('resource')
	for (const uri of resources) given.append('resource', uri)
	return Buffer.from(given.toString())
}

/** Clients write an address with a slash at its end or without: it is the same resource. */
function resourcesOf(given: URLSearchParams, { baseUrl, agents }: Resources): string[] {
	const ours = (uri: string) =>
		uri === `${baseUrl}/mcp` || uri === `${baseUrl}/v1` || agents?.isAddress(uri) === true
	const named = given.getAll('resource').filter(Boolean)
	return [
		...new Set(named.map((uri) => (uri.endsWith('/') && ours(uri.slice(0, -1)) ? uri.slice(0, -1) : uri))),
	]
}
