import type { FastifyRequest } from 'fastify'
import {
	belonged,
	type Caller,
	type CallerParts,
	type OAuthAccount,
	type OwnedDeployment,
	type Owner,
	requireAgentCaller,
	requireCaller,
	requireOperator,
	requireOwner,
	requireOwnerAt,
	requireUploader,
	type Scope,
	strangerFirst,
} from './auth.ts'
import type { OAuthGrants } from './sessions.ts'

/** What the guard's authorization server knows of accounts. */
export interface OAuthServer {
	account: OAuthAccount
	/** The same of a token for another address of this host. */
	accountFor: (token: string, resource: string) => ReturnType<OAuthAccount>
	grants: OAuthGrants
}

/** Who calls, and what each may do. Every `require…` throws where the caller may not. */
export interface Auth {
	/** `/v1`: personal token, OAuth access token for `{base_url}/v1`, or the console's session cookie. */
	requireOwner(request: FastifyRequest): Promise<Owner>
	/** `/v1/admin`: an owner with the operator role, or the local operator's token of DATA_DIR. */
	requireOperator(request: FastifyRequest): Promise<Owner>
	/**
	 * At a deployment's address: a run key with the scope, or its owner's token (never a cookie). Answers at once (no
	 * promise) where the key was verified within the last minute.
	 */
	requireCaller(request: FastifyRequest, at: OwnedDeployment, scope: Scope): Caller | Promise<Caller>
	/** Of routes with `agent`: also an OAuth access token of its owner's for `{deployment_url}/mcp`. */
	requireAgentCaller(request: FastifyRequest, at: OwnedDeployment, scope: Scope): Caller | Promise<Caller>
	/** `PUT {deployment_url}/credentials/*`: the owner's token or this deployment's upload token. */
	requireUploader(request: FastifyRequest, at: OwnedDeployment): Promise<void>
	/** What is below a deployment's address and is its owner's alone: `what` a run key does not reach. Never a cookie. */
	requireOwnerAt(request: FastifyRequest, at: OwnedDeployment, what: string): Promise<Owner>
	/** Whether the caller may hear that a deployment is gone. */
	belonged(request: FastifyRequest, at: OwnedDeployment): Promise<boolean>
	/** What to answer instead of a refusal of the request's form. */
	strangerFirst(request: FastifyRequest, error: unknown): Promise<unknown>
	/** What OAuth has let in. */
	grants: OAuthGrants
	/** The guard verifies OAuth access tokens, and is made after this. Until it is given here, no such token is valid. */
	acceptOAuth(oauth: OAuthServer): void
}

export function openAuth(given: Omit<CallerParts, 'oauthAccount' | 'oauthFor'>): Auth {
	const parts: CallerParts = { ...given, oauthAccount: async () => null, oauthFor: async () => null }
	let grants: OAuthGrants = { list: async () => [], revoke: async () => false }
	return {
		requireOwner: (request) => requireOwner(parts, request),
		requireOperator: (request) => requireOperator(parts, request),
		requireCaller: (request, at, scope) => requireCaller(parts, request, at, scope),
		requireAgentCaller: (request, at, scope) => requireAgentCaller(parts, request, at, scope),
		requireUploader: (request, at) => requireUploader(parts, request, at),
		requireOwnerAt: (request, at, what) => requireOwnerAt(parts, request, at, what),
		belonged: (request, at) => belonged(parts, request, at),
		strangerFirst: (request, error) => strangerFirst(parts, request, error),
		grants: {
			list: (accountId) => grants.list(accountId),
			revoke: (accountId, id) => grants.revoke(accountId, id),
		},
		acceptOAuth(oauth) {
			parts.oauthAccount = oauth.account
			parts.oauthFor = oauth.accountFor
			grants = oauth.grants
		},
	}
}
