import { z } from 'zod'
import { createHttp } from './http.ts'
import { formOf, type OAuthClient, refused, type ServerMetadata, type TokenAnswer, Tokens } from './oauth.ts'

// Signing in where no browser can be opened (RFC 8628): the person types a code at another machine, and this one asks
// until it is decided.

export const deviceGrant = 'urn:ietf:params:oauth:grant-type:device_code'

const Begun = z.object({
	device_code: z.string(),
	user_code: z.string(),
	verification_uri: z.url({ protocol: /^https?$/ }),
	expires_in: z.number().positive(),
	interval: z.number().positive().optional(),
})
const Refused = z.object({ error: z.string() })

export interface DeviceSignIn {
	userCode: string
	/** Where the person types it. */
	verificationUri: string
	expiresInSeconds: number
	/** Asks until the person has decided, or the time is over. */
	decided(): Promise<TokenAnswer>
}

const http = createHttp({})
const askMs = 30_000
/** RFC 8628 section 3.2: where the server names no interval. And section 3.5: what `slow_down` adds. */
const intervalSeconds = 5
const slowerSeconds = 5
/** After failures of the network, which double the wait. */
const longestSeconds = 60

/** Null: this server signs nobody in by a code. */
export async function authorizeDevice(
	metadata: ServerMetadata,
	client: OAuthClient,
	resource: string,
	sleep = wait,
): Promise<DeviceSignIn | null> {
	const { device_authorization_endpoint: url, token_endpoint } = metadata
	if (!url) return null
	const { body, headers } = formOf(client, { resource })
	const begun = await http.json(Begun, { method: 'POST', url, headers, form: body })
	const { device_code, user_code, verification_uri, expires_in } = begun
	return {
		userCode: user_code,
		verificationUri: verification_uri,
		expiresInSeconds: expires_in,
		decided: async () => {
			const end = performance.now() + expires_in * 1000
			for (let seconds = begun.interval ?? intervalSeconds; ; ) {
				const left = end - performance.now()
				await sleep(Math.min(seconds * 1000, Math.max(0, left)))
				if (seconds * 1000 >= left) throw over(expires_in)
				const answer = await ask(token_endpoint, client, device_code)
				if (typeof answer === 'object') return answer
				if (answer === 'slow_down') seconds += slowerSeconds
				else if (answer === 'unreachable') seconds = Math.min(seconds * 2, Math.max(longestSeconds, seconds))
				else if (answer === 'expired_token' || answer === 'invalid_grant') throw over(expires_in)
				else if (answer === 'access_denied') throw refused('it was denied in the browser')
				else if (answer !== 'authorization_pending')
					throw refused(`the authorization server answered ${answer}`)
			}
		},
	}
}

/** The tokens, or why there are none: an error code of the server, or `unreachable`. */
async function ask(url: string, client: OAuthClient, device_code: string): Promise<TokenAnswer | string> {
	const { headers, body } = formOf(client, { grant_type: deviceGrant, device_code })
	const signal = AbortSignal.timeout(askMs)
	const answer = await fetch(url, { method: 'POST', headers, body, redirect: 'error', signal }).catch(
		() => null,
	)
	if (!answer || answer.status >= 500 || answer.status === 429) return 'unreachable'
	const said: unknown = await answer.json().catch(() => null)
	const tokens = Tokens.safeParse(said)
	if (answer.ok && tokens.success) return tokens.data
	return Refused.safeParse(said).data?.error ?? String(answer.status)
}

const over = (seconds: number) =>
	refused(
		`nobody allowed it within ${Math.round(seconds / 60)} minutes; run the command again for a new code`,
	)

const wait = (ms: number) => new Promise<void>((done) => setTimeout(done, ms))
