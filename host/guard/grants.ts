import type { Connector } from '../../connector/index.ts'
import type { OAuthServer } from '../auth/index.ts'

/** What the guard's authorization server knows, as this host asks for it. */
export function oauthServer(
	connector: Pick<Connector, 'verifyAccessToken' | 'grants' | 'revokeGrant'>,
	baseUrl: string,
): OAuthServer {
	const resource = `${baseUrl}/v1`
	return {
		account: async (token) => connector.verifyAccessToken(token, resource),
		accountFor: async (token, address) => connector.verifyAccessToken(token, address),
		grants: {
			list: async (accountId) =>
				(await connector.grants(accountId)).map(({ id, name, resources, createdAt, expiresAt }) => ({
					id,
					kind: resources.includes(resource) ? ('program' as const) : ('mcp' as const),
					name,
					created_at: createdAt.toISOString(),
					last_used_at: null,
					expires_at: expiresAt?.toISOString() ?? null,
				})),
			revoke: connector.revokeGrant,
		},
	}
}
