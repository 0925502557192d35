import { hash, randomBytes } from 'node:crypto'
import {
	Client as ClientV2,
	StreamableHTTPClientTransport as TransportV2,
} from '@modelcontextprotocol/client'
import { Client as ClientV1 } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport as TransportV1 } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { type Browser, openBrowser, type Page } from './browser.ts'

export interface Person {
	email: string
	password: string
}

/** Walks the real pages from an authorization address to the answer sent to the client. */
export async function authorize(
	address: string | URL,
	person: Person,
	browser = openBrowser(),
): Promise<URL> {
	return (await signIn(address, person, browser).then((page) => page.submit({}, 'Allow'))).url
}

/** As far as the consent page. */
export async function signIn(
	address: string | URL,
	{ email, password }: Person,
	browser: Browser,
): Promise<Page> {
	const page = await browser.open(address)
	return page.html.includes('type="password"') ? page.submit({ email, password }) : page
}

export const redirect = 'http://127.0.0.1:49152/callback'

/** What both SDKs want of an application: somewhere to keep what they learn. */
export function memoryAuth(
	options: { redirectUrl?: string; clientMetadataUrl?: string; scope?: string } = {},
) {
	const kept: Record<string, unknown> = {}
	const keep = (name: string) => (value: unknown) => {
		kept[name] = value
	}
	const { redirectUrl = redirect, clientMetadataUrl, scope } = options
	return {
		asked: undefined as URL | undefined,
		...(clientMetadataUrl && { clientMetadataUrl }),
		redirectUrl,
		clientMetadata: {
			client_name: 'Test client',
			redirect_uris: [redirectUrl],
			token_endpoint_auth_method: 'none',
			...(scope && { scope }),
		},
		state: () => 'the-state',
		clientInformation: () => kept.client as never,
		saveClientInformation: keep('client'),
		tokens: () => kept.tokens as never,
		saveTokens: keep('tokens'),
		codeVerifier: () => kept.verifier as string,
		saveCodeVerifier: keep('verifier') as (value: string) => void,
		discoveryState: () => kept.discovery as never,
		saveDiscoveryState: keep('discovery'),
		redirectToAuthorization(url: URL) {
			this.asked = url
		},
	}
}

export interface Connected {
	listTools(): Promise<{ tools: { name: string; [key: string]: unknown }[] }>
	callTool(call: { name: string; arguments: Record<string, unknown> }): Promise<{
		isError?: boolean
		content: { type: string; text?: string }[]
		structuredContent?: Record<string, unknown>
	}>
	close(): Promise<void>
}

type Auth = ReturnType<typeof memoryAuth>

/** From the bare address of the connector, by discovery, registration and the person's browser, to a connected client. */
export const connect = {
	v1: (baseUrl: string, person: Person, auth: Auth = memoryAuth(), path = '/mcp') =>
		signedIn(`${baseUrl}${path}`, person, auth, async (url) => {
			const client = new ClientV1({ name: 'v1', version: '1' })
			const transport = new TransportV1(url, { authProvider: auth as never })
			return {
				client: client as unknown as Connected,
				transport,
				connect: () => client.connect(transport as never),
			}
		}),
	v2: (
		baseUrl: string,
		person: Person,
		auth: Auth = memoryAuth(),
		path = '/mcp',
		mode: 'auto' | 'legacy' = 'auto',
	) =>
		signedIn(`${baseUrl}${path}`, person, auth, async (url) => {
			const negotiation = mode === 'auto' ? { versionNegotiation: { mode: 'auto' as const } } : {}
			const client = new ClientV2({ name: 'v2', version: '1' }, negotiation)
			const transport = new TransportV2(url, { authProvider: auth as never })
			return { client: client as unknown as Connected, transport, connect: () => client.connect(transport) }
		}),
}

interface Attempt {
	client: Connected
	transport: { finishAuth(given: never): Promise<void> }
	connect(): Promise<void>
}

