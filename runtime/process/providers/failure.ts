import { type EgressError, mediaType, type ResponseHead } from '../../egress/index.ts'
import { ProviderError } from './types.ts'

type Code = ProviderError['code']

interface StatusRow {
	code: Code
	retry: boolean
}

/** What a status means. One that is not named: 5xx is `provider_unavailable`, anything else the request's own fault. */
const statuses: Record<number, StatusRow> = {
	401: { code: 'provider_auth_failed', retry: false },
	402: { code: 'provider_rate_limited', retry: false },
	403: { code: 'provider_auth_failed', retry: false },
	408: { code: 'provider_unavailable', retry: true },
	409: { code: 'provider_unavailable', retry: true },
	429: { code: 'provider_rate_limited', retry: true },
}

export function statusRow(status: number): StatusRow {
	const row = statuses[status]
	if (row) return row
	if (status >= 500) return { code: 'provider_unavailable', retry: true }
	return { code: status >= 400 ? 'agent_error' : 'provider_unavailable', retry: false }
}

/** Error types and codes of both providers as they stand in bodies and in streams. */
const known = new Map<string, Code>([
	['authentication_error', 'provider_auth_failed'],
	['invalid_api_key', 'provider_auth_failed'],
	['permission_error', 'provider_auth_failed'],
	['billing_error', 'provider_rate_limited'],
	['insufficient_quota', 'provider_rate_limited'],
	['rate_limit_error', 'provider_rate_limited'],
	['rate_limit_exceeded', 'provider_rate_limited'],
	['api_error', 'provider_unavailable'],
	['overloaded_error', 'provider_unavailable'],
	['server_error', 'provider_unavailable'],
	['timeout_error', 'provider_unavailable'],
	['bio_policy', 'agent_error'],
	['context_length_exceeded', 'agent_error'],
	['data_residency_mismatch', 'agent_error'],
	['empty_image_file', 'agent_error'],
	['image_content_policy_violation', 'agent_error'],
	['image_file_too_large', 'agent_error'],
	['image_parse_error', 'agent_error'],
	['image_too_large', 'agent_error'],
	['image_too_small', 'agent_error'],
	['invalid_base64_image', 'agent_error'],
	['invalid_image', 'agent_error'],
	['invalid_image_format', 'agent_error'],
	['invalid_image_mode', 'agent_error'],
	['invalid_image_url', 'agent_error'],
	['invalid_prompt', 'agent_error'],
	['invalid_request_error', 'agent_error'],
	['misalignment_policy_violation', 'agent_error'],
	['model_not_found', 'agent_error'],
	['not_found_error', 'agent_error'],
	['request_too_large', 'agent_error'],
	['unsupported_image_media_type', 'agent_error'],
])

const passingTypes = new Set(['rate_limit_error', 'rate_limit_exceeded'])
const missingTypes = new Set(['404', 'model_not_found', 'not_found_error'])

/** The code says more than the type, where both are known. Gateways put a status into either. */
const nameOf = ({ code, type }: Said) =>
	[code, type].map(String).find((one) => known.has(one) || isStatus(one)) ?? ''

function rowOf(name: string): StatusRow | undefined {
	if (isStatus(name)) return statusRow(Number(name))
	const code = known.get(name)
	return code && { code, retry: code === 'provider_unavailable' || passingTypes.has(name) }
}

interface Said {
	code?: unknown
	type?: unknown
	message?: unknown
}

/** A failure that comes inside a stream: `error` as the provider says it, never the event around it. */
export function streamFailure(error: unknown): ProviderError {
	const said: Said = typeof error === 'object' && error !== null ? error : { message: error ?? undefined }
	const name = nameOf(said)
	const row = rowOf(name) ?? { code: 'provider_unavailable', retry: true }
	const reason = said.message ?? said.code ?? said.type ?? 'no reason given'
	const text = `the provider failed within its answer: ${typeof reason === 'string' ? reason : JSON.stringify(reason)}`
	return new ProviderError(row.code, text, { passing: row.retry, missing: missingTypes.has(name) })
}

/** An answer of another status than 200, with what the provider says of it: in JSON or as plain text, and in no page. */
export function statusFailure({ status, headers }: ResponseHead, body: string): ProviderError {
	const { message = plainText(headers, body), quota } = readBody(body)
	const said = message ? `: ${message}` : ''
	if (quota) return new ProviderError('provider_rate_limited', `the provider's quota is used up${said}`)
	if (status >= 300 && status < 400) {
		return new ProviderError(
			'provider_unavailable',
			`the provider answered ${status}; no redirect is followed with a key`,
		)
	}
	return new ProviderError(statusRow(status).code, `the provider answered ${status}${said}`)
}

/** Whole: it is cut after keys were taken out of it. */
function plainText(headers: ResponseHead['headers'], body: string): string {
	const type = mediaType({ headers })
	if (type !== 'text/plain' && type !== '') return ''
	return body.replace(/\p{Cc}+/gu, ' ').trim()
}

const SAID_MAX_CHARS = 500

/** An error in place of an answer, with status 200. Undefined: the body holds none. */
export function bodyFailure(body: string): ProviderError | undefined {
	const { message, code, type } = readBody(body)
	if (!message) return undefined
	const name = nameOf({ code, type })
	const row = rowOf(name) ?? { code: 'provider_unavailable', retry: false }
	const text = `the provider answered with an error: ${message.slice(0, SAID_MAX_CHARS)}`
	return new ProviderError(row.code, text, { passing: row.retry, missing: missingTypes.has(name) })
}

const isStatus = (name: string) => /^[45]\d\d$/.test(name)

/** OpenAI says 429 both for `slow down` and for `no money left`; only the first is worth a retry. */
export function isQuota(body: string): boolean {
	return readBody(body).quota
}

/** No such model, or no such address; gateways say the first with any status. */
export function isMissing(status: number, body: string): boolean {
	return status === 404 || readBody(body).code === 'model_not_found'
}

/** Anthropic says it with 400 and the type of a wrong request; others say it so, too. */
const NO_MONEY =
	/\b(?:credit balance is too low|reached your specified (?:API )?usage limits?|insufficient (?:balance|credits?|funds))\b/i

/** Without `message`: it is no JSON. */
function readBody(body: string): { message?: string; quota: boolean; code?: unknown; type?: unknown } {
	try {
		const { error, message, detail } = JSON.parse(body) as {
			error?: { message?: unknown; code?: unknown; type?: unknown } | string
			message?: unknown
			detail?: unknown
		}
		const inner = typeof error === 'object' && error !== null ? error : {}
		const said = typeof error === 'string' ? error : (inner.message ?? message ?? detail)
		return {
			message: typeof said === 'string' ? said : said === undefined ? '' : JSON.stringify(said),
			...{ code: inner.code, type: inner.type },
			quota:
				inner.code === 'insufficient_quota' ||
				inner.type === 'insufficient_quota' ||
				NO_MONEY.test(String(said)),
		}
	} catch {
		return { quota: false }
	}
}

const passingCodes = new Set<EgressError['code']>(['egress_unreachable', 'egress_broken', 'egress_timeout'])

/** What went wrong below HTTP. */
export function transportFailure(error: EgressError): ProviderError {
	const passing = passingCodes.has(error.code)
	return new ProviderError('provider_unavailable', error.message, { passing, cause: error })
}

/** Some providers say themselves that a retry makes no sense. */
export function refusesRetry(headers: ResponseHead['headers']): boolean {
	return headers['x-should-retry'] === 'false'
}
