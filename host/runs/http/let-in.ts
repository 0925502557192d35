import type { FastifyRequest } from 'fastify'
import type { OwnedDeployment, Scope } from '../../auth/index.ts'
import { Problem } from '../../http/errors.ts'
import type { RunRouteParts } from './parts.ts'

const refusals = new Set([401, 403, 404])

/**
 * Asks whether a caller who was let in would be let in again: its key or token may be revoked or expire while it is
 * answered. Of what is remembered that costs a hash. Where nobody can say, it stays.
 */
export function letInStill(
	auth: RunRouteParts['auth'],
	request: FastifyRequest,
	at: OwnedDeployment,
	scope: Scope,
): () => Promise<boolean> {
	return async () => {
		try {
			await auth.requireCaller(request, at, scope)
			return true
		} catch (error) {
			return !(error instanceof Problem && refusals.has(error.status))
		}
	}
}
