import type { ClientAuth } from 'openid-client'

/**
 * How this host proves its secret to the provider: `client_secret_basic`, the default of registrations (OpenID Connect
 * Core 1.0 section 9), else `client_secret_post`. The package's own Basic also encodes `-` and `.`, which servers that do
 * not decode refuse.
 */
export function clientSecret(secret: string): ClientAuth {
	return (server, client, body, headers) => {
		const methods = server.token_endpoint_auth_methods_supported ?? ['client_secret_basic']
		if (methods.includes('client_secret_basic')) {
			const pair = `${encodeURIComponent(client.client_id)}:${encodeURIComponent(secret)}`
			headers.set('authorization', `Basic ${Buffer.from(pair).toString('base64')}`)
			return
		}
		body.set('client_id', client.client_id)
		body.set('client_secret', secret)
	}
}
