import type { ConnectorDeps } from '../deps.ts'
import { digest, revokedChannel } from './rows.ts'

/** What a valid access token says. */
export interface Access {
	accountId: string
	clientId: string
	scopes: ReadonlySet<string>
	/** What the account sees of the grant it came from. */
	grant: string
}

export interface AccessTokens {
	/** Null: unknown, expired, revoked, or for another resource. No promise where the token was seen just now. */
	verify(token: string, resource: string): Access | null | Promise<Access | null>
	/** A token's digest or a grant's id. */
	forget(what: string): void
	close(): Promise<void>
}

interface Known extends Access {
	resource: string
	id: string
	grantId: string
	expiresAt: number
	/** Asked again after this, in case a revocation's notice was lost. */
	freshUntil: number
}

const freshMs = 20_000
const mostKnown = 10_000
/** 256 bits in base64url; anything else was not made here. */
const tokenShape = /^[A-Za-z0-9_-]{43}$/

export async function openAccessTokens({
	sql,
	listen,
	now: shared,
	clock,
}: ConnectorDeps): Promise<AccessTokens> {
	const known = new Map<string, Known>()
	const now = clock ?? shared ?? Date.now
	let revocations = 0
	const forget = (what: string) => {
		revocations++
		for (const [token, entry] of known) if (entry.grantId === what || entry.id === what) known.delete(token)
	}
	const listening = await listen(revokedChannel, forget, () => known.clear())

	async function read(token: string): Promise<Known | null> {
		const id = digest(token)
		const before = revocations
		const [row] = await sql<{ payload: Record<string, string>; expires: number }[]>`
			select payload, (extract(epoch from expires_at) * 1000)::float8 as expires
			from guard_oauth where model = 'AccessToken' and id = ${id}`
		if (!row) return null
		const { accountId = '', clientId = '', scope = '', grantId = '', aud = '' } = row.payload
		const entry = {
			accountId,
			clientId,
			scopes: new Set(scope.split(' ')),
			resource: aud,
			id,
			grant: digest(grantId),
			grantId,
			expiresAt: row.expires,
			freshUntil: now() + freshMs,
		}
		// A revocation heard in between may be this one's.
		if (revocations === before) known.set(token, entry)
		if (known.size > mostKnown) known.delete(known.keys().next().value as string)
		return entry
	}

	const valid = (entry: Known | null, resource: string) =>
		entry && entry.resource === resource && entry.expiresAt > now() ? entry : null

	return {
		verify: (token, resource) => {
			if (!tokenShape.test(token)) return null
			const entry = known.get(token)
			if (entry && entry.freshUntil > now()) return valid(entry, resource)
			return read(token).then((found) => valid(found, resource))
		},
		forget,
		close: () => listening.stop(),
	}
}
