import type { Configuration } from 'openid-client'
import { createEgress } from '../../../runtime/egress/index.ts'
import { sharedNow } from '../../../runtime/lib/clock.ts'
import type { Config } from '../../settings/config.ts'
import { clientSecret } from './client-secret.ts'

type OpenIdSettings = Pick<Config, 'BASE_URL' | 'EGRESS_ALLOW' | 'OIDC_ISSUER' | 'OIDC_CLIENT_ID'> &
	Pick<Config, 'OIDC_CLIENT_SECRET'>

/** Who the provider says it is. */
export interface Identity {
	issuer: string
	subject: string
	/** Null: none, or one that the provider does not vouch for. */
	email: string | null
}

/** What only this sign-in knows; bound to the browser that began it. */
export interface Checks {
	state: string
	nonce: string
	verifier: string
}

export interface OpenIdProvider {
	/** Where the browser is sent. Throws where the provider does not answer. */
	begin(): Promise<{ url: URL; checks: Checks }>
	/** `query`: of the address that the browser came back to. Throws where the answer does not hold. */
	finish(query: URLSearchParams, checks: Checks): Promise<Identity>
	close(): Promise<void>
}

export const callbackPath = '/sign-in/openid/callback'
const scope = 'openid email'
/** Of one request to the provider. */
const answerSeconds = 10
/** After it the provider's metadata is asked for again. Its keys are, when one is unknown. */
const knownMs = 3_600_000
/** In seconds: the provider's clock is its own. */
const toleranceSeconds = 60

/** The operator's OpenID provider (OpenID Connect Core 1.0, code flow). The package is loaded with the first sign-in. */
export function openProvider(settings: OpenIdSettings): OpenIdProvider {
	const { OIDC_ISSUER, BASE_URL } = settings
	const issuer = new URL(OIDC_ISSUER)
	// The issuer is the operator's own setting, no stranger's word: it may stand on this machine or in the operator's
	// network. The addresses in its metadata get no more than any other outbound call.
	const egress = createEgress({ allow: [...settings.EGRESS_ALLOW, `${issuer.hostname}:${portOf(issuer)}`] })
	let known: { config: Promise<Configuration>; until: number } | undefined

	function discovered(): Promise<Configuration> {
		if (known && known.until > performance.now()) return known.config
		const config = discover(settings, issuer, egress.fetch)
		const mine = { config, until: performance.now() + knownMs }
		known = mine
		config.catch(() => {
			if (known === mine) known = undefined
		})
		return config
	}

	return {
		begin: async () => {
			const client = await import('openid-client')
			const config = await discovered()
			const checks = {
				state: client.randomState(),
				nonce: client.randomNonce(),
				verifier: client.randomPKCECodeVerifier(),
			}
			const url = client.buildAuthorizationUrl(config, {
				redirect_uri: BASE_URL + callbackPath,
				scope,
				state: checks.state,
				nonce: checks.nonce,
				code_challenge: await client.calculatePKCECodeChallenge(checks.verifier),
				code_challenge_method: 'S256',
			})
			return { url, checks }
		},
		finish: async (query, { state, nonce, verifier }) => {
			const client = await import('openid-client')
			const config = await discovered()
			const came = new URL(`${BASE_URL}${callbackPath}?${query}`)
			const tokens = await client.authorizationCodeGrant(config, came, {
				expectedState: state,
				expectedNonce: nonce,
				pkceCodeVerifier: verifier,
				idTokenExpected: true,
			})
			const claims = tokens.claims()
			if (!claims) throw new Error('the provider gave no ID token')
			// Some say the e-mail address at the userinfo endpoint only.
			const said =
				claims.email === undefined && config.serverMetadata().userinfo_endpoint
					? await client.fetchUserInfo(config, tokens.access_token, claims.sub)
					: claims
			const verified = said.email_verified === true && typeof said.email === 'string'
			return { issuer: claims.iss, subject: claims.sub, email: verified ? String(said.email) : null }
		},
		close: egress.close,
	}
}

async function discover(settings: OpenIdSettings, issuer: URL, fetch: typeof globalThis.fetch) {
	const client = await import('openid-client')
	const { OIDC_CLIENT_ID, OIDC_CLIENT_SECRET } = settings
	const secret = OIDC_CLIENT_SECRET ? clientSecret(OIDC_CLIENT_SECRET) : client.None()
	const config = await client.discovery(
		issuer,
		OIDC_CLIENT_ID,
		{
			[client.clockSkew]: Math.round((sharedNow() - Date.now()) / 1000),
			[client.clockTolerance]: toleranceSeconds,
		},
		secret,
		{
			timeout: answerSeconds,
			[client.customFetch]: (url, options) => fetch(url, options as RequestInit),
			// The signature counts, too, though the ID token comes from the provider itself.
			execute: [
				client.enableNonRepudiationChecks,
				...(issuer.protocol === 'http:' ? [client.allowInsecureRequests] : []),
			],
		},
	)
	return config
}

const portOf = ({ port, protocol }: URL) => port || (protocol === 'http:' ? '80' : '443')
