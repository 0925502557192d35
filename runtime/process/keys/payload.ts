/**
 * What is inside a sealed credential: JSON made by the owner's CLI or console, by name of the credential
 * (spec credential.jwe).
 */
import { KeyError } from './error.ts'
import { Secret } from './secret.ts'

export type Payload =
	| { kind: 'provider'; apiKey: Secret }
	| { kind: 'bearer'; token: Secret }
	| { kind: 'secret'; secret: Secret }
	| { kind: 'oauth'; token: Secret; grant: OAuthGrant }

/** All that a refresh needs; the secrets among it are held like every other. */
export interface OAuthGrant {
	refreshToken: Secret | null
	clientSecret: Secret | null
	/** Milliseconds since the epoch; null where the server did not say. */
	expiresAt: number | null
	/** Names, separated by spaces; null where it is not said in such a form. */
	scope: string | null
	/** Members as sealed, for what only the refresh reads: issuer, resource, client and so on. */
	members: Secret
}

/** Of each model that has a key of its own; `provider`: of the first. */
const MODEL = /^provider(?::[a-z0-9_-]+)?$/
const CONNECTOR = /^connector:[a-z0-9-]+$/
/** Of `http` in agent.yaml. */
const HTTP = /^http:[a-z0-9_-]+$/

const SCOPE = /^[\x20\x21\x23-\x5b\x5d-\x7e]{0,2000}$/

/** Anything that could end a header line early, or is not sent as it was typed. */
const UNSENDABLE = /[^\x21-\x7e]/

export function readPayload(name: string, plaintext: string): Payload {
	const members = parse(plaintext)
	if (MODEL.test(name)) return { kind: 'provider', apiKey: secret(members, 'api_key') }
	if (HTTP.test(name)) return { kind: 'secret', secret: secret(members, 'secret') }
	if (!CONNECTOR.test(name)) throw rejected(`There is no credential named ${name}.`)
	if ('token' in members) return { kind: 'bearer', token: secret(members, 'token') }
	const expires = members.expires_at
	return {
		kind: 'oauth',
		token: secret(members, 'access_token'),
		grant: {
			refreshToken: 'refresh_token' in members ? secret(members, 'refresh_token') : null,
			clientSecret: 'client_secret' in members ? secret(members, 'client_secret') : null,
			scope: scopeOf(members.scope),
			expiresAt: typeof expires === 'number' ? expires : null,
			members: new Secret(plaintext),
		},
	}
}

/** Every text of it that must not leave the runtime. */
export function secretsOf(payload: Payload): string[] {
	if (payload.kind === 'provider') return [payload.apiKey.reveal()]
	if (payload.kind === 'bearer') return [payload.token.reveal()]
	if (payload.kind === 'secret') return [payload.secret.reveal()]
	const { refreshToken, clientSecret } = payload.grant
	return [payload.token, refreshToken, clientSecret].flatMap((held) => (held ? [held.reveal()] : []))
}

function parse(plaintext: string): Record<string, unknown> {
	let value: unknown
	try {
		value = JSON.parse(plaintext)
	} catch {
		throw rejected('What was sealed is not JSON.')
	}
	if (typeof value !== 'object' || value === null || Array.isArray(value)) {
		throw rejected('What was sealed is not a JSON object.')
	}
	return value as Record<string, unknown>
}

/** RFC 6749 §3.3. It is shown, so nothing else may be in it. */
/** Some servers put commas between the names, in place of the spaces of RFC 6749 §3.3. */
function scopeOf(value: unknown): string | null {
	if (typeof value !== 'string' || !SCOPE.test(value)) return null
	return value.includes(' ') ? value : value.replaceAll(',', ' ')
}

function secret(members: Record<string, unknown>, name: string): Secret {
	const value = members[name]
	if (typeof value !== 'string' || value === '') throw rejected(`What was sealed has no \`${name}\`.`)
	if (UNSENDABLE.test(value))
		throw rejected(`\`${name}\` holds a space, a line break or another character no key has.`)
	return new Secret(value)
}

export function rejected(message: string, cause?: unknown): KeyError {
	return new KeyError('credential_rejected', message, cause === undefined ? undefined : { cause })
}
