import { Readable } from 'node:stream'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { ConnectorDeps } from '../deps.ts'
import { clientMetadata } from './clients.ts'
import { interactionRoutes } from './interaction.ts'
import { openKeys } from './keys.ts'
import { authorizationServerMetadata, protectedResourceMetadata } from './metadata.ts'
import { openProvider } from './provider.ts'
import { authorizationQuery } from './request.ts'
import { stylesheet, stylesheetPath } from './style.ts'

const registrationLimitBytes = 64 * 1024

/** The authorization server: discovery, registration, sign-in, tokens (seed 2 §4 and §5). */
export async function oauthRoutes(app: FastifyInstance, deps: ConnectorDeps): Promise<void> {
	const { baseUrl } = deps
	const keys = await openKeys(deps)
	const provider = openProvider(deps, keys)
	const handle = provider.callback()

	const documents = {
		'/.well-known/oauth-protected-resource/mcp': protectedResourceMetadata(baseUrl),
		'/.well-known/oauth-authorization-server': authorizationServerMetadata(baseUrl),
	}
	for (const [path, document] of Object.entries(documents)) {
		app.get(path, (_request, reply) => anyOrigin(reply).send(document))
		app.options(path, (request, reply) => preflight(request, reply, 'GET'))
	}
	app.get(stylesheetPath, (_request, reply) =>
		reply
			.headers({
				'content-type': 'text/css; charset=utf-8',
				'cache-control': 'public, max-age=31536000, immutable',
			})
			.send(stylesheet),
	)
	await app.register((scope) => interactionRoutes(scope, deps, provider, keys))

	// Bodies are the library's to read, except a registration, which is brought to its form first.
	await app.register(async (scope) => {
		scope.removeAllContentTypeParsers()
		scope.addContentTypeParser('*', (_request, _payload, done) => done(null))
		scope.get('/authorize', (request, reply) => {
			const given = new URLSearchParams(request.raw.url?.split('?')[1])
			request.raw.url = `/authorize?${authorizationQuery(given, baseUrl)}`
			return pass(request, reply)
		})
		scope.get('/authorize/:uid', pass)
		for (const path of ['/token', '/revoke']) {
			scope.post(path, pass)
			scope.options(path, pass)
		}
		scope.options('/register', (request, reply) => preflight(request, reply, 'POST'))
		scope.route({ method: ['GET', 'DELETE'], url: '/register/:id', handler: pass })
	})
	await app.register(async (scope) => {
		scope.removeAllContentTypeParsers()
		scope.addContentTypeParser(
			'*',
			{ parseAs: 'buffer', bodyLimit: registrationLimitBytes },
			(_request, body, done) => done(null, body),
		)
		scope.setErrorHandler((error: { statusCode?: number }, _request, reply) =>
			anyOrigin(reply)
				.code(error.statusCode ?? 500)
				.send({ error: 'invalid_request', error_description: 'the registration could not be read' }),
		)
		scope.post('/register', register)
		scope.put('/register/:id', register)
	})

	function pass(request: FastifyRequest, reply: FastifyReply) {
		return handOver(reply, request.raw)
	}

	function register(request: FastifyRequest, reply: FastifyReply) {
		anyOrigin(reply)
		const body = Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0)
		return handOver(reply, withBody(request.raw, registration(body)))
	}

	function handOver(reply: FastifyReply, raw: FastifyRequest['raw']) {
		const { protocol, host } = new URL(baseUrl)
		Object.assign(raw.headers, { host, 'x-forwarded-host': host, 'x-forwarded-proto': protocol.slice(0, -1) })
		for (const [name, value] of Object.entries(reply.getHeaders()))
			if (value !== undefined) reply.raw.setHeader(name, value)
		reply.hijack()
		handle(raw, reply.raw)
		return reply
	}
}

/** Not JSON, or not an object: as it is, for the library to refuse. */
function registration(body: Buffer): Buffer {
	let given: unknown
	try {
		given = JSON.parse(body.toString('utf8'))
	} catch {
		return body
	}
	if (typeof given !== 'object' || given === null || Array.isArray(given)) return body
	// An update must name the client and may repeat its secret (RFC 7592 §2.2).
	const { client_id, client_secret } = given as Record<string, unknown>
	return Buffer.from(
		JSON.stringify({
			...clientMetadata(given as Record<string, unknown>),
			...(client_id !== undefined && { client_id }),
			...(client_secret !== undefined && { client_secret }),
		}),
	)
}

/** The same request with another body, unread. */
function withBody(raw: FastifyRequest['raw'], body: Buffer): FastifyRequest['raw'] {
	const { method, url, socket, httpVersion } = raw
	const { 'transfer-encoding': _, ...headers } = raw.headers
	Object.assign(headers, { 'content-length': String(body.length), 'content-type': 'application/json' })
	return Object.assign(Readable.from(body.length > 0 ? [body] : []), {
		method,
		url,
		socket,
		httpVersion,
		headers,
	}) as unknown as FastifyRequest['raw']
}

function anyOrigin(reply: FastifyReply): FastifyReply {
	return reply.header('access-control-allow-origin', '*')
}

function preflight({ headers }: FastifyRequest, reply: FastifyReply, method: string) {
	return anyOrigin(reply)
		.headers({
			'access-control-allow-methods': method,
			'access-control-allow-headers': headers['access-control-request-headers'] ?? '*',
			'access-control-max-age': '3600',
		})
		.code(204)
		.send()
}
