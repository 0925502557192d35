import { Readable } from 'node:stream'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type Provider from 'oidc-provider'
import type { ConnectorDeps } from '../deps.ts'
import { deviceGrant, openPolls } from './device-grant.ts'
import { type Devices, openDevices } from './devices.ts'
import { openDocuments } from './documents.ts'
import { interactionRoutes } from './interaction.ts'
import { openKeys } from './keys.ts'
import { accountMetadata, authorizationServerMetadata, guardMetadata } from './metadata.ts'
import { openPace } from './pace.ts'
import { errorPage, pageHeaders } from './pages.ts'
import { type Fault, holdsNul } from './refusals.ts'
import { readRegistration, sendRefusal } from './register.ts'
import { openRegistrations } from './registrations.ts'
import { authorizationQuery, deviceForm, tokenForm } from './request.ts'
import { stylesheet, stylesheetPath } from './style.ts'

const bodyLimitBytes = 64 * 1024

/**
 * The authorization server: discovery, registration, sign-in, tokens (spec guard-oauth.server-metadata). `forget` is told
 * of each token and grant that it ends.
 */
export async function oauthRoutes(
	app: FastifyInstance,
	deps: ConnectorDeps,
	forget: (what: string) => void,
): Promise<Devices> {
	const { baseUrl, unavailable, networkOf } = deps
	const keys = await openKeys(deps)
	const documents = openDocuments(deps)
	const polls = openPolls()
	let opening: Promise<Provider> | undefined
	// At the first request that needs it: the library takes an eighth of a host's start.
	const provider = () => {
		opening ??= import('./provider.ts').then(({ openProvider }) => {
			const made = openProvider(deps, keys, documents, forget)
			made.on('grant.success', ({ oidc }) => {
				const code = oidc.params?.device_code
				if (typeof code === 'string') polls.forget(code)
			})
			return made
		})
		return opening
	}
	const registrations = openRegistrations(deps, openPace(networkOf))
	const devicePace = openPace(networkOf)

	const resources = '/.well-known/oauth-protected-resource'
	const metadata = {
		[`${resources}/mcp`]: () => guardMetadata(baseUrl),
		[`${resources}/mcp/`]: () => guardMetadata(baseUrl),
		[`${resources}/v1`]: () => accountMetadata(baseUrl),
		[`${resources}/v1/`]: () => accountMetadata(baseUrl),
		'/.well-known/oauth-authorization-server': () =>
			authorizationServerMetadata(baseUrl, documents.announced()),
	}
	for (const [path, document] of Object.entries(metadata)) {
		app.get(path, (_request, reply) => anyOrigin(reply).send(document()))
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

	await app.register(async (scope) => {
		scope.removeAllContentTypeParsers()
		scope.addContentTypeParser('*', (_request, _payload, done) => done(null))
		scope.get('/authorize', (request, reply) => {
			const given = new URLSearchParams(request.raw.url?.replace(/^[^?]*\??/, ''))
			if (holdsNul(given))
				return reply.code(400).headers(pageHeaders()).send(errorPage('A parameter holds a NUL character.'))
			request.raw.url = `/authorize?${authorizationQuery(given, deps)}`
			return pass(request, reply)
		})
		scope.get('/authorize/:uid', pass)
		for (const path of ['/token', '/revoke', '/device_authorization']) scope.options(path, pass)
		scope.options('/register', (request, reply) => preflight(request, reply, 'POST'))
		scope.route({ method: ['GET', 'DELETE'], url: '/register/:id', handler: pass })
	})
	// Bodies are read here first: what cannot be stored is refused, a registration is brought to its form.
	await app.register(async (scope) => {
		scope.removeAllContentTypeParsers()
		scope.addContentTypeParser(
			'*',
			{ parseAs: 'buffer', bodyLimit: bodyLimitBytes },
			(_request, body, done) => done(null, body),
		)
		scope.setErrorHandler((error: { statusCode?: number; message: string }, request, reply) => {
			const later = unavailable(error)
			if (!later)
				return anyOrigin(reply)
					.code(error.statusCode ?? 500)
					.send({
						error: 'invalid_request',
						error_description: error.statusCode === 415 ? error.message : 'the body could not be read',
					})
			request.log.warn({ err: error }, 'the authorization server could not answer')
			return anyOrigin(reply)
				.code(503)
				.header('retry-after', String(later.retryAfterSeconds))
				.send({ error: 'temporarily_unavailable', error_description: later.detail })
		})
		for (const path of ['/token', '/revoke']) scope.post(path, form)
		scope.post('/device_authorization', deviceAuthorization)
		scope.post('/register', register)
		scope.put('/register/:id', register)
	})

	return openDevices(provider, deps.sql)

	function pass(request: FastifyRequest, reply: FastifyReply) {
		return handOver(reply, request.raw)
	}

	function form(request: FastifyRequest, reply: FastifyReply) {
		const { body, raw } = request
		if (!Buffer.isBuffer(body)) return handOver(reply, raw)
		const given = new URLSearchParams(body.toString('utf8'))
		if (holdsNul(given)) return refuse(reply, nulFault)
		if (given.get('grant_type') === deviceGrant && polls.tooSoon(given.get('device_code') ?? ''))
			return refuse(reply, { error: 'slow_down', error_description: 'polls come too fast' })
		// The log has the address that this host saw, not the caller's word.
		raw.headers['x-forwarded-for'] = request.ip
		return handOver(reply, withBody(raw, tokenForm(given, deps) ?? body))
	}

	function deviceAuthorization(request: FastifyRequest, reply: FastifyReply) {
		const { body, raw, ip } = request
		const given = new URLSearchParams(Buffer.isBuffer(body) ? body.toString('utf8') : '')
		if (holdsNul(given)) return refuse(reply, nulFault)
		// The page of codes does not name an agent.
		if (given.getAll('resource').some((uri) => deps.agents?.isAddress(uri.replace(/\/$/, ''))))
			return refuse(reply, noDevices)
		const retrySeconds = devicePace(ip)
		if (retrySeconds > 0)
			return sendRefusal(anyOrigin(reply), { refused: tooManyDevices, status: 429, retrySeconds })
		// The page shows the address, so it is the one that this host saw, not the caller's word.
		raw.headers['x-forwarded-for'] = ip
		return handOver(reply, withBody(raw, deviceForm(given, deps)))
	}

	async function register(request: FastifyRequest, reply: FastifyReply) {
		anyOrigin(reply)
		const answer = await readRegistration(request, registrations)
		if ('refused' in answer) return sendRefusal(reply, answer)
		return handOver(reply, withBody(request.raw, answer.body, 'application/json'))
	}

	async function handOver(reply: FastifyReply, raw: FastifyRequest['raw']) {
		const handle = (await provider()).callback()
		const { protocol, host } = new URL(baseUrl)
		Object.assign(raw.headers, { host, 'x-forwarded-host': host, 'x-forwarded-proto': protocol.slice(0, -1) })
		for (const [name, value] of Object.entries(reply.getHeaders()))
			if (value !== undefined) reply.raw.setHeader(name, value)
		reply.hijack()
		handle(raw, reply.raw)
		return reply
	}
}

const nulFault: Fault = {
	error: 'invalid_request',
	error_description: 'a parameter holds a NUL character',
}
const noDevices: Fault = {
	error: 'invalid_target',
	error_description: 'an agent is let in through a browser: ask for an authorization code',
}
const tooManyDevices: Fault = {
	error: 'temporarily_unavailable',
	error_description: 'too many sign-ins were begun from this address: try again later',
}

/** The same request with this body, unread. */
function withBody(raw: FastifyRequest['raw'], body: Buffer, contentType?: string): FastifyRequest['raw'] {
	const { method, url, socket, httpVersion } = raw
	const { 'transfer-encoding': _, ...headers } = raw.headers
	Object.assign(headers, {
		'content-length': String(body.length),
		...(contentType && { 'content-type': contentType }),
	})
	return Object.assign(Readable.from(body.length > 0 ? [body] : []), {
		method,
		url,
		socket,
		httpVersion,
		headers,
	}) as unknown as FastifyRequest['raw']
}

function refuse(reply: FastifyReply, fault: Fault): FastifyReply {
	return sendRefusal(anyOrigin(reply), { refused: fault, status: 400 })
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
