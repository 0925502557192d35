// What real clients send is wider than what the server takes: registration (RFC 7591) and Client ID Metadata Documents
// are brought to what we keep of them before they are checked. Unknown fields are dropped, as both documents allow.

import { deviceGrant } from './device-grant.ts'

const webFields = ['client_uri', 'logo_uri', 'policy_uri', 'tos_uri']

export function clientMetadata(given: Record<string, unknown>): Record<string, unknown> {
	const kept: Record<string, unknown> = {
		redirect_uris: given.redirect_uris,
		response_types: ['code'],
		// Every client may refresh: most leave `grant_types` out, and MCP clients expect a refresh token all the same.
		grant_types: [
			'authorization_code',
			'refresh_token',
			...(named(given.grant_types, deviceGrant) ? [deviceGrant] : []),
		],
		application_type: isNative(given.redirect_uris) ? 'native' : 'web',
	}
	if (typeof given.client_name === 'string' && given.client_name.trim())
		kept.client_name = given.client_name.trim().slice(0, 200)
	for (const field of webFields) if (isHttpsUrl(given[field])) kept[field] = given[field]
	// One we do not know is passed on, to be refused by name; none at all means `client_secret_basic` (RFC 7591 §2).
	const method = given.token_endpoint_auth_method
	if (typeof method === 'string' && method) kept.token_endpoint_auth_method = method
	return kept
}

const named = (list: unknown, name: string) => Array.isArray(list) && list.includes(name)

/** `native` lets a loopback redirect use any port (RFC 8252 §7.3) and allows private-use schemes; most clients do not say it. */
function isNative(redirects: unknown): boolean {
	return Array.isArray(redirects) && redirects.some((uri) => !isHttpsUrl(uri))
}

function isHttpsUrl(value: unknown): boolean {
	return typeof value === 'string' && URL.parse(value)?.protocol === 'https:'
}
