/** `ctx.http`: the request as texts, the response with its JSON read. What may be asked for is decided outside. */
import type { HttpRequest, HttpResponse, Json } from '../../bundles/types/index.d.ts'
import { EffectFailure, effect } from './bridge.ts'
import type { RunState } from './state.ts'

const { parse, stringify } = JSON
const { keys } = Object
const MEMBERS = ['method', 'url', 'headers', 'body', 'base64', 'timeout_ms']
const JSON_TYPE = /^application\/(?:[\w.+-]+\+)?json\b/i

export async function http(run: RunState, request: HttpRequest): Promise<HttpResponse> {
	// Left out unseen, `json` for `body` would send an empty request.
	const given = typeof request === 'object' ? keys(request) : []
	const unknown = given.find((name) => !MEMBERS.includes(name))
	if (unknown !== undefined)
		throw new EffectFailure({
			code: 'invalid_request',
			message: `ctx.http: there is no \`${unknown.slice(0, 100)}\`. A request has ${MEMBERS.join(', ')}.`,
		})
	const { method, url, body, base64, timeout_ms } = request
	const isJson = body !== undefined && typeof body !== 'string'
	const headers = isJson ? labelled(request.headers) : request.headers
	const text = isJson ? (stringify(body) as string | undefined) : body
	if (isJson && text === undefined)
		throw new EffectFailure({
			code: 'invalid_request',
			message: 'ctx.http: `body` cannot be written as JSON.',
		})
	const reply = await effect(run, 'http', {
		url,
		...(method === undefined ? {} : { method }),
		...(headers === undefined ? {} : { headers }),
		...(text === undefined ? {} : { body: text as string }),
		...(base64 === undefined ? {} : { base64 }),
		...(timeout_ms === undefined ? {} : { timeout_ms }),
	})
	return { ...reply, text: reply.text ?? '', ...jsonOf(reply) }
}

/** With a content type, unless it has one. */
function labelled(headers: Record<string, string> = {}): Record<string, string> {
	const named = Object.keys(headers).some((name) => name.toLowerCase() === 'content-type')
	return named ? headers : { ...headers, 'content-type': 'application/json' }
}

function jsonOf({ headers, text }: { headers: Record<string, string>; text?: string }): { json?: Json } {
	if (text === undefined || !JSON_TYPE.test(headers['content-type'] ?? '')) return {}
	try {
		return { json: parse(text) as Json }
	} catch {
		return {}
	}
}
