import { headerFault } from '../../../bundles/index.ts'
import type { Effects } from '../../wire/effects.ts'
import { HttpError } from './error.ts'
import type { HttpOrigin, HttpOrigins } from './origins.ts'

/** What a program asks for, checked. */
export interface HttpRequest {
	origin: HttpOrigin
	method: string
	url: URL
	/** Names in lower case; none that `agent.yaml` sets. */
	headers: Record<string, string>
	body: string | Uint8Array | undefined
	timeoutMs: number
	/** It may be made again when its outcome is unknown. */
	repeatable: boolean
}

const URL_MAX_CHARS = 8192
const BODY_MAX_BYTES = 1024 * 1024
const HEADERS_MAX = 64
const HEADERS_MAX_CHARS = 16 * 1024
/** They change nothing where they are sent to (RFC 9110 §9.2.1). */
const SAFE = new Set(['GET', 'HEAD'])
/** Secrets are put into headers by the runtime, as agent.yaml says, and nowhere else. */
const PLACEHOLDER = /\{\{\s*secret\b|%7b%7b(?:%20|\+)*secret\b/i

/** Arguments of the effect, not yet believed. */
export type HttpArgs = { [K in keyof Effects['http']['args']]?: unknown }

/** Throws `HttpError`. */
export function checkedRequest(origins: HttpOrigins, args: HttpArgs): HttpRequest {
	const method = textOf(args.method ?? 'GET', 'method').toUpperCase()
	const url = urlOf(textOf(args.url, 'url'))
	const origin = origins.get(url.origin)
	if (!origin) {
		const known = [...origins.keys()].join(', ') || 'none'
		throw new HttpError(
			'http_origin_refused',
			`${url.origin} is not an origin that agent.yaml declares under \`http\` (declared: ${known}).`,
		)
	}
	if (!origin.methods.has(method)) {
		const known = [...origin.methods].join(', ')
		throw new HttpError(
			'http_method_refused',
			`agent.yaml does not allow ${method.slice(0, 20)} at ${url.origin} (allowed: ${known}).`,
		)
	}
	const body = bodyOf(args)
	if (body !== undefined && SAFE.has(method)) throw invalid(`a ${method} request has no body`)
	return {
		origin,
		method,
		url,
		headers: headersOf(args.headers ?? {}, origin),
		body,
		timeoutMs: Math.min(origin.timeoutMs, timeoutOf(args.timeout_ms)),
		repeatable: origin.idempotent || SAFE.has(method),
	}
}

function textOf(value: unknown, name: string): string {
	if (typeof value !== 'string') throw invalid(`\`${name}\` must be text`)
	return value
}

function urlOf(text: string): URL {
	if (text.length > URL_MAX_CHARS) throw invalid(`\`url\` is over ${URL_MAX_CHARS} characters`)
	refuseSecret(text, 'URL')
	const url = URL.parse(text)
	if (!url || !/^https?:$/.test(url.protocol)) throw invalid('`url` must be a whole http(s) URL')
	if (url.username || url.password) throw invalid('`url` has a user name or password')
	url.hash = ''
	return url
}

function bodyOf({ body, base64 }: HttpArgs): HttpRequest['body'] {
	if (body === undefined && base64 === undefined) return undefined
	if (body !== undefined && base64 !== undefined) throw invalid('give `body` or `base64`, not both')
	const bytes = body === undefined ? bytesOf(textOf(base64, 'base64')) : textOf(body, 'body')
	if (Buffer.byteLength(bytes) > BODY_MAX_BYTES)
		throw new HttpError('http_too_large', `The body of a request may have ${BODY_MAX_BYTES / 1024} KiB.`)
	refuseSecret(typeof bytes === 'string' ? bytes : Buffer.from(bytes).toString('latin1'), 'body')
	return bytes
}

function bytesOf(base64: string): Uint8Array {
	if (!/^[A-Za-z0-9+/]*={0,2}$/.test(base64)) throw invalid('`base64` is not base64')
	return Buffer.from(base64, 'base64')
}

function headersOf(given: unknown, origin: HttpOrigin): Record<string, string> {
	if (typeof given !== 'object' || given === null || Array.isArray(given))
		throw invalid('`headers` must be an object of texts')
	const entries = Object.entries(given)
	if (entries.length > HEADERS_MAX) throw invalid(`\`headers\` has over ${HEADERS_MAX} members`)
	const headers = new Map<string, string>()
	let chars = 0
	for (const [name, value] of entries) {
		const shown = JSON.stringify(name.slice(0, 100))
		if (typeof value !== 'string' || !/^[\t\x20-\x7e]*$/.test(value))
			throw invalid(`the header ${shown} must be text of printable ASCII characters`)
		refuseSecret(value, 'headers')
		refuseSecret(name, 'headers')
		const lower = name.toLowerCase()
		const fault =
			headerFault(name) ??
			(headers.has(lower) ? 'is there twice' : undefined) ??
			(origin.headers.some((one) => one.name === lower) ? 'is set in agent.yaml' : undefined)
		if (fault) throw new HttpError('http_header_refused', `The header ${shown} ${fault}.`)
		headers.set(lower, value)
		chars += name.length + value.length
	}
	if (chars > HEADERS_MAX_CHARS) throw invalid(`\`headers\` has over ${HEADERS_MAX_CHARS} characters`)
	return Object.fromEntries(headers)
}

function timeoutOf(value: unknown): number {
	if (value === undefined) return Number.POSITIVE_INFINITY
	if (typeof value !== 'number' || !(value >= 1)) throw invalid('`timeout_ms` must be a number from 1 on')
	return value
}

function refuseSecret(text: string, where: string): void {
	if (!PLACEHOLDER.test(text)) return
	throw new HttpError(
		'http_secret_refused',
		`The ${where} of a request cannot name a secret. Secrets go into the headers that agent.yaml sets under \`http\`.`,
	)
}

const invalid = (what: string) => new HttpError('invalid_request', `ctx.http: ${what}.`)
