import { config, type z } from 'zod'
import { anotherShape } from './another-shape.ts'
import type { Encoded } from './multipart.ts'
import { ApiError, problemOf } from './problem.ts'

export interface HttpOptions {
	/** `{base_url}`: where `/v1` of it says that a call is for a host of another place (421), it is made there. */
	base?: string
	/** Sent as a bearer token; a function where it may be renewed between calls, or is another by address. Undefined: none. */
	token?: string | ((url: string) => Promise<string | undefined>)
	fetch?: typeof fetch
	/** Of this client, for people. */
	version?: () => Promise<string>
}

export interface Call {
	method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
	url: string
	query?: Record<string, string | number | undefined>
	/** Sent as JSON, bytes as they are. */
	body?: unknown
	/** In place of a body. */
	form?: URLSearchParams
	encoded?: Encoded
	headers?: Record<string, string>
	/** In place of the client's own token. */
	token?: string
	signal?: AbortSignal
	timeoutMs?: number
}

export interface Http {
	/** The answer, checked; throws `ApiError`. */
	json<T>(schema: z.ZodType<T>, call: Call): Promise<T>
	/** Any 2xx answer, unread. */
	send(call: Call): Promise<Response>
}

const TIMEOUT_MS = 60_000

// Few answers are read: to compile what reads them would take longer than it saves, and a page's policy forbids it.
config({ jitless: true })

/** A POST under `/v1`, with a key of its own: made again after a broken connection, it happens once. */
export function post(url: string, body?: unknown): Call {
	return { method: 'POST', url, body, headers: { 'Idempotency-Key': crypto.randomUUID() } }
}

/** Calls that may be made again when the connection broke: those that change nothing more the second time. */
function repeatable({ method, headers }: Call): boolean {
	return method !== 'POST' && method !== 'PATCH' ? true : headers?.['Idempotency-Key'] !== undefined
}

export function createHttp(options: HttpOptions): Http {
	const fetcher = options.fetch ?? fetch

	async function attempt(call: Call, payload: Payload): Promise<Response> {
		const token =
			call.token ?? (typeof options.token === 'function' ? await options.token(call.url) : options.token)
		if (token && !/^[\x21-\x7e]+$/.test(token))
			throw new ApiError(
				0,
				'invalid_request',
				'the token is malformed: it has a space, a line break or another character that no token has. Copy it anew',
			)
		const timeout = AbortSignal.timeout(call.timeoutMs ?? TIMEOUT_MS)
		const response = await fetcher(withQuery(call.url, call.query), {
			method: call.method,
			headers: {
				Accept: 'application/json',
				...(token && { Authorization: `Bearer ${token}` }),
				...(payload.type && { 'Content-Type': payload.type }),
				...call.headers,
			},
			body: payload.bytes,
			signal: call.signal ? AbortSignal.any([timeout, call.signal]) : timeout,
			// A redirect would take the token elsewhere. With `error`, Node could not read a 421.
			redirect: 'manual',
		})
		if (response.type === 'opaqueredirect' || (response.status >= 300 && response.status < 400))
			throw new ApiError(0, 'unreachable', `${originOf(call.url)} redirects, and a token follows no redirect`)
		if (!response.ok) throw await problemOf(response)
		return response
	}

	async function sendTo(call: Call, payload: Payload): Promise<Response> {
		try {
			return await attempt(call, payload).catch((error: unknown) => {
				if (!(error instanceof TypeError) || !repeatable(call)) throw error
				// The first loss is told: a host that refuses the second attempt may have had the first.
				return attempt(call, payload).catch((again: unknown) => {
					throw again instanceof TypeError ? error : again
				})
			})
		} catch (error) {
			throw asApiError(error, call)
		}
	}

	async function send(call: Call): Promise<Response> {
		requirePlain(call.url)
		const payload = encode(call)
		try {
			return await sendTo(call, payload)
		} catch (error) {
			const url = options.base && rightAddress(error, call, options.base)
			if (!url) throw error
			return sendTo({ ...call, url }, payload)
		}
	}

	return {
		send,
		async json(schema, call) {
			const response = await send(call)
			const text = await response.text().catch((error: unknown) => {
				throw asApiError(error, call)
			})
			const parsed = schema.safeParse(text === '' ? undefined : parseJson(text))
			if (!parsed.success) {
				throw new ApiError(
					response.status,
					'unexpected_answer',
					await anotherShape(parsed.error, {
						...{ call: `${call.method} ${call.url}`, base: options.base },
						...{ fetch: fetcher, version: options.version },
					}),
					{},
					parsed.error,
				)
			}
			return parsed.data
		},
	}
}

/** Of a call that nothing was done about. Only the host that the token is for is believed, and never out of TLS. */
function rightAddress(error: unknown, { url }: Call, base: string): string | undefined {
	if (!(error instanceof ApiError) || error.code !== 'wrong_place' || !url.startsWith(`${base}/v1/`))
		return undefined
	const there = URL.parse(String(error.problem.url))
	if (there?.protocol !== 'https:' && there?.protocol !== new URL(base).protocol) return undefined
	return there?.href
}

interface Payload {
	bytes?: BodyInit
	type?: string
}

/** Once for all attempts. */
function encode({ body, form, encoded }: Call): Payload {
	if (encoded) return encoded
	// Text, so that it can be sent again; the type is that of the form.
	if (form) return { bytes: form.toString(), type: 'application/x-www-form-urlencoded' }
	if (body === undefined) return {}
	if (body instanceof Uint8Array) return { bytes: body as Uint8Array<ArrayBuffer> }
	return { bytes: JSON.stringify(body), type: 'application/json' }
}

function parseJson(text: string): unknown {
	try {
		return JSON.parse(text)
	} catch {
		return undefined
	}
}

function withQuery(url: string, query: Call['query']): string {
	const target = new URL(url)
	for (const [name, value] of Object.entries(query ?? {}))
		if (value !== undefined) target.searchParams.set(name, String(value))
	return target.href
}

/** A name that is `.` or `..` makes another address of its own, percent-encoded or not (URL Standard, path state). */
function requirePlain(url: string): void {
	const path = url.split(/[?#]/, 1)[0] as string
	if (/\/(?:\.|%2e){1,2}(?=\/|$)/i.test(path))
		throw new ApiError(
			0,
			'invalid_request',
			`"." and ".." are no names: ${path} would lead to another address`,
		)
}

const originOf = (url: string) => URL.parse(url)?.origin ?? url

function asApiError(error: unknown, { url, signal }: Call): unknown {
	if (error instanceof ApiError || signal?.aborted) return error
	const origin = originOf(url)
	if (error instanceof DOMException && error.name === 'TimeoutError') {
		return new ApiError(0, 'timed_out', `${origin} did not answer in time`, {}, error)
	}
	const cause = (error as { cause?: { code?: string; message?: string } }).cause
	const why = cause?.code ?? cause?.message ?? (error as Error).message
	return new ApiError(0, 'unreachable', `${origin} cannot be reached (${why})`, {}, error)
}
