import { z } from 'zod'
import { createHttp } from './http.ts'
import { ApiError } from './problem.ts'

/** Signing in to a host as a public client of its authorization server: RFC 8252 with PKCE (RFC 7636), RFC 8707, RFC 9207. */

const Metadata = z.object({
	issuer: z.string(),
	authorization_endpoint: z.url(),
	token_endpoint: z.url(),
	registration_endpoint: z.url(),
})
const Registered = z.object({ client_id: z.string() })
const Tokens = z.object({
	access_token: z.string(),
	expires_in: z.number().optional(),
	refresh_token: z.string().optional(),
})

/** What a later refresh needs, beside the token itself. */
export interface Grant {
	token: string
	/** Milliseconds since the epoch; null where the server did not say. */
	expiresAt: number | null
	refreshToken: string | null
	clientId: string
}

export interface SignIn {
	/** To open in a browser. */
	url: string
	/** Takes the query of the redirect. */
	finish(answer: URLSearchParams): Promise<Grant>
}

const http = createHttp({})
const resourceOf = (baseUrl: string) => `${baseUrl}/v1`

/** Registers this client and begins; the browser's answer comes to `redirectUri`. */
export async function beginSignIn(baseUrl: string, redirectUri: string): Promise<SignIn> {
	const metadata = await discover(baseUrl)
	const { client_id: clientId } = await http.json(Registered, {
		method: 'POST',
		url: metadata.registration_endpoint,
		body: {
			client_name: 'Berth command line',
			application_type: 'native',
			redirect_uris: [redirectUri],
			grant_types: ['authorization_code', 'refresh_token'],
			response_types: ['code'],
			token_endpoint_auth_method: 'none',
		},
	})
	const state = random()
	const verifier = random()
	const url = new URL(metadata.authorization_endpoint)
	url.search = new URLSearchParams({
		response_type: 'code',
		client_id: clientId,
		redirect_uri: redirectUri,
		state,
		resource: resourceOf(baseUrl),
		code_challenge: await challengeOf(verifier),
		code_challenge_method: 'S256',
	}).toString()
	return {
		url: url.href,
		async finish(answer) {
			const error = answer.get('error')
			if (error) throw refused(answer.get('error_description') ?? error)
			const issuer = answer.get('iss')
			if (answer.get('state') !== state || (issuer !== null && issuer !== metadata.issuer)) {
				throw refused('the answer does not belong to this sign-in')
			}
			return exchange(metadata.token_endpoint, clientId, {
				grant_type: 'authorization_code',
				code: answer.get('code') ?? '',
				redirect_uri: redirectUri,
				code_verifier: verifier,
				resource: resourceOf(baseUrl),
			})
		},
	}
}

export async function refreshGrant(baseUrl: string, { clientId, refreshToken }: Grant): Promise<Grant> {
	if (!refreshToken) throw refused('the sign-in has ended')
	const { token_endpoint } = await discover(baseUrl)
	return exchange(token_endpoint, clientId, { grant_type: 'refresh_token', refresh_token: refreshToken })
}

async function discover(baseUrl: string): Promise<z.infer<typeof Metadata>> {
	const url = `${baseUrl}/.well-known/oauth-authorization-server`
	const metadata = await http.json(Metadata, { method: 'GET', url })
	if (metadata.issuer !== baseUrl) throw refused(`${baseUrl} says it is ${metadata.issuer}; sign in there`)
	return metadata
}

async function exchange(url: string, clientId: string, fields: Record<string, string>): Promise<Grant> {
	const body = new URLSearchParams({ client_id: clientId, ...fields })
	const answer = await fetch(url, {
		method: 'POST',
		body,
		redirect: 'error',
		signal: AbortSignal.timeout(30_000),
	})
	const parsed = Tokens.safeParse(await answer.json().catch(() => null))
	if (!answer.ok || !parsed.success) throw refused(`the authorization server answered ${answer.status}`)
	const { access_token, expires_in, refresh_token } = parsed.data
	return {
		token: access_token,
		expiresAt: expires_in === undefined ? null : Date.now() + expires_in * 1000,
		refreshToken: refresh_token ?? (fields.refresh_token || null),
		clientId,
	}
}

const refused = (why: string) => new ApiError(0, 'sign_in_failed', `Signing in did not work: ${why}`)

function random(): string {
	return base64url(crypto.getRandomValues(new Uint8Array(32)))
}

async function challengeOf(verifier: string): Promise<string> {
	return base64url(new Uint8Array(await crypto.subtle.digest('SHA-256', new TextEncoder().encode(verifier))))
}

function base64url(bytes: Uint8Array): string {
	return btoa(String.fromCharCode(...bytes))
		.replaceAll('+', '-')
		.replaceAll('/', '_')
		.replace(/=+$/, '')
}
