import { type Egress, EgressError, type EgressRequest, type ResponseHead } from '../../egress/index.ts'
import { HttpError } from './error.ts'
import { headersWith } from './origins.ts'
import type { HttpRequest } from './request.ts'

export interface HttpAnswer extends ResponseHead {
	body: Buffer
}

export interface SendOptions {
	egress: Egress
	/** By name. */
	secrets: ReadonlyMap<string, string>
	/** The same whenever this request is made. */
	key: string
	/** Of the trace, unless the program or agent.yaml sets one. */
	traceparent?: string
	/** Over all that agent.yaml and program say. */
	ceilingMs: number
	signal: AbortSignal
}

const REDIRECTS = new Set([301, 302, 303, 307, 308])

/** Rejects `HttpError`, or the reason of `signal`. */
export async function sendRequest(request: HttpRequest, options: SendOptions): Promise<HttpAnswer> {
	try {
		return await exchange(request, options)
	} catch (error) {
		// A kept connection that the server closes in that moment is the egress's matter; this one broke otherwise.
		const broken = error instanceof EgressError && error.code === 'egress_broken' && !error.repeated
		if (!request.repeatable || !broken) throw told(error, request, options)
	}
	return exchange(request, options).catch((error: unknown) => {
		throw told(error, request, options)
	})
}

async function exchange(
	request: HttpRequest,
	{ egress, secrets, key, traceparent, ceilingMs, signal }: SendOptions,
) {
	const { origin, method, url, headers, body } = request
	const ms = Math.min(request.timeoutMs, ceilingMs)
	const chunks: Buffer[] = []
	const sent: EgressRequest = {
		method: method as EgressRequest['method'],
		headers: {
			accept: '*/*',
			'user-agent': 'Berth-Agent/1',
			...(body !== undefined && { 'content-type': contentType(body) }),
			...(traceparent && { traceparent }),
			...headers,
			...headersWith(origin, secrets),
			// What is compressed could not be searched for secrets.
			'accept-encoding': 'identity',
			...(origin.idempotent && method !== 'GET' && method !== 'HEAD' && { 'idempotency-key': key }),
		},
		...(body !== undefined && { body }),
		repeatable: request.repeatable,
		signal,
		headersMs: ms,
		idleBodyMs: ms,
		totalMs: ms,
		maxBytes: origin.maxBytes,
	}
	const head = await egress.stream(url, sent, {
		onHead: (head) => refuseHead(head, origin.origin),
		onChunk: (chunk) => chunks.push(chunk),
	})
	return { ...head, body: Buffer.concat(chunks) }
}

const contentType = (body: string | Uint8Array) =>
	typeof body === 'string' ? 'text/plain;charset=UTF-8' : 'application/octet-stream'

/** Before its body is read. */
function refuseHead({ status, headers }: ResponseHead, origin: string): void {
	if (REDIRECTS.has(status))
		throw new HttpError(
			'http_redirect_refused',
			`${origin} answered ${status}, a redirect${placeOf(headers.location, origin)}. It is not followed: ask the address that it leads to.`,
		)
	const encoding = headers['content-encoding']
	if (encoding !== undefined && encoding !== 'identity')
		throw new HttpError(
			'http_unavailable',
			`${origin} answered with a content encoding, which it was asked not to do (Accept-Encoding: identity).`,
		)
}

function placeOf(location: string | string[] | undefined, origin: string): string {
	const to = typeof location === 'string' ? URL.parse(location, origin) : null
	if (!to || !/^https?:$/.test(to.protocol)) return ''
	return to.origin === origin ? ' to another path' : ' to another origin'
}

function told(error: unknown, request: HttpRequest, { ceilingMs, signal }: SendOptions): unknown {
	if (signal.aborted || !(error instanceof EgressError)) return error
	const { origin } = request.origin
	const options = { cause: error }
	switch (error.code) {
		case 'egress_refused':
			return new HttpError('http_address_refused', `${error.message}.`, options)
		case 'egress_unreachable':
			return new HttpError('http_unavailable', `${error.message}.`, options)
		case 'egress_too_large':
			return new HttpError(
				'http_too_large',
				`${origin} answered with more than ${request.origin.maxBytes / 1024} KiB (max_response_kb).`,
				options,
			)
		case 'egress_timeout': {
			const seconds = Math.min(request.timeoutMs, ceilingMs) / 1000
			const message = `${origin} did not answer within ${seconds} s.`
			return new HttpError('http_unavailable', message, { ...options, unknown: !error.unsent })
		}
		default:
			return new HttpError('http_unavailable', `${error.message}.`, { ...options, unknown: true })
	}
}
