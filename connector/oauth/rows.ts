import { hash } from 'node:crypto'
import type { AdapterPayload } from 'oidc-provider'

/** Heard by every host's token cache: a token's digest or a grant's id. */
export const revokedChannel = 'guard_tokens'

/** How long the client that just rotated a refresh token may ask again and gets the same answer. */
export const repeatSeconds = 30

/** What a row is found by. */
export function digest(identifier: string): string {
	return hash('sha256', identifier, 'base64url')
}

export interface NewRow {
	model: string
	id: string
	payload: AdapterPayload
	grant_id: string | null
	uid: string | null
	/** Seconds; null: never. */
	expires_in: number | null
}
