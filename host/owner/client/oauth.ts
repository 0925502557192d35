import { z } from 'zod'
import { base64url } from './base64url.ts'
import { createHttp } from './http.ts'
import { ApiError } from './problem.ts'

/**
 * Signing in as a native app (RFC 8252): registration (RFC 7591), authorization code with PKCE S256 (RFC 7636) for one
 * resource (RFC 8707), and the issuer's name in the answer (RFC 9207). Which server it is, the caller has found out.
 * `oauth4webapi` 3.8.8 is not used: it refuses registrations answered 200 and tokens without `token_type`, and adds
 * 100 KB to what every command loads, in place of the 20 lines for PKCE, state and issuer.
 */

/** Strangers' addresses: one of them is handed to a browser. */
const address = () => z.url({ protocol: /^https?$/ })

export const ServerMetadata = z.object({
	issuer: z.string(),
	authorization_endpoint: address(),
	token_endpoint: address(),
	device_authorization_endpoint: address().optional(),
	revocation_endpoint: address().optional(),
	registration_endpoint: address().optional(),
	scopes_supported: z.array(z.string()).optional(),
	token_endpoint_auth_methods_supported: z.array(z.string()).optional(),
	client_id_metadata_document_supported: z.boolean().optional(),
	code_challenge_methods_supported: z.array(z.string()).optional(),
	authorization_response_iss_parameter_supported: z.boolean().optional(),
})
const Registered = z.object({
	client_id: z.string(),
	client_secret: z.string().optional(),
	token_endpoint_auth_method: z.string().optional(),
})
export const Tokens = z.object({
	access_token: z.string(),
	expires_in: z.number().optional(),
	refresh_token: z.string().optional(),
	scope: z.string().optional(),
})

export type ServerMetadata = z.infer<typeof ServerMetadata>
export type OAuthClient = z.infer<typeof Registered>
export type TokenAnswer = z.infer<typeof Tokens>

export interface Authorization {
	metadata: ServerMetadata
	client: OAuthClient
	redirectUri: string
	resource: string
	/** Empty: none is asked for by name. */
	scopes: string[]
}

const http = createHttp({})
const tokenMs = 30_000

/** Registers a public client that comes back to this address. */
export async function register(
	metadata: ServerMetadata,
	redirectUri: string,
	name = 'Berth command line',
	moreGrants: string[] = [],
): Promise<OAuthClient> {
	if (!metadata.registration_endpoint)
		throw refused(
			`${metadata.issuer} does not register clients by itself: register one there, then berth connect --client-id ID`,
		)
	return http.json(Registered, {
		method: 'POST',
		url: metadata.registration_endpoint,
		body: {
			client_name: name,
			application_type: isLoopback(redirectUri) ? 'native' : 'web',
			redirect_uris: [redirectUri],
			grant_types: ['authorization_code', 'refresh_token', ...moreGrants],
			response_types: ['code'],
			token_endpoint_auth_method: 'none',
		},
	})
}

/** A client its owner has registered there; how it proves its secret is the server's to say (RFC 8414 §2). */
export function knownClient(metadata: ServerMetadata, id: string, secret: string | undefined): OAuthClient {
	if (secret === undefined) return { client_id: id, token_endpoint_auth_method: 'none' }
	const offered = metadata.token_endpoint_auth_methods_supported ?? ['client_secret_basic']
	const method = ['client_secret_basic', 'client_secret_post'].find((one) => offered.includes(one))
	if (!method)
		throw refused(`${metadata.issuer} takes no client secret, but ${offered.join(', ') || 'nothing'}`)
	return { client_id: id, client_secret: secret, token_endpoint_auth_method: method }
}

/** What the browser's answer is judged by. Plain data, which a page may put away until it is loaded again. */
export const PendingAuthorization = z.object({
	state: z.string(),
	verifier: z.string(),
	client: Registered,
	redirectUri: z.string(),
	resource: z.string(),
	issuer: z.string(),
	saysIssuer: z.boolean(),
	tokenEndpoint: address(),
})
export type PendingAuthorization = z.infer<typeof PendingAuthorization>

