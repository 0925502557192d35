import { isUtf8 } from 'node:buffer'
import { type FastifyBaseLogger, fastify, LogController } from 'fastify'
import { type Auth, refuseAnonymous } from '../auth/index.ts'
import { deploymentCors, deploymentRewrite } from '../deployments/index.ts'
import { refuseConnection, refuseTunnel } from '../http/client-error.ts'
import { notFound, Problem } from '../http/errors.ts'
import { namesHost, withoutPorts } from '../http/host-header.ts'
import { html, htmlPage, sendPage } from '../http/html.ts'
import type { App, ZodTypes } from '../http/route.ts'
import { answerError, checkQueries, serializerCompiler, validatorCompiler } from '../http/validation.ts'
import { newId } from '../lib/ids.ts'
import type { Places } from '../places/index.ts'
import type { Config } from '../settings/config.ts'
import type { Disk } from './disk.ts'
import { requestTrace } from './log-traces.ts'

/** Of a JSON body; addresses that take more say so themselves. */
const bodyMaxBytes = 1024 * 1024
/** Above Node's own bound of a request's head (16 KiB): no address is refused for its length by the router. */
const paramMaxLetters = 16 * 1024
/** From the first byte of a request to its last; the answer may take as long as its run. */
const requestMs = 120_000
const headersMs = 20_000
/** How often Node looks for requests that take too long; its 30 s would let a head have half a minute more. */
const checkedMs = 2_000
const keepAliveMs = 75_000

/** Reading goes on while the disk is full, and so does deleting. */
const stores = new Set(['POST', 'PUT', 'PATCH'])

const notHere = htmlPage(
	'Not here',
	html`<h1>There is no page at this address</h1>
<p><a href="/">To the agents</a></p>`,
)

interface AppParts {
	config: Pick<Config, 'TRUST_PROXY' | 'BASE_URL' | 'DEPLOYMENT_DOMAIN'>
	places: Pick<Places, 'own' | 'all'>
	log: FastifyBaseLogger
	auth: Pick<Auth, 'strangerFirst'>
	disk: Pick<Disk, 'refusal'>
}

/** The server, with what holds for every address and none of them yet. */
export function newApp({ config, places, log, auth, disk }: AppParts): App {
	const { TRUST_PROXY, BASE_URL, DEPLOYMENT_DOMAIN } = config
	const rewriteUrl = deploymentRewrite(DEPLOYMENT_DOMAIN)
	const crossOrigin = deploymentCors(BASE_URL, places)
	const app = fastify({
		loggerInstance: log,
		logController: new LogController({ disableRequestLogging: true, requestIdLogLabel: 'request_id' }),
		genReqId: () => newId('req'),
		bodyLimit: bodyMaxBytes,
		routerOptions: { maxParamLength: paramMaxLetters },
		requestTimeout: requestMs,
		http: {
			headersTimeout: headersMs,
			connectionsCheckingInterval: checkedMs,
			requireHostHeader: false,
		},
		clientErrorHandler: refuseConnection(securityHeaders),
		keepAliveTimeout: keepAliveMs,
		forceCloseConnections: 'idle',
		// What comes while the host stops is answered like anything else; `/run` refuses with `overloaded` by itself.
		return503OnClosing: false,
		trustProxy: TRUST_PROXY.length > 0 ? TRUST_PROXY : false,
		...(rewriteUrl && { rewriteUrl }),
		// No hook hears of these.
		frameworkErrors: (error, request, reply) => answerError(error, request, reply.headers(securityHeaders)),
		// Named at once, so that Fastify's own compilers (1 MB) are never loaded.
		schemaController: {
			compilersFactory: {
				buildValidator: () => validatorCompiler as never,
				buildSerializer: () => serializerCompiler,
			},
		},
		childLoggerFactory: (logger, bindings, options, request) =>
			logger.child({ ...bindings, ...requestTrace(request.headers.traceparent) }, options),
	}).withTypeProvider<ZodTypes>()
	app.setErrorHandler(async (error, request, reply) => {
		answerError(await auth.strangerFirst(request, error), request, reply)
		return reply
	})
	app.setNotFoundHandler((request, reply) => {
		// A person who follows a link, and no program.
		if (request.headers['sec-fetch-dest'] === 'document' && request.method === 'GET')
			sendPage(reply, 404, notHere)
		else answerError(missing(app, request.url), request, reply)
	})
	checkQueries(app)
	readJson(app)
	refuseEncoded(app)
	// An expectation that nobody meets may be ignored (RFC 9110 section 10.1.1); Node would refuse it in its own words.
	app.server.on('checkExpectation', (request, response) => app.server.emit('request', request, response))
	app.server.on('connect', refuseTunnel(securityHeaders))
	app.addHook('onRequest', (request, reply, done) => {
		reply.headers(securityHeaders)
		withoutPorts(request.raw)
		// These two are answered here, alike for every address: a hook's failure is first asked whose token it brings, and
		// the connector's own addresses would make something else of it.
		if (!namesHost(request.raw)) return answerError(noHost(), request, reply)
		if (crossOrigin(request, reply)) return
		refuseAnonymous(request)
		const full = stores.has(request.method) ? disk.refusal() : null
		if (full) answerError(full, request, reply)
		else done()
	})
	return app
}

