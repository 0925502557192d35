import type { FastifyRequest } from 'fastify'
import type { Auth } from '../auth/index.ts'
import { elsewhere, type Places } from '../places/index.ts'
import type { KnownDeployments } from './cache.ts'
import type { KnownDeployment } from './known.ts'
import { deleted } from './states.ts'

/**
 * An address that is nobody's: every credential fails there as it fails at another's (spec deployment.strangers-404).
 */
const nowhere = { id: 'none', accountId: 'none' } as KnownDeployment

/**
 * The deployment at an address, started or not. Whoever gets it must ask next who the caller is: that is what refuses
 * an address where nothing is. To others than its own a deleted one is as if it had never been, and so is one of another
 * place: it is called at its own address (spec deployment.wrong-place).
 */
export type At = (request: FastifyRequest, slug: string) => Promise<KnownDeployment>

export function deploymentAt(
	deployments: Pick<KnownDeployments, 'find'>,
	auth: Pick<Auth, 'belonged'>,
	places: Pick<Places, 'own' | 'find'>,
): At {
	return async (request, slug) => {
		const deployment = await deployments.find(slug)
		if (!deployment) return nowhere
		const { place, url, state } = deployment
		if (state !== 'deleted' && place === places.own.id) return deployment
		if (!(await auth.belonged(request, deployment))) return nowhere
		if (state === 'deleted') throw deleted()
		const below = request.url.split('?', 1)[0]?.replace(/^\/d\/[^/]*/, '') ?? ''
		throw elsewhere(places, place, url + below)
	}
}
