import type { FastifyRequest } from 'fastify'
import { type Problem, type ProblemCode, problems } from '../errors.ts'
import { namesHost } from '../host-header.ts'
import type { Route, RouteSchema } from './route.ts'

// What an operation answers with where it does not succeed: the codes its route declares, and those that its kind brings.

type DocumentedStatus = readonly [code: ProblemCode, status: number]

const usual = (code: ProblemCode): DocumentedStatus => [code, problems[code][0]]

export function answersOf({ method, url, config, schema }: Route): DocumentedStatus[] {
	const { auth, errors = [], upload, idempotency, bytes } = config
	const takesBody = schema.body !== undefined || upload !== undefined
	const reads = takesBody || schema.params || schema.querystring || config.headers
	const isPlaced = /^\/(v1\/deployments\/:id|d\/:slug)/.test(url)
	const kept = method === 'POST' && url.startsWith('/v1/') && auth && idempotency !== false
	const misdirected: ProblemCode[] = url.startsWith('/d/:slug') ? ['wrong_place'] : []
	const codes: ProblemCode[] = [
		...errors,
		...(reads ? (['invalid_request'] as const) : []),
		...(takesBody ? (['payload_too_large'] as const) : []),
		// Too many wrong secrets of one id are refused unhashed.
		...(auth ? (['unauthenticated', 'forbidden', 'rate_limited'] as const) : []),
		...(/:(id|slug|run)\b/.test(url) ? (['not_found'] as const) : []),
		...(kept ? (['idempotency_key_reused', 'idempotency_in_progress'] as const) : []),
		...misdirected,
		'overloaded',
		'internal_error',
	]
	const deleted: DocumentedStatus[] = isPlaced ? [['deployment_not_running', 410]] : []
	const beyond: DocumentedStatus[] = bytes === 'answer' ? [['invalid_request', 416]] : []
	// One with a Content-Encoding is refused even where none is asked for.
	const encoded: DocumentedStatus[] = ['POST', 'PUT', 'PATCH'].includes(method)
		? [['invalid_request', 415]]
		: []
	const paced = upload !== undefined || bytes === 'request' || bytes === 'form'
	const slow: DocumentedStatus[] = paced ? [['invalid_request', 408]] : []
	return [...[...new Set(codes)].map(usual), ...deleted, ...beyond, ...slow, ...encoded]
}

/** Null where the answer is listed; else what to add, and where. */
export function unlisted(request: FastifyRequest, { code, status }: Problem): string | null {
	const { method, routeOptions, raw } = request
	// Where not even an address could be read there is no route; without a Host, none has a say.
	const { url, config, schema } = routeOptions ?? {}
	if (url === undefined || !namesHost(raw) || !config?.operation) return null
	const answers = answersOf({ method, url, config, schema: (schema ?? {}) as RouteSchema })
	if (answers.some((listed) => listed[0] === code && listed[1] === status)) return null
	return `${method} ${url} answered ${status} ${code}, which its OpenAPI operation does not list: add '${code}' to the codes in the config of its route`
}

const retryAfter = { 'Retry-After': { description: 'Seconds', schema: { type: 'string' } } }
const challenge = { 'WWW-Authenticate': { schema: { type: 'string' } } }
const headers: Record<number, object> = { 401: challenge, 429: retryAfter, 503: retryAfter }

/** One response a status. Those that are alike stand once under components. */
export function problemResponses(
	answers: DocumentedStatus[],
	shared: Record<string, unknown>,
): Record<string, unknown> {
	const byStatus = Map.groupBy(answers, ([, status]) => status)
	if (!byStatus.has(400)) shared.malformed ??= { description: 'Not well-formed HTTP' }
	return Object.fromEntries([
		...(byStatus.has(400) ? [] : [['400', { $ref: '#/components/responses/malformed' }]]),
		...[...byStatus].map(([status, of]) => {
			const codes = of.map(([code]) => code).sort()
			const name = `${status}_${codes.join('_or_')}`
			shared[name] ??= {
				description: codes.map((code) => problems[code][1]).join('; '),
				...(headers[status] && { headers: headers[status] }),
				content: { 'application/problem+json': { schema: problemOf(codes, status) } },
			}
			return [String(status), { $ref: `#/components/responses/${name}` }]
		}),
	])
}

/** As much of a problem as its code settles. */
const problemOf = (codes: ProblemCode[], status: number) => ({
	allOf: [
		{ $ref: '#/components/schemas/Problem' },
		{ type: 'object', properties: { code: { type: 'string', enum: codes }, status: { const: status } } },
	],
})
