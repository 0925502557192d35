import type { FastifyRequest } from 'fastify'
import type { Host } from '../context.ts'
import type { KnownDeployment } from '../deployments/index.ts'
import { Problem } from '../http/errors.ts'
import { belonged } from './auth.ts'

/**
 * An address that is nobody's: every credential fails there as it fails at another's (spec deployment.strangers-404).
 */
const nowhere = { id: 'none', accountId: 'none' } as KnownDeployment

/**
 * The deployment at this address, started or not. Whoever gets it must ask next who the caller is: that is what refuses
 * an address where nothing is. To others than its own a deleted one is as if it had never been.
 */
export async function at(host: Host, request: FastifyRequest, slug: string): Promise<KnownDeployment> {
	const deployment = await host.deployments.find(slug)
	if (!deployment) return nowhere
	if (deployment.state !== 'deleted') return deployment
	if (await belonged(host, request, deployment)) throw deleted()
	return nowhere
}

export function deleted(): Problem {
	return new Problem('deployment_not_running', 'The deployment has been deleted.', { status: 410 })
}
