import { guardScopes } from '../oauth/scopes.ts'

/** `WWW-Authenticate` of a call without a valid token (spec guard-oauth.challenge): scheme and parameters are fixed. */
export function challenge(
	baseUrl: string,
	error?: { code: string; description: string; scope?: string },
): string {
	const parameters = {
		realm: 'OAuth',
		resource_metadata: `${baseUrl}/.well-known/oauth-protected-resource/mcp`,
		scope: error?.scope ?? guardScopes.join(' '),
		...(error && { error: error.code, error_description: error.description }),
	}
	return `Bearer ${Object.entries(parameters)
		.map(([name, value]) => `${name}="${value}"`)
		.join(', ')}`
}