/** `url` is to be opened in a browser; `finishAuthorization` takes the query of the redirect. */
export async function authorize(
	asked: Authorization,
): Promise<{ url: string; pending: PendingAuthorization }> {
	const { metadata, client, redirectUri, resource, scopes } = asked
	const state = random()
	const verifier = random()
	const url = new URL(metadata.authorization_endpoint)
	for (const [name, value] of Object.entries({
		response_type: 'code',
		client_id: client.client_id,
		redirect_uri: redirectUri,
		state,
		resource,
		...(scopes.length > 0 && { scope: scopes.join(' ') }),
		code_challenge: await challengeOf(verifier),
		code_challenge_method: 'S256',
	}))
		url.searchParams.set(name, value)
	const pending = {
		...{ state, verifier, client, redirectUri, resource },
		issuer: metadata.issuer,
		saysIssuer: metadata.authorization_response_iss_parameter_supported === true,
		tokenEndpoint: metadata.token_endpoint,
	}
	return { url: url.href, pending }
}

export async function finishAuthorization(
	pending: PendingAuthorization,
	answer: URLSearchParams,
): Promise<TokenAnswer> {
	if (answer.get('state') !== pending.state || !isFrom(pending, answer.get('iss')))
		throw refused('the answer does not belong to this sign-in')
	const error = answer.get('error')
	if (error) throw refused(answer.get('error_description') ?? error)
	return exchange(pending.tokenEndpoint, pending.client, {
		grant_type: 'authorization_code',
		code: answer.get('code') ?? '',
		redirect_uri: pending.redirectUri,
		code_verifier: pending.verifier,
		resource: pending.resource,
	})
}

/** Left out, it is believed only of a server that never says it. */
function isFrom({ issuer, saysIssuer }: PendingAuthorization, said: string | null): boolean {
	return said === null ? !saysIssuer : said === issuer
}

const isLoopback = (url: string) => /^http:\/\/(127\.0\.0\.1|\[::1\]|localhost)[:/]/.test(url)

/** A form with what proves the client. */
export function formOf(
	{ client_id, client_secret, token_endpoint_auth_method: method }: OAuthClient,
	fields: Record<string, string>,
): { headers: Record<string, string>; body: URLSearchParams } {
	const body = new URLSearchParams(fields)
	const headers: Record<string, string> = { accept: 'application/json' }
	if (client_secret !== undefined && method !== 'client_secret_post' && method !== 'none') {
		headers.authorization = `Basic ${btoa(`${encodeURIComponent(client_id)}:${encodeURIComponent(client_secret)}`)}`
	} else {
		body.set('client_id', client_id)
		if (client_secret !== undefined) body.set('client_secret', client_secret)
	}
	return { headers, body }
}

export async function exchange(
	url: string,
	client: OAuthClient,
	fields: Record<string, string>,
): Promise<TokenAnswer> {
	const { headers, body } = formOf(client, fields)
	const signal = AbortSignal.timeout(tokenMs)
	const answer = await fetch(url, { method: 'POST', headers, body, redirect: 'error', signal })
	const text = await answer.text().catch(() => '')
	const parsed = Tokens.safeParse(jsonOf(text))
	if (!answer.ok || !parsed.success) throw refused(tokenFault(url, answer, text))
	return parsed.data
}

/** Of its answer only the code that OAuth has for it: the rest may hold anything. */
function tokenFault(url: string, { ok, status, headers }: Response, text: string): string {
	const said = jsonOf(text)
	const { error } = (typeof said === 'object' && said !== null ? said : {}) as { error?: unknown }
	const server = `the token endpoint at ${new URL(url).host} answered ${status}`
	if (typeof error === 'string' && /^[\w.-]{1,60}$/.test(error)) return `${server}: ${error}`
	if (said === undefined) {
		const [type = ''] = (headers.get('content-type') ?? '').split(';')
		return `${server} with ${/^[\w.+/-]{1,60}$/.test(type) ? type : 'something'} that is no JSON; ask who runs it`
	}
	return ok ? `${server} with JSON that has no access_token; ask who runs it` : server
}

function jsonOf(text: string): unknown {
	try {
		return JSON.parse(text)
	} catch {
		return undefined
	}
}

/** `cause`: what a browser says of a server that pages may not read, too (CORS). */
export const refused = (why: string, cause?: unknown) =>
	new ApiError(0, 'sign_in_failed', `Signing in did not work: ${why}`, {}, cause)

function random(): string {
	return base64url(crypto.getRandomValues(new Uint8Array(32)))
}

async function challengeOf(verifier: string): Promise<string> {
	return base64url(new Uint8Array(await crypto.subtle.digest('SHA-256', new TextEncoder().encode(verifier))))
}
