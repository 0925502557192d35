import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Place, Places } from '../places/index.ts'

// Where deployments have hosts of their own, or their place has an address of its own, the console's page is of another
// origin than they are. It may call them, and its place's `/v1` with a token; no other page may read what they answer. A
// browser sends no cookie there, and none would be read.

const methods = 'GET, POST, PUT, PATCH, DELETE'
const sent =
	'Authorization, Content-Type, Idempotency-Key, Last-Event-ID, If-Match, If-None-Match, Prefer, Accept'
const exposed = 'ETag, Content-Location, Retry-After'
/** Browsers ask again after this; none waits longer than two hours. */
const maxAgeSeconds = 7200

/** True: the request was a preflight, and is answered. */
export function deploymentCors(
	baseUrl: string,
	places: Pick<Places, 'own' | 'all'>,
): (request: FastifyRequest, reply: FastifyReply) => boolean {
	let read: readonly Place[] | undefined
	let consoles = new Set<string>()
	const isConsole = (origin: string) => {
		if (read !== places.all()) {
			read = places.all()
			consoles = new Set([baseUrl, ...read.map(({ url }) => url)].map((url) => new URL(url).origin))
		}
		return consoles.has(origin) && (consoles.size > 1 || places.own.domain !== '')
	}
	return (request, reply) => {
		const { origin } = request.headers
		if (origin === undefined || !/^\/(?:d|v1)\//.test(request.url)) return false
		// On the raw answer, as streams of events send no other headers.
		const { raw } = reply
		raw.setHeader('vary', 'Origin')
		if (!isConsole(origin)) return false
		raw.setHeader('access-control-allow-origin', origin)
		raw.setHeader('access-control-expose-headers', exposed)
		if (request.method !== 'OPTIONS' || request.headers['access-control-request-method'] === undefined)
			return false
		raw.setHeader('access-control-allow-methods', methods)
		raw.setHeader('access-control-allow-headers', sent)
		raw.setHeader('access-control-max-age', maxAgeSeconds)
		reply.code(204).send()
		return true
	}
}
