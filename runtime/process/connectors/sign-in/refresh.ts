/** One refresh at the authorization server (RFC 6749 §6, RFC 8707). Where it goes stands in the sealed sign-in itself. */

import { setTimeout as sleep } from 'node:timers/promises'
import { type Egress, EgressError, type ResponseHead } from '../../../egress/index.ts'
import { sharedNow } from '../../../lib/clock.ts'
import { askedWaitMs } from '../../../lib/retry.ts'

/** The members of a sealed sign-in, as `berth connect` made it. */
export interface StoredTokens {
	access_token: string
	refresh_token: string
	token_endpoint: string
	client_id: string
	client_secret?: string
	token_endpoint_auth_method?: string
	resource?: string
	issuer?: string
	/** Where the connector names its authorization servers (RFC 9728). */
	resource_metadata?: string
	[member: string]: unknown
}

/** The server will never take it again: only a person can sign in anew. `message` holds nothing of a token. */
export class RefreshRefused extends Error {}

/** All tries together: shorter than a lease, so that no two refreshes are under way at a time. */
export const REFRESH_MS = 8_000
const FIRST_WAIT_MS = 250
const MAX_WAIT_MS = 2_000
/** With a refresh after it, still shorter than a lease. */
const METADATA_MS = 3_000
const MAX_BYTES = 256 * 1024
const MAX_WORDS = 200

/** Answers that say nothing about the sign-in (RFC 6749 §4.1.2.1, RFC 8628). */
const passing = new Set(['temporarily_unavailable', 'server_error', 'slow_down'])

/** The server could not answer this time. `waitMs`: how long it asks to wait. */
class Passing extends Error {
	readonly waitMs: number | undefined
	constructor(message: string, waitMs?: number) {
		super(message)
		this.waitMs = waitMs
	}
}

/**
 * Rejects `RefreshRefused`, or with whatever kept the server from answering: then the sign-in may still be good. What
 * passes is tried again with the same refresh token, as the next run would.
 */
export async function refresh(
	egress: Egress,
	signIn: StoredTokens,
	withinMs = REFRESH_MS,
): Promise<StoredTokens> {
	const until = performance.now() + withinMs
	for (let wait = FIRST_WAIT_MS; ; wait = Math.min(2 * wait, MAX_WAIT_MS)) {
		const left = until - performance.now()
		try {
			return await oneTry(egress, signIn, Math.max(1, Math.ceil(left)))
		} catch (error) {
			const ms = passes(error) ? Math.max(wait, (error as Passing).waitMs ?? 0) : Number.POSITIVE_INFINITY
			if (performance.now() + ms >= until) throw error
			await sleep(ms)
		}
	}
}

const passes = (error: unknown) =>
	error instanceof Passing ||
	(error instanceof EgressError && (error.code === 'egress_unreachable' || error.code === 'egress_broken'))

/**
 * A new refresh token is taken from every answer that has an access token: the old one is over by then. `oauth4webapi` 3.8.8
 * refuses answers without `token_type` and those with an `id_token` of another issuer, and would lose the sign-in.
 */
async function oneTry(egress: Egress, signIn: StoredTokens, ms: number): Promise<StoredTokens> {
	const { status, headers, text } = await egress.text(signIn.token_endpoint, {
		...request(signIn),
		method: 'POST',
		signal: AbortSignal.timeout(ms),
		headersMs: ms,
		idleBodyMs: ms,
		maxBytes: MAX_BYTES,
	})
	const answer = parse(text)
	if (status !== 200) throw failure(status, headers, answer)
	const { access_token, refresh_token, expires_in, scope } = answer
	if (typeof access_token !== 'string') throw new Error('the authorization server answered without a token')
	const { expires_at: _, ...kept } = signIn
	return {
		...kept,
		access_token,
		refresh_token: typeof refresh_token === 'string' ? refresh_token : signIn.refresh_token,
		...(typeof expires_in === 'number' && { expires_at: sharedNow() + expires_in * 1000 }),
		...(typeof scope === 'string' && { scope }),
	}
}

function failure(status: number, headers: ResponseHead['headers'], answer: Record<string, unknown>): Error {
	const { error, error_description } = answer
	const message = `the authorization server answered ${status}`
	const named = typeof error === 'string' ? error : undefined
	if (status >= 500 || status === 429 || (named && passing.has(named)))
		return new Passing(message, askedWaitMs(headers, sharedNow()))
	if (status < 400 || !named) return new Error(message)
	const words = typeof error_description === 'string' ? ` (${error_description.slice(0, MAX_WORDS)})` : ''
	return new RefreshRefused(`${named.slice(0, MAX_WORDS)}${words}`)
}

/** The connector's authorization servers, where it says that the sign-in's is none of them any more. */
export async function movedTo(
	egress: Egress,
	{ issuer, resource_metadata: url }: StoredTokens,
): Promise<string[] | undefined> {
	if (typeof url !== 'string' || typeof issuer !== 'string') return undefined
	const asked = { method: 'GET', headers: { accept: 'application/json' } } as const
	const bounds = { headersMs: METADATA_MS, idleBodyMs: METADATA_MS, maxBytes: MAX_BYTES }
	const signal = AbortSignal.timeout(METADATA_MS)
	// Who does not say it is asked as before: the token endpoint is that issuer's own.
	const answer = await egress.text(url, { ...asked, ...bounds, signal }).catch(() => undefined)
	const named = answer?.status === 200 ? parse(answer.text).authorization_servers : undefined
	if (!Array.isArray(named) || named.length === 0) return undefined
	const servers = named.map(String)
	return servers.some((one) => bare(one) === bare(issuer)) ? undefined : servers
}

/** Many write their origin with a slash. */
const bare = (issuer: string) => issuer.replace(/\/$/, '')

function request(signIn: StoredTokens): { headers: Record<string, string>; body: string } {
	const { client_id, client_secret, token_endpoint_auth_method: method, refresh_token, resource } = signIn
	const form = new URLSearchParams({ grant_type: 'refresh_token', refresh_token })
	if (resource !== undefined) form.set('resource', resource)
	const headers: Record<string, string> = {
		accept: 'application/json',
		'content-type': 'application/x-www-form-urlencoded',
	}
	if (client_secret !== undefined && method !== 'client_secret_post') {
		const pair = `${encodeURIComponent(client_id)}:${encodeURIComponent(client_secret)}`
		headers.authorization = `Basic ${Buffer.from(pair).toString('base64')}`
	} else {
		form.set('client_id', client_id)
		if (client_secret !== undefined) form.set('client_secret', client_secret)
	}
	return { headers, body: form.toString() }
}

function parse(text: string): Record<string, unknown> {
	try {
		const value: unknown = JSON.parse(text)
		return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {}
	} catch {
		return {}
	}
}
