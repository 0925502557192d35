import type { Configuration, ExportedJWKSCache } from 'openid-client'
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

/** The provider took the code, and what it gave for it does not hold: nothing that the person did. */
export class UncheckedAnswer extends Error {}

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
/** After it the provider's metadata and keys are asked for again. */
const knownMs = 3_600_000
/** They are, too, when an answer cannot be had or checked with them; so often at most, whatever the answers are. */
const renewals = { most: 5, withinMs: 60_000 }
/** In seconds: the provider's clock is its own. */
const toleranceSeconds = 60

/** The operator's OpenID provider (OpenID Connect Core 1.0, code flow). The package is loaded with the first sign-in. */
export function openProvider(settings: OpenIdSettings): OpenIdProvider {
	const { OIDC_ISSUER, BASE_URL } = settings
	const issuer = new URL(OIDC_ISSUER)
	// The issuer is the operator's own setting, no stranger's word: it may stand on this machine or in the operator's
	// network. The addresses in its metadata get no more than any other outbound call.
	const egress = createEgress({ allow: [...settings.EGRESS_ALLOW, `${issuer.hostname}:${portOf(issuer)}`] })
	let known: Known | undefined
	let renewed: number[] = []

	function knownNow(): Known {
		if (!known || known.until <= performance.now()) known = { until: performance.now() + knownMs }
		return known
	}

	function renew(failed: Known): boolean {
		const now = performance.now()
		renewed = renewed.filter((at) => at > now - renewals.withinMs)
		// Another sign-in may have done it.
		if (known !== failed) return true
		if (renewed.length >= renewals.most) return false
		renewed.push(now)
		known = undefined
		return true
	}

	return {
		begin: async () => {
			const client = await import('openid-client')
			const config = await discover(settings, issuer, egress.fetch, knownNow())
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
		finish: async (query, checks) => {
			const came = new URL(`${BASE_URL}${callbackPath}?${query}`)
			const code: Code = { asked: false }
			const redeem = async (known: Known) => {
				const config = await discover(settings, issuer, egress.fetch, known, code)
				return identityOf(config, came, checks).finally(() => keepKeys(config, known))
			}
			const first = knownNow()
			return redeem(first)
				.catch((error) => {
					if (!code.asked || !mayBeOld(error) || !renew(first)) throw error
					return redeem(knownNow())
				})
				.catch((error) => {
					if (!code.answer || error.code === ofAnother) throw error
					throw new UncheckedAnswer('the tokens that the provider gave could not be checked', {
						cause: error,
					})
				})
		},
		close: egress.close,
	}
}

/** What the provider says of itself, as it came. */
interface Known {
	until: number
	metadata?: Promise<Answer>
	keys?: ExportedJWKSCache
}

/** A code is good for one request: its answer is kept, to be checked again with other keys. */
interface Code {
	asked: boolean
	answer?: Answer
}

interface Answer {
	body: string
	init: ResponseInit
}

async function identityOf(config: Configuration, came: URL, { state, nonce, verifier }: Checks) {
	const client = await import('openid-client')
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
}

/** An ID token with another nonce, issuer or audience. */
const ofAnother = 'OAUTH_JWT_CLAIM_COMPARISON_FAILED'

/** Other keys or endpoints may help: not where the provider refused the code, or the ID token is of another sign-in. */
function mayBeOld({ code, status }: { code?: string; status?: number }): boolean {
	if (code === 'OAUTH_RESPONSE_BODY_ERROR') return status !== 400 && status !== 401
	return code !== ofAnother && code !== 'OAUTH_JWT_TIMESTAMP_CHECK_FAILED'
}

/** Made anew for each sign-in, as its clock is the database's at that moment. */
async function discover(
	settings: OpenIdSettings,
	issuer: URL,
	fetch: typeof globalThis.fetch,
	known: Known,
	code: Code = { asked: false },
) {
	const client = await import('openid-client')
	const { OIDC_CLIENT_ID, OIDC_CLIENT_SECRET } = settings
	const secret = OIDC_CLIENT_SECRET ? clientSecret(OIDC_CLIENT_SECRET) : client.None()
	const ask = async (url: string, options: unknown) => kept(await fetch(url, options as RequestInit))
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
			[client.customFetch]: async (url, options) => {
				if (url.includes('/.well-known/openid-configuration')) {
					known.metadata ??= ask(url, options)
					const mine = known.metadata
					const answer = await mine.catch(() => null)
					if (answer?.init.status !== 200 && known.metadata === mine) delete known.metadata
					return response(await mine)
				}
				// Nothing else is posted.
				if (options.method !== 'POST') return response(await ask(url, options))
				code.asked = true
				const answer = code.answer ?? (await ask(url, options))
				if (answer.init.status === 200) code.answer = answer
				return response(answer)
			},
			// The signature counts, too, though the ID token comes from the provider itself.
			execute: [
				client.enableNonRepudiationChecks,
				...(issuer.protocol === 'http:' ? [client.allowInsecureRequests] : []),
			],
		},
	)
	if (known.keys) client.setJwksCache(config, known.keys)
	return config
}

async function keepKeys(config: Configuration, known: Known): Promise<void> {
	const client = await import('openid-client')
	known.keys = client.getJwksCache(config) ?? known.keys
}

const kept = async (answer: Response): Promise<Answer> => ({
	body: await answer.text(),
	init: { status: answer.status, headers: { 'content-type': answer.headers.get('content-type') ?? '' } },
})

const response = ({ body, init }: Answer) => new Response(body, init)

const portOf = ({ port, protocol }: URL) => port || (protocol === 'http:' ? '80' : '443')
