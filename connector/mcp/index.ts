import { isUtf8 } from 'node:buffer'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { ConnectorDeps } from '../deps.ts'
import type { Gate } from '../guard/gate.ts'
import type { Access, AccessTokens } from '../oauth/access.ts'
import { challenge } from './challenge.ts'
import { openOrigins } from './origins.ts'
import { tools } from './tools/index.ts'

const bodyLimitBytes = 16 * 1024 * 1024

declare module 'fastify' {
	interface FastifyRequest {
		guardAccess?: Access
	}
}

const methods = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']

/** `/mcp`: from where, who is calling, then the body, then the protocol. Limits are the gate's: no 429 here. */
export async function mcpRoutes(
	app: FastifyInstance,
	{ baseUrl, origins: listed, unavailable, log }: ConnectorDeps,
	gate: Gate,
	tokens: AccessTokens,
): Promise<void> {
	const resource = `${baseUrl}/mcp`
	const origins = openOrigins(baseUrl, listed)
	let opening: ReturnType<typeof open> | undefined
	/** At the first request: the library takes a tenth of a host's start. */
	const library = () => {
		opening ??= open(gate, log)
		return opening
	}
	app.addHook('onClose', async () => (await opening)?.close())
	await app.register(async (scope) => {
		scope.decorateRequest('guardAccess')
		scope.removeAllContentTypeParsers()
		scope.addContentTypeParser(
			'*',
			{ parseAs: 'buffer', bodyLimit: bodyLimitBytes },
			(_request, body, done) => done(null, body),
		)
		scope.setErrorHandler((error: { statusCode?: number; message: string }, request, reply) => {
			const later = unavailable(error)
			if (later) {
				request.log.warn({ err: error }, 'mcp')
				reply.header('retry-after', String(later.retryAfterSeconds))
				return rpcError(reply, 503, -32603, later.detail)
			}
			if (error.statusCode === 413) return rpcError(reply, 413, -32600, 'The body is over 16 MiB')
			if (error.statusCode === 415) return rpcError(reply, 415, -32600, error.message)
			request.log.error({ err: error }, 'mcp')
			return rpcError(reply, error.statusCode ?? 500, -32603, 'Internal error')
		})
		scope.addHook('onRequest', async (request, reply) => {
			const refusal = origins.refusal(request)
			if (refusal !== null) return rpcError(reply, 403, -32000, refusal)
			cors(request, reply)
			if (request.method === 'OPTIONS') return reply.code(204).send()
			const access = await tokens.verify(bearer(request), resource)
			if (!access) return unauthenticated(request, reply)
			request.guardAccess = access
		})
		for (const url of ['/mcp', '/mcp/'])
			scope.route({ method: methods, url, bodyLimit: bodyLimitBytes, handler: serve })
	})

	async function serve(request: FastifyRequest, reply: FastifyReply) {
		if (request.method !== 'POST')
			return rpcError(reply.header('allow', 'POST'), 405, -32000, 'Method not allowed.')
		const body = parse(request.body)
		if (body === undefined) return rpcError(reply, 400, -32700, 'Parse error: the body is not JSON in UTF-8')
		const access = request.guardAccess as Access
		const missing = missingScope(body, access)
		if (missing) return insufficientScope(reply, missing)
		const signal = goneSignal(reply)
		const mcp = await library()
		const call = takesJson(request) ? mcp.plainCall(request.headers, body) : null
		if (!call) return answer(reply, await mcp.serve(webRequest(request, signal), body, access.accountId))
		const traceparent = call.traceparent ?? request.headers.traceparent
		return mcp.callAnswer(call, await gate.call(call.tool, access.accountId, call.args, signal, traceparent))
	}

	function unauthenticated(request: FastifyRequest, reply: FastifyReply) {
		const presented = request.headers.authorization !== undefined
		const description = presented ? 'The access token is not valid' : 'An access token is needed'
		return reply
			.code(401)
			.header(
				'www-authenticate',
				challenge(baseUrl, presented ? { code: 'invalid_token', description } : undefined),
			)
			.send({ error: presented ? 'invalid_token' : 'unauthorized', error_description: description })
	}

	function insufficientScope(reply: FastifyReply, scope: string) {
		const description = `The access token lacks the scope ${scope}`
		return reply
			.code(403)
			.header('www-authenticate', challenge(baseUrl, { code: 'insufficient_scope', description, scope }))
			.send({ error: 'insufficient_scope', error_description: description, scope })
	}
}