async function signedIn(
	address: string,
	person: Person,
	auth: Auth,
	attempt: (url: URL) => Promise<Attempt>,
): Promise<Connected> {
	const url = new URL(address)
	const first = await attempt(url)
	const refused = await first.connect().then(
		() => null,
		(error: Error) => error,
	)
	if (!auth.asked) throw refused ?? new Error('connected without a sign-in')
	const answer = await authorize(auth.asked, person)
	const code = answer.searchParams.get('code')
	if (!code) throw new Error(`no code in ${answer.href}`)
	await first.transport
		.finishAuth(answer.searchParams as never)
		.catch(() => first.transport.finishAuth(code as never))
	const second = await attempt(url)
	await second.connect()
	return second.client
}

// The same by hand, for what no well-behaved client does.

export interface Registered {
	client_id: string
	client_secret?: string
	[field: string]: unknown
}

export async function register(baseUrl: string, metadata: Record<string, unknown> = {}): Promise<Registered> {
	const response = await fetch(`${baseUrl}/register`, {
		method: 'POST',
		headers: { 'content-type': 'application/json' },
		body: JSON.stringify({ redirect_uris: [redirect], token_endpoint_auth_method: 'none', ...metadata }),
	})
	if (response.status !== 201) throw new Error(`registration: ${response.status} ${await response.text()}`)
	return (await response.json()) as Registered
}

export function pkce() {
	const verifier = randomBytes(32).toString('base64url')
	return { verifier, challenge: hash('sha256', verifier, 'base64url') }
}

export function authorizeUrl(
	baseUrl: string,
	clientId: string,
	challenge: string,
	more: Record<string, string> = {},
) {
	const parameters = {
		client_id: clientId,
		redirect_uri: redirect,
		response_type: 'code',
		state: 'the-state',
		code_challenge: challenge,
		code_challenge_method: 'S256',
		...more,
	}
	return new URL(`${baseUrl}/authorize?${new URLSearchParams(parameters)}`)
}

export async function token(
	baseUrl: string,
	body: Record<string, string>,
	headers: Record<string, string> = {},
) {
	const response = await fetch(`${baseUrl}/token`, {
		method: 'POST',
		headers,
		body: new URLSearchParams(body),
	})
	return { status: response.status, body: (await response.json()) as Record<string, string> }
}

export interface Tokens {
	access_token: string
	refresh_token: string
	scope: string
	clientId: string
}

/** A person's tokens for a new client. */
export async function tokensFor(
	baseUrl: string,
	person: Person,
	more: Record<string, string> = {},
): Promise<Tokens> {
	const { client_id } = await register(baseUrl)
	const { verifier, challenge } = pkce()
	const answer = await authorize(authorizeUrl(baseUrl, client_id, challenge, more), person)
	const code = answer.searchParams.get('code') ?? ''
	const { status, body } = await token(baseUrl, {
		grant_type: 'authorization_code',
		client_id,
		code,
		code_verifier: verifier,
		redirect_uri: redirect,
	})
	if (status !== 200) throw new Error(`token: ${status} ${JSON.stringify(body)}`)
	return { ...(body as unknown as Tokens), clientId: client_id }
}

/** One `tools/call` of the `initialize` era, as bytes on the wire. */
export async function call(baseUrl: string, accessToken: string, name: string, args: unknown) {
	const response = await post(baseUrl, accessToken, {
		jsonrpc: '2.0',
		id: 1,
		method: 'tools/call',
		params: { name, arguments: args },
	})
	const text = await response.text()
	if (response.status !== 200) throw new Error(`tools/call: ${response.status} ${text}`)
	const { result } = JSON.parse(text)
	return {
		isError: result.isError === true,
		texts: result.content.map((item: { text: string }) => item.text) as string[],
		structured: result.structuredContent as Record<string, never> | undefined,
	}
}

export function post(
	baseUrl: string,
	accessToken: string,
	body: unknown,
	headers: Record<string, string> = {},
) {
	return fetch(`${baseUrl}/mcp`, {
		method: 'POST',
		headers: {
			authorization: `Bearer ${accessToken}`,
			'content-type': 'application/json',
			accept: 'application/json, text/event-stream',
			...headers,
		},
		body: typeof body === 'string' || body instanceof Uint8Array ? (body as BodyInit) : JSON.stringify(body),
	})
}
