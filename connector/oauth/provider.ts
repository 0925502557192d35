import Provider, { errors, interactionPolicy, type KoaContextWithOIDC } from 'oidc-provider'
import type { ConnectorDeps } from '../deps.ts'
import { agentScope } from './agents.ts'
import { deviceCodeSeconds, pollSeconds, userCodeForm } from './device-grant.ts'
import type { Documents } from './documents.ts'
import { exchangeTokens } from './exchange.ts'
import type { Keys } from './keys.ts'
import { errorPage, pageHeaders } from './pages.ts'
import type { Resources } from './request.ts'
import { digest } from './rows.ts'
import { accountScope, guardScopes } from './scopes.ts'
import { openStore } from './store.ts'

const day = 24 * 3600
const ttlSeconds = {
	AccessToken: 3600,
	AuthorizationCode: 60,
	/** How long the sign-in page may stay open. */
	Interaction: 1800,
	DeviceCode: deviceCodeSeconds,
	/** Enough to connect several clients in one go. Longer would outlive a sign-out at the Platform. */
	Session: 900,
	/** Since its last use; a rotation begins it anew. */
	RefreshToken: 60 * day,
	/** The longest a client stays connected without asking its person again. */
	Grant: 365 * day,
}

/** The certified server with our storage and pages. Its traps, each met with a real client, are noted where they are met. */
export function openProvider(
	deps: ConnectorDeps,
	keys: Keys,
	documents: Documents,
	forget: (what: string) => void,
): Provider {
	const { baseUrl, platform, sql, secrets, unavailable, log } = deps
	const store = openStore(sql, secrets, forget)
	const policy = interactionPolicy.base()
	policy.add(new interactionPolicy.Prompt({ name: 'select_account', requestable: true }), 0)

	const provider = new Provider(baseUrl, {
		adapter: store,
		cookies: {
			keys: [keys.cookie],
			names: { session: 'guard_session', interaction: 'guard_interaction', resume: 'guard_resume' },
			long: { signed: true, httpOnly: true, sameSite: 'lax', path: '/' },
			short: { signed: true, httpOnly: true, sameSite: 'lax' },
		},
		jwks: { keys: [keys.signing as never] },
		clientDefaults: { id_token_signed_response_alg: 'ES256' },
		clientAuthMethods: ['none', 'client_secret_basic', 'client_secret_post'],
		clientBasedCORS: () => true,
		expiresWithSession: async () => false,
		features: features(deps, deps.clientMetadata !== 'off'),
		fetch: documents.fetch,
		findAccount: async (_ctx, id) =>
			(await platform.accounts([id]))[0] ? { accountId: id, claims: async () => ({ sub: id }) } : undefined,
		formats: { bitsOfOpaqueRandomness: 256 },
		interactions: { policy, url: (_ctx, { uid }) => `${baseUrl}/interaction/${uid}` },
		issueRefreshToken: async () => true,
		// Every authorization is asked for and is a grant of its own, so that ending one ends no other.
		loadExistingGrant: async (ctx) => {
			const grantId = ctx.oidc.result?.consent?.grantId
			return grantId ? ctx.oidc.provider.Grant.find(grantId) : undefined
		},
		pkce: { required: () => true },
		renderError: async (ctx, out, error) => {
			for (const [name, value] of Object.entries(pageHeaders())) ctx.set(name, value)
			const document = documents.explain(ctx.oidc?.params?.client_id, error)
			ctx.body = errorPage(document ?? out.error_description ?? out.error)
		},
		responseTypes: ['code'],
		// By default the library leaves the grant of an access token that is revoked, though it ends all its tokens.
		revokeGrantPolicy: () => true,
		rotateRefreshToken: true,
		routes: {
			authorization: '/authorize',
			token: '/token',
			registration: '/register',
			revocation: '/revoke',
			device_authorization: '/device_authorization',
			// The Platform's own page, which the library is never asked for.
			code_verification: '/device',
		},
		ttl: { ...ttlSeconds, AccessToken: deps.accessTokenSeconds ?? ttlSeconds.AccessToken },
	} as ConstructorParameters<typeof Provider>[1])

	// What scheme and host a request came by is ours to say (`oauthRoutes`), not the caller's.
	provider.proxy = true
	provider.use(async (ctx, next) => {
		const thrown: unknown = await next().then(
			() => undefined,
			(error) => error,
		)
		const later = unavailable(thrown ?? ctx.state.fault)
		if (!later && thrown) throw thrown
		if (!later) return
		log.warn({ err: thrown ?? ctx.state.fault }, 'the authorization server could not answer')
		ctx.status = 503
		ctx.set('retry-after', String(later.retryAfterSeconds))
		const page = typeof ctx.body === 'string'
		ctx.body = page
			? errorPage(later.detail)
			: { error: 'temporarily_unavailable', error_description: later.detail }
	})
	provider.use(async (ctx, next) => {
		if (ctx.path !== '/token' || ctx.method !== 'POST') return next()
		await exchangeTokens(sql, ctx as never, next, async (grantId) => {
			for (const model of ['AccessToken', 'RefreshToken', 'AuthorizationCode', 'DeviceCode'])
				await store(model).revokeByGrantId(grantId)
			await store('Grant').destroy(grantId)
		})
	})
	provider.use(async (ctx, next) => {
		await next()
		const { body } = ctx
		if (ctx.path === '/device_authorization' && typeof body === 'object' && body && 'device_code' in body)
			ctx.body = { ...body, interval: pollSeconds }
	})
	provider.on('grant.revoked', (ctx, grantId) => {
		if (ctx.path === '/revoke') noteRevoked(deps, ctx, grantId)
	})
	provider.on('server_error', (ctx, error) => {
		ctx.state.fault = error
		if (!unavailable(error)) log.error({ err: error }, 'the authorization server failed')
	})
	return provider
}

