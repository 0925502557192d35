import type { FastifyReply, FastifyRequest } from 'fastify'
import type { AddressSettings } from './address.ts'

// Where deployments have hosts of their own, the console's page is of another origin than they are. It may call them;
// no other page may read what they answer. A browser sends no cookie there, and none would be read.

const methods = 'GET, POST, PUT, PATCH, DELETE'
const sent =
	'Authorization, Content-Type, Idempotency-Key, Last-Event-ID, If-Match, If-None-Match, Prefer, Accept'
const read = 'ETag, Content-Location, Retry-After'
/** Browsers ask again after this; none waits longer than two hours. */
const maxAgeSeconds = 7200

/** True: the request was a preflight, and is answered. Undefined: pages and deployments are of one origin. */
export function deploymentCors({
	BASE_URL,
	DEPLOYMENT_DOMAIN,
}: AddressSettings): ((request: FastifyRequest, reply: FastifyReply) => boolean) | undefined {
	if (!DEPLOYMENT_DOMAIN) return undefined
	const ours = new URL(BASE_URL).origin
	return (request, reply) => {
		const { origin } = request.headers
		if (origin === undefined || !request.url.startsWith('/d/')) return false
		// On the raw answer, as streams of events send no other headers.
		const { raw } = reply
		raw.setHeader('vary', 'Origin')
		if (origin !== ours) return false
		raw.setHeader('access-control-allow-origin', ours)
		raw.setHeader('access-control-expose-headers', read)
		if (request.method !== 'OPTIONS' || request.headers['access-control-request-method'] === undefined)
			return false
		raw.setHeader('access-control-allow-methods', methods)
		raw.setHeader('access-control-allow-headers', sent)
		raw.setHeader('access-control-max-age', maxAgeSeconds)
		reply.code(204).send()
		return true
	}
}