/**
 * A JSON body is an object in UTF-8 (RFC 8259 section 8.1) or refused, never mended; one of no bytes is no body. The
 * connector's own addresses read their bodies themselves.
 */
function readJson(app: App): void {
	// Fastify reads plain text by itself; a body of it is refused as any other kind.
	app.removeContentTypeParser('text/plain')
	const parse = app.getDefaultJsonParser('error', 'error')
	app.addContentTypeParser('application/json', { parseAs: 'buffer' }, (request, body, done) => {
		const bytes = body as Buffer
		if (bytes.length === 0) return done(null, undefined)
		if (!isUtf8(bytes)) return done(new Problem('invalid_request', 'The body is not UTF-8.'))
		const text = bytes.toString('utf8')
		return parse(request, text, (error, value) => {
			if (error) return done(poisoned(text) ?? error)
			if (isObject(value) || request.routeOptions.config.rpc) return done(null, value)
			done(new Problem('invalid_request', 'The body must be a JSON object.'))
		})
	})
}

/**
 * Nothing here decodes a body (RFC 9110 section 15.5.16). Refused before it is read, by the error handler of its address:
 * who brings no valid credential hears of that first.
 */
function refuseEncoded(app: App): void {
	app.addHook('preParsing', (request, _reply, payload, done) => {
		const encoding = request.headers['content-encoding'] ?? 'identity'
		if (encoding.trim().toLowerCase() === 'identity' || !stores.has(request.method))
			return done(null, payload)
		const detail = 'A body with a Content-Encoding is not taken here; send it uncompressed.'
		done(new Problem('invalid_request', detail, { status: 415, headers: { 'accept-encoding': 'identity' } }))
	})
}

const isObject = (value: unknown) => typeof value === 'object' && value !== null && !Array.isArray(value)

/** What is JSON and was refused all the same: its members would change what JavaScript objects are. */
function poisoned(text: string): Problem | undefined {
	try {
		JSON.parse(text)
	} catch {
		return undefined
	}
	const detail =
		'A member of the body is named `__proto__`, or is a `constructor` that has a `prototype`; neither is taken.'
	return new Problem('invalid_request', detail)
}

/** Checked here, for Node would refuse it in its own words. */
const noHost = () =>
	new Problem('invalid_request', 'A request has one Host header.', { headers: { connection: 'close' } })

/** Set first, so that pages may set their own; an answer of the API is nothing a browser should run, sniff or frame. */
const securityHeaders = {
	'x-content-type-options': 'nosniff',
	'referrer-policy': 'no-referrer',
	'x-frame-options': 'DENY',
	// Answers hold secrets that are shown once, and the state of things that change.
	'cache-control': 'no-store',
}

function missing(app: App, url: string): Problem {
	const path = url.split('?', 1)[0] ?? url
	const methods = (['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const).filter((method) =>
		app.findRoute({ method, url: path }),
	)
	if (methods.length === 0) return notFound()
	return new Problem('invalid_request', `This address takes ${methods.join(', ')}.`, {
		status: 405,
		headers: { allow: methods.join(', ') },
	})
}