/** A program ended its own access. */
function noteRevoked({ platform }: ConnectorDeps, { oidc, ip }: KoaContextWithOIDC, grantId: string): void {
	const { RefreshToken, AccessToken } = oidc.entities
	const token = RefreshToken ?? AccessToken
	const { client } = oidc
	if (!token?.accountId || !client) return
	const { clientId, clientName = clientId } = client
	const resource = RefreshToken ? RefreshToken.resource : AccessToken?.aud
	const program = {
		...{ grant: digest(grantId), name: clientName, clientId, scopes: token.scope ?? '' },
		resource: [resource ?? ''].flat().join(' '),
	}
	platform.noteProgram({ did: 'endProgram', accountId: token.accountId, program, address: ip })
}

function features(ours: Resources, clientDocuments: boolean) {
	const { baseUrl } = ours
	return {
		clientIdMetadataDocument: {
			enabled: clientDocuments,
			ack: 'draft-02' as const,
			allowFetch: isFirstFetch,
		},
		devInteractions: { enabled: false },
		deviceFlow: {
			enabled: true,
			...userCodeForm,
			deviceInfo: ({ ip }: KoaContextWithOIDC) => ({ ip }),
		},
		dPoP: { enabled: false },
		pushedAuthorizationRequests: { enabled: false },
		registration: { enabled: true },
		registrationManagement: { enabled: true, rotateRegistrationAccessToken: false },
		resourceIndicators: {
			enabled: true,
			defaultResource: () => `${baseUrl}/mcp`,
			getResourceServerInfo: (ctx: KoaContextWithOIDC, resource: string) =>
				resourceServer(ours, ctx, resource),
			useGrantedResource: () => true,
		},
		revocation: {
			enabled: true,
			allowedPolicy: (_ctx: unknown, client: { clientId: string }, token: { clientId?: string }) =>
				token.clientId === client.clientId,
		},
		rpInitiatedLogout: { enabled: false },
		userinfo: { enabled: false },
	}
}

/** Where the document fails, the library's answer to the error would fetch it a second time. */
async function isFirstFetch(ctx?: { state: Record<string, unknown> }): Promise<boolean> {
	if (!ctx) return true
	const first = !ctx.state.documentFetched
	ctx.state.documentFetched = true
	return first
}

function resourceServer({ baseUrl, agents }: Resources, { oidc }: KoaContextWithOIDC, resource: string) {
	const asked = oidc.params?.resource
	if (Array.isArray(asked) && asked.length > 1) throw new errors.InvalidTarget('one resource at a time')
	const known = { [`${baseUrl}/mcp`]: guardScopes.join(' '), [`${baseUrl}/v1`]: accountScope }
	const scope = agents?.isAddress(resource) ? agentScope : known[resource]
	if (!scope) throw new errors.InvalidTarget('there is no such resource here')
	return { scope, accessTokenFormat: 'opaque' as const }
}
