import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { exportJWK, generateKeyPair } from 'jose'
import Provider from 'oidc-provider'

/** Somebody at the operator's provider. */
export interface Subject {
	sub: string
	email?: string
	email_verified?: boolean | string
}

export interface OpenIdServer {
	issuer: string
	clientId: string
	clientSecret: string
	/** Who is signed in there: the next visitor is this one, without a page. Null: the visitor says no. */
	who: Subject | null
	/** What was asked of it, by path. */
	asked: string[]
	/** Before the first visit. */
	register(redirectUri: string): void
	close(): Promise<void>
}

/** A real OpenID provider on loopback, as an operator would have one. */
export async function startOpenIdServer(
	given: { port?: number; secret?: boolean; inIdToken?: boolean } = {},
): Promise<OpenIdServer> {
	const server = createServer()
	server.listen(given.port ?? 0, '127.0.0.1')
	await once(server, 'listening')
	const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
	const { privateKey } = await generateKeyPair('RS256', { extractable: true })
	const secret = given.secret === false ? undefined : randomBytes(24).toString('base64url')
	const key = { ...(await exportJWK(privateKey)), use: 'sig', kid: 'k', alg: 'RS256' }
	const people = new Map<string, Subject>()
	const self = {
		issuer,
		clientId: 'berth-host.test',
		clientSecret: secret ?? '',
		who: null as Subject | null,
		asked: [] as string[],
		register: (redirectUri: string) => {
			const provider = providerOf(redirectUri)
			server.removeAllListeners('request')
			server.on('request', async (request, response) => {
				const path = new URL(request.url ?? '/', issuer).pathname
				self.asked.push(path)
				if (!path.startsWith('/interaction/')) return void provider.callback()(request, response)
				const { params } = await provider.interactionDetails(request, response)
				if (!self.who) {
					return void provider.interactionFinished(request, response, { error: 'access_denied' })
				}
				people.set(self.who.sub, self.who)
				const grant = new provider.Grant({
					accountId: self.who.sub,
					clientId: String(params.client_id),
				})
				grant.addOIDCScope('openid email')
				const result = {
					login: { accountId: self.who.sub },
					consent: { grantId: await grant.save() },
				}
				return void provider.interactionFinished(request, response, result)
			})
		},
		close: async () => {
			server.close()
			server.closeAllConnections()
			await once(server, 'close')
		},
	}

	function providerOf(redirectUri: string) {
		const provider = new Provider(issuer, {
			jwks: { keys: [key as never] },
			clients: [
				{
					client_id: self.clientId,
					redirect_uris: [redirectUri],
					application_type: 'native',
					...(secret ? { client_secret: secret } : { token_endpoint_auth_method: 'none' }),
				},
			],
			claims: { email: ['email', 'email_verified'] },
			conformIdTokenClaims: given.inIdToken !== true,
			cookies: { keys: ['test'] },
			features: { devInteractions: { enabled: false } },
			findAccount: async (_ctx, id) => ({
				accountId: id,
				claims: async () => ({ ...people.get(id), sub: id }),
			}),
			interactions: { url: (_ctx, { uid }) => `/interaction/${uid}` },
			pkce: { required: () => true },
		})
		provider.on('server_error', (_ctx, error) => process.stderr.write(`${error.stack}\n`))
		return provider
	}
	return self
}
