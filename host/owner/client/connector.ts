import { z } from 'zod'
import { canonicalUrl } from '../../../bundles/connector-url.ts'
import {
	authorize,
	finishAuthorization,
	knownClient,
	type OAuthClient,
	PendingAuthorization,
	refused,
	register,
	ServerMetadata,
} from './oauth.ts'

/**
 * Signing in to a connector as MCP says it: protected-resource metadata (RFC 9728), the authorization server it names
 * (RFC 8414, or OpenID Connect discovery), registration, and a code for exactly this resource. The connector is a
 * stranger: what it says is checked before a browser is sent anywhere.
 */

const ResourceMetadata = z.object({
	resource: z.string(),
	authorization_servers: z.array(z.url()).optional(),
	scopes_supported: z.array(z.string()).optional(),
})

/** What a begun sign-in is finished with. Plain data: a page that sends its own window away finds it when it comes back. */
export const PendingConnect = z.object({
	authorization: PendingAuthorization,
	/** Asked for, where the answer does not say what was given. */
	scope: z.string(),
	stated: z.string().optional(),
})
export type PendingConnect = z.infer<typeof PendingConnect>

export interface ConnectorSignIn {
	/** To open in a browser. */
	url: string
	pending: PendingConnect
	finish(answer: URLSearchParams): Promise<Record<string, unknown>>
}

const DISCOVERY_MS = 15_000

export interface ConnectOptions {
	/** Of the `requires` entry; empty asks for what the resource lists. */
	scopes: string[]
	/** Asked for besides: what the sign-in had, and what it lacked. */
	more?: string[]
	/** Registered there by its owner; without it, one is registered now. */
	client?: { id: string; secret: string | undefined }
	/** What the server's owner reads in a list of clients. */
	clientName?: string
	/** The Berth host, whose client metadata document is used where it has one and the server reads such. */
	host?: string
}

export async function beginConnect(
	connector: string,
	redirectUri: string,
	{ scopes, more = [], client: known, clientName, host }: ConnectOptions,
): Promise<ConnectorSignIn> {
	const { resource, issuer, listed, stated } = await findResource(canonicalUrl(connector))
	const metadata = await findServer(issuer)
	if (!metadata.code_challenge_methods_supported?.includes('S256'))
		throw refused(`${issuer} does not offer PKCE with S256`)
	const client = known
		? knownClient(metadata, known.id, known.secret)
		: ((await documented(metadata, host)) ?? (await register(metadata, redirectUri, clientName)))
	const wanted = scopes.length > 0 ? scopes : listed
	// Where it stands in the list, a server gives refresh tokens to who asks for it only.
	const offline = metadata.scopes_supported?.includes('offline_access') ? ['offline_access'] : []
	// One entry may name several.
	const asked = [...new Set([...wanted, ...more, ...offline].flatMap((scope) => scope.split(' ')))].filter(
		Boolean,
	)
	const { url, pending: authorization } = await authorize({
		...{ metadata, client, redirectUri, resource },
		scopes: asked,
	})
	const pending = { authorization, scope: asked.join(' '), ...(stated !== undefined && { stated }) }
	return { url, pending, finish: (answer) => finishConnect(pending, answer) }
}

/**
 * Takes the query of the redirect; answers with what is to be sealed for the connector's canonical URL. `pending`: as
 * `beginConnect` gave it, wherever it lay meanwhile.
 */
export async function finishConnect(
	pending: unknown,
	answer: URLSearchParams,
): Promise<Record<string, unknown>> {
	const { authorization, scope: asked, stated } = PendingConnect.parse(pending)
	const { access_token, refresh_token, expires_in, scope } = await finishAuthorization(authorization, answer)
	return {
		type: 'oauth',
		access_token,
		...(refresh_token !== undefined && { refresh_token }),
		...(expires_in !== undefined && { expires_at: Date.now() + expires_in * 1000 }),
		issuer: authorization.issuer,
		token_endpoint: authorization.tokenEndpoint,
		...authorization.client,
		resource: authorization.resource,
		// Asked again before every refresh: whether this is still the issuer.
		...(stated !== undefined && { resource_metadata: stated }),
		// Some servers put commas between the names, in place of the spaces of RFC 6749 §3.3.
		scope: (scope?.includes(' ') ? scope : scope?.replaceAll(',', ' ')) ?? asked,
	}
}

const ClientDocument = z.object({ client_id: z.url({ protocol: /^https$/ }) })

