import type { FastifyError, FastifyReply, FastifyRequest, FastifySchemaCompiler } from 'fastify'
import { z } from 'zod'
import { MISSING, nestsTooDeep, plainWords, TOO_DEEP } from '../../bundles/index.ts'
import { sharedNow } from '../../runtime/lib/clock.ts'
import { unavailable } from '../db/index.ts'
import { type FieldError, Problem } from './errors.ts'
import { unlisted } from './openapi/index.ts'
import type { App } from './route.ts'

/** Of an address that takes no query parameter: one that is sent is refused. */
const noQuery = z.strictObject({})

/**
 * Every operation below `/v1` and `/d` checks its query: a `dry_run` that it does not have must not make the change.
 * Call before the routes are registered.
 */
export function checkQueries(app: App): void {
	app.addHook('onRoute', (route) => {
		const { operation, rpc } = route.config ?? {}
		if (operation && !rpc && /^\/(v1|d)\//.test(route.url))
			route.schema = { querystring: noQuery, ...route.schema }
	})
}

/** Where Fastify's own check stands back: its body was refused first, or is not read yet. */
export function requireNoQuery({ url, query }: Pick<FastifyRequest, 'url' | 'query'>): void {
	if (url.includes('?')) noQuery.parse(query)
}

/** Fastify's validation by the routes' zod schemas. */
export const validatorCompiler: FastifySchemaCompiler<z.ZodType> =
	({ schema, httpPart }) =>
	(value) => {
		// What every call of `/run` comes by.
		if (schema === noQuery && Object.keys(value).length === 0) return { value }
		// Fastify's null is a request without a body: what all its members have defaults for.
		const result = schema.safeParse(value ?? undefined, { error: plainWords })
		if (!result.success) {
			const issues = result.error.issues.map((issue) => worded(issue, httpPart === 'querystring' && value))
			return { error: new z.ZodRealError(issues) as unknown as Error }
		}
		const path = unstorable(result.data)
		return path
			? { error: new z.ZodRealError([{ ...badText, path, input: value }]) as unknown as Error }
			: { value: result.data }
	}

/** `query`: what was sent, of which a parameter that is named twice is a list. */
function worded(issue: z.core.$ZodIssue, query: unknown): z.core.$ZodIssue {
	const { message, path } = issue
	if (query && Array.isArray((query as Record<string, unknown>)[String(path[0])]))
		return { ...issue, message: 'was given more than once' }
	if (message === MISSING && path.length === 0)
		return { ...issue, message: 'the body is empty; send a JSON object' }
	return issue
}

const badText = {
	code: 'custom' as const,
	message: 'The text holds a NUL or half a surrogate pair, which cannot be stored.',
}

/**
 * Where Postgres would refuse a text, or would not give it back as it came. An agent's inputs are stored as the JSON they
 * came as, and are looked at where a run is accepted.
 */
function unstorable(value: unknown): string[] | null {
	if (typeof value === 'string') return value.includes('\0') || !value.isWellFormed() ? [] : null
	if (typeof value !== 'object' || value === null) return null
	for (const [name, member] of Object.entries(value)) {
		if (name === 'inputs') continue
		const path = unstorable(name) ?? unstorable(member)
		if (path) return [name, ...path]
	}
	return null
}

/** What leaves is ours and typed: it is not checked again. */
export const serializerCompiler = () => JSON.stringify

/** The one place that decides what a failure looks like outside. The log has the rest, under the same request id. */
export function answerError(error: unknown, request: FastifyRequest, reply: FastifyReply): void {
	const tooMuch = (error as Partial<FastifyError>).code === 'FST_ERR_CTP_BODY_TOO_LARGE'
	const problem = tooMuch ? tooLarge(request) : tooDeep(error, request) ? nested() : problemOf(error, request)
	// Fastify closes the connection of a body that it could not take, whatever refuses it in the end. A caller that still
	// sends then sees a broken pipe, not the answer. Kept open, also for one that asked to close it, Node drops the rest.
	const ends = request.raw.complete && !reply.raw.shouldKeepAlive
	if (reply.hasHeader('connection') && !ends) {
		reply.removeHeader('connection')
		reply.raw.shouldKeepAlive = true
	}
	const fault = unlisted(request, problem)
	if (fault) request.log.error(fault)
	if (problem.status >= 500) logFailure(error, problem, request)
	if (reply.raw.headersSent) return void reply.raw.destroy()
	const refusal = request.routeOptions.config.rpc && rpcRefusal(problem)
	reply
		.code(problem.status)
		.headers(problem.parts.headers ?? {})
		.type(refusal ? 'application/json' : 'application/problem+json')
		.send(JSON.stringify(refusal ?? problem.body(request.url.split('?', 1)[0] ?? '', request.id)))
}

/** Of a body that is no JSON-RPC message, in its words; a missing credential or agent is told as everywhere. */
function rpcRefusal({ status, message }: Problem): object | undefined {
	if (![400, 413, 415].includes(status)) return undefined
	const error =
		status === 400
			? { code: -32_700, message: `Parse error: ${message}` }
			: { code: -32_600, message: `Invalid Request: ${message}` }
	return { jsonrpc: '2.0', id: null, error }
}

/** An address that takes any bytes is refused a type by Fastify only where it is none. */
function problemOf(error: unknown, { routeOptions }: FastifyRequest): Problem {
	const { code } = error as Partial<FastifyError>
	const any = code === 'FST_ERR_CTP_INVALID_MEDIA_TYPE' && routeOptions.config.bytes === 'request'
	return any ? new Problem('invalid_request', NO_MEDIA_TYPE) : toProblem(error)
}

export const NO_MEDIA_TYPE = 'The Content-Type must be a media type, such as application/pdf.'

function logFailure(error: unknown, { code, parts }: Problem, request: FastifyRequest): void {
	const about = { method: request.method, route: request.routeOptions.url }
	const { run } = (parts.members ?? {}) as { run?: { id?: unknown } }
	// An agent's failure is its owner's: no fault of the host, and what it says may be somebody's text.
	if (run) request.log.info({ ...about, run: run.id, code }, 'a run failed')
	// Thrown on purpose, maybe thousands of times a minute: a stack says nothing. What is overloaded is the host's own word.
	else if (error instanceof Problem && error.cause === undefined)
		request.log.warn(
			{ ...about, code, ...(code === 'overloaded' && { reason: error.message }) },
			'request failed',
		)
	else request.log[error instanceof Problem ? 'warn' : 'error']({ ...about, err: error }, 'request failed')
}

function tooLarge(request: FastifyRequest): Problem {
	const { bodyLimit } = request.routeOptions
	return new Problem('payload_too_large', `The body is over the ${bodyLimit} bytes that this address takes.`)
}

/** A stack that ran over on the caller's own nesting, wherever that was met. */
const tooDeep = (error: unknown, { body }: FastifyRequest) =>
	error instanceof RangeError && !Buffer.isBuffer(body) && nestsTooDeep(body)

const nested = () => new Problem('invalid_request', `The body ${TOO_DEEP}.`)

export function toProblem(error: unknown): Problem {
	if (error instanceof Problem) return error
	if (error instanceof z.ZodError) return invalid(error)
	const { code, statusCode, message } = error as Partial<FastifyError>
	if (code === 'FST_ERR_CTP_INVALID_MEDIA_TYPE') {
		return new Problem(
			'invalid_request',
			'The body must be application/json; its Content-Type says something else.',
		)
	}
	if (
		code?.startsWith('FST_ERR_CTP_') ||
		code === 'FST_ERR_BAD_URL' ||
		(statusCode === 400 && error instanceof SyntaxError)
	) {
		return new Problem('invalid_request', message ?? 'The request is malformed.')
	}
	// The caller hung up, which nobody reads the answer of; the database's lost connections have no status.
	if (statusCode === 400 && code === 'ECONNRESET')
		return new Problem('invalid_request', 'The request ended before its body was whole.')
	const later = unavailable(error)
	if (later) {
		const headers = { 'retry-after': String(later.retryAfterSeconds) }
		return new Problem('overloaded', later.detail, { headers, cause: error })
	}
	if (statusCode === 503)
		return new Problem('overloaded', 'The host is stopping.', { headers: { 'retry-after': '5' } })
	return new Problem('internal_error', 'Something went wrong here. The log has it under this request_id.', {
		cause: error,
	})
}

/** Of a credential that is to be made. By the shared clock: this machine's own may be wrong. */
export function requireFuture(expiresAt: string | null | undefined): void {
	if (!expiresAt || Date.parse(expiresAt) > sharedNow()) return
	const message = 'This time is over.'
	throw new Problem('invalid_request', `/expires_at: ${message}`, {
		errors: [{ path: '/expires_at', message }],
	})
}

function invalid(error: z.ZodError): Problem {
	const errors = error.issues.flatMap(fieldErrors)
	const [first] = errors
	const detail = first
		? `${first.path || 'The request'}: ${first.message}`
		: 'The request has the wrong shape.'
	return new Problem('invalid_request', detail, { errors })
}

function fieldErrors(issue: z.core.$ZodIssue): FieldError[] {
	const path = issue.path
		.map((part) => `/${String(part).replaceAll('~', '~0').replaceAll('/', '~1')}`)
		.join('')
	if (issue.code !== 'unrecognized_keys') return [{ path, message: issue.message }]
	return issue.keys.map((key) => ({ path: `${path}/${key}`, message: 'There is no such member.' }))
}