async function open(gate: Gate, log: ConnectorDeps['log']) {
	const [{ callAnswer, plainCall }, { openMcp }] = await Promise.all([
		import('./call.ts'),
		import('./serve.ts'),
	])
	return { callAnswer, plainCall, ...openMcp(gate, log) }
}

function bearer({ headers }: FastifyRequest): string {
	return /^bearer +(\S+)$/i.exec(headers.authorization ?? '')?.[1] ?? ''
}

/** Undefined: not JSON, or not UTF-8. */
function parse(body: unknown): unknown {
	if (!Buffer.isBuffer(body) || !isUtf8(body)) return undefined
	try {
		return JSON.parse(body.toString('utf8'))
	} catch {
		return undefined
	}
}

/** Of any call in the body (the `initialize` era sends batches). */
function missingScope(body: unknown, access: Access): string | null {
	for (const message of Array.isArray(body) ? body : [body]) {
		if (message?.method !== 'tools/call') continue
		const scope = tools.get(message.params?.name)?.scope
		if (scope && !access.scopes.has(scope)) return scope
	}
	return null
}

/** The protocol's headers only: a web `Request` copies each. */
const forwarded = [
	'content-type',
	'mcp-protocol-version',
	'mcp-method',
	'mcp-name',
	'last-event-id',
	'traceparent',
]

/** Who takes JSON, or says nothing, may call: the library insists on both names, this endpoint on neither. */
function takesJson({ headers: { accept } }: FastifyRequest): boolean {
	return accept === undefined || /\*\/\*|application\/(json|\*)/i.test(accept)
}

function webRequest(request: FastifyRequest, signal: AbortSignal): Request {
	const { headers } = request
	const accept = takesJson(request) ? 'application/json, text/event-stream' : (headers.accept as string)
	const copied: [string, string][] = [['accept', accept]]
	for (const name of forwarded) {
		const value = headers[name]
		if (typeof value === 'string') copied.push([name, value])
	}
	return new Request('http://guard/mcp', { method: 'POST', headers: copied, signal })
}

/** Aborts when the caller hangs up before the answer. */
function goneSignal(reply: FastifyReply): AbortSignal {
	const gone = new AbortController()
	reply.raw.once('close', () => {
		if (!reply.raw.writableFinished) gone.abort()
	})
	return gone.signal
}

async function answer(reply: FastifyReply, response: Response) {
	reply.code(response.status)
	for (const [name, value] of response.headers) reply.header(name, value)
	const streaming = response.headers.get('content-type')?.startsWith('text/event-stream')
	return reply.send(streaming ? response.body : await response.text())
}

function rpcError(reply: FastifyReply, status: number, code: number, message: string) {
	return reply.code(status).send({ jsonrpc: '2.0', error: { code, message }, id: null })
}

/** Of an origin that may call. */
function cors(request: FastifyRequest, reply: FastifyReply): void {
	if (request.headers.origin === undefined) return
	reply.headers({ 'access-control-allow-origin': request.headers.origin, vary: 'Origin' })
	if (request.method !== 'OPTIONS') {
		reply.header('access-control-expose-headers', 'WWW-Authenticate, MCP-Protocol-Version')
		return
	}
	reply.header('access-control-allow-methods', 'POST, GET, DELETE')
	reply.header('access-control-allow-headers', request.headers['access-control-request-headers'] ?? '*')
	reply.header('access-control-max-age', '3600')
}