/** A host without a public address has no such document. Its own server registers clients, and need not reach itself. */
async function documented(
	metadata: ServerMetadata,
	host: string | undefined,
): Promise<OAuthClient | undefined> {
	if (host === undefined || metadata.client_id_metadata_document_supported !== true) return undefined
	const { client_id } = (await firstOf(ClientDocument, [`${host}/oauth/client.json`]))?.document ?? {}
	if (client_id === undefined || new URL(client_id).origin === new URL(metadata.issuer).origin)
		return undefined
	return { client_id, token_endpoint_auth_method: 'none' }
}

async function findResource(
	connector: string,
): Promise<{ resource: string; issuer: string; listed: string[]; stated?: string }> {
	const { origin, pathname } = new URL(connector)
	const challenge = await challengeOf(connector)
	const wellKnown = `${origin}/.well-known/oauth-protected-resource`
	const places = challenge.metadata
		? [challenge.metadata]
		: [...(pathname === '/' ? [] : [wellKnown + pathname]), wellKnown]
	const found = await firstOf(ResourceMetadata, places)
	const metadata = found?.document
	// Servers older than RFC 9728 are their own authorization server.
	if (!metadata) return { resource: connector, issuer: origin, listed: challenge.scopes }
	if (!covers(metadata.resource, connector))
		throw refused(`${connector} says it is ${metadata.resource}, which is another place`)
	const listed = challenge.scopes.length > 0 ? challenge.scopes : (metadata.scopes_supported ?? [])
	const issuer = metadata.authorization_servers?.[0] ?? origin
	return { resource: metadata.resource, issuer, listed, stated: found.url }
}

/** The resource is the connector itself, or what it lies under. */
function covers(resource: string, connector: string): boolean {
	if (!URL.canParse(resource)) return false
	const known = canonicalUrl(resource)
	return connector === known || connector.startsWith(`${known}/`)
}

/** What a call without a token is told (RFC 9728 §5.1): where the metadata is, and which scopes would do. */
async function challengeOf(connector: string): Promise<{ metadata: string | undefined; scopes: string[] }> {
	const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'ping' })
	const headers = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' }
	const signal = AbortSignal.timeout(DISCOVERY_MS)
	const answer = await fetch(connector, { method: 'POST', headers, body, redirect: 'manual', signal }).catch(
		(cause: Error & { cause?: { code?: string } }) => {
			throw refused(`${connector} cannot be reached (${cause.cause?.code ?? cause.message})`, cause)
		},
	)
	await answer.body?.cancel()
	const said = answer.headers.get('www-authenticate') ?? ''
	const parameter = (name: string) => new RegExp(`\\b${name}="([^"]*)"`).exec(said)?.[1]
	const metadata = parameter('resource_metadata')
	const same = metadata && URL.canParse(metadata) && new URL(metadata).origin === new URL(connector).origin
	return {
		metadata: same ? metadata : undefined,
		scopes: parameter('scope')?.split(' ').filter(Boolean) ?? [],
	}
}

async function findServer(issuer: string): Promise<ServerMetadata> {
	const { origin, pathname } = new URL(issuer)
	const path = pathname.replace(/\/$/, '')
	const places = [
		`${origin}/.well-known/oauth-authorization-server${path}`,
		`${origin}/.well-known/openid-configuration${path}`,
		`${origin}${path}/.well-known/openid-configuration`,
	]
	const metadata = (await firstOf(ServerMetadata, [...new Set(places)]))?.document
	if (!metadata) throw refused(`${issuer} has no metadata of an authorization server`)
	// RFC 8414 §3.3; the slash is forgiven, since many write their origin with one.
	if (metadata.issuer.replace(/\/$/, '') !== issuer.replace(/\/$/, ''))
		throw refused(`${issuer} says it is ${metadata.issuer}`)
	return metadata
}

/** The first of these addresses that answers with such a document; null where all of them say that there is none. */
async function firstOf<T>(
	schema: z.ZodType<T>,
	places: string[],
): Promise<{ url: string; document: T } | null> {
	for (const url of places) {
		const signal = AbortSignal.timeout(DISCOVERY_MS)
		const answer = await fetch(url, { headers: { accept: 'application/json' }, signal }).catch((error) => {
			throw refused(`${url} cannot be reached (${error.cause?.code ?? error.message})`, error)
		})
		if (answer.status >= 500) throw refused(`${url} answered ${answer.status}`)
		const parsed = schema.safeParse(answer.ok ? await answer.json().catch(() => null) : null)
		if (parsed.success) return { url, document: parsed.data }
	}
	return null
}
