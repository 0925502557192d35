import { authorizeDevice, type DeviceSignIn, deviceGrant } from './device.ts'
import { createHttp } from './http.ts'
import {
	authorize,
	exchange,
	finishAuthorization,
	refused,
	register,
	ServerMetadata,
	type TokenAnswer,
} from './oauth.ts'

/** Signing in to a host, at its own authorization server, for its owner API. */

/** What a later refresh needs, beside the token itself. */
export interface Grant {
	token: string
	/** Milliseconds since the epoch; null where the server did not say. */
	expiresAt: number | null
	refreshToken: string | null
	clientId: string
}

export interface BegunSignIn {
	/** To open in a browser. */
	url: string
	/** Takes the query of the redirect. */
	finish(answer: URLSearchParams): Promise<Grant>
}

const http = createHttp({})
const endMs = 10_000

/** Registers this client, by the name a person will read, and begins; the browser's answer comes to `redirectUri`. */
export async function beginSignIn(baseUrl: string, redirectUri: string, name: string): Promise<BegunSignIn> {
	const metadata = await discover(baseUrl)
	const client = await register(metadata, redirectUri, name)
	const resource = `${baseUrl}/v1`
	const { url, pending } = await authorize({ metadata, client, redirectUri, resource, scopes: [] })
	return {
		url,
		finish: async (answer) => grantOf(client.client_id, await finishAuthorization(pending, answer), null),
	}
}

export interface BegunByCode extends Omit<DeviceSignIn, 'decided'> {
	decided(): Promise<Grant>
}

/** Registers this client and begins a sign-in by code, for where no browser can be opened. Null: the host knows none. */
export async function beginSignInByCode(baseUrl: string, name: string): Promise<BegunByCode | null> {
	const metadata = await discover(baseUrl)
	if (!metadata.device_authorization_endpoint) return null
	// No redirect comes of it, and registrations have one.
	const client = await register(metadata, 'http://127.0.0.1/callback', name, [deviceGrant])
	const begun = await authorizeDevice(metadata, client, `${baseUrl}/v1`)
	return begun && { ...begun, decided: async () => grantOf(client.client_id, await begun.decided(), null) }
}

export async function refreshGrant(baseUrl: string, { clientId, refreshToken }: Grant): Promise<Grant> {
	if (!refreshToken) throw refused('the sign-in has ended')
	const { token_endpoint } = await discover(baseUrl)
	const fields = { grant_type: 'refresh_token', refresh_token: refreshToken }
	return grantOf(clientId, await exchange(token_endpoint, { client_id: clientId }, fields), refreshToken)
}

/** Revokes it at the host (RFC 7009); false where that did not work. */
export async function endSignIn(baseUrl: string, { clientId, refreshToken, token }: Grant): Promise<boolean> {
	const { revocation_endpoint } = await discover(baseUrl)
	if (!revocation_endpoint) return false
	const body = new URLSearchParams({ token: refreshToken ?? token, client_id: clientId })
	const signal = AbortSignal.timeout(endMs)
	const answer = await fetch(revocation_endpoint, { method: 'POST', body, redirect: 'error', signal })
	return answer.ok
}

async function discover(baseUrl: string): Promise<ServerMetadata> {
	const url = `${baseUrl}/.well-known/oauth-authorization-server`
	const metadata = await http.json(ServerMetadata, { method: 'GET', url })
	if (metadata.issuer !== baseUrl) throw refused(`${baseUrl} says it is ${metadata.issuer}; sign in there`)
	return metadata
}

function grantOf(clientId: string, answer: TokenAnswer, before: string | null): Grant {
	const { access_token, expires_in, refresh_token } = answer
	return {
		token: access_token,
		expiresAt: expires_in === undefined ? null : Date.now() + expires_in * 1000,
		refreshToken: refresh_token ?? before,
		clientId,
	}
}
