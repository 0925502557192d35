/**
 * A scripted model server on loopback: OpenAI responses and chat, Anthropic messages, streamed and whole, with the
 * shapes their SDKs read (test/unit/runtime/providers/model-server.test.ts holds it to them). Also a process of its own:
 * `node test/kit/model-server.ts ['{"model": [turns]}']` prints its addresses as one line of JSON; scripts are
 * then added by `POST /scripts`, and `GET /requests` shows what it was asked.
 */
import { fstatSync } from 'node:fs'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text as readText } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import { createdAt, type Fault, type SseEvent, sse, type Turn, type VendorAnswer } from './vendors/answer.ts'
import { chatError, chatEvents, chatObject } from './vendors/chat.ts'
import { embeddingObject } from './vendors/embeddings.ts'
import { messageObject, messagesError, messagesEvents } from './vendors/messages.ts'
import { responseObject, responsesError, responsesEvents } from './vendors/responses.ts'

export type { Fault, Turn }

export interface ModelCall {
	api: 'responses' | 'chat' | 'messages'
	model: string
	/** Answers of the model so far in this conversation: 0 for the first call. */
	turn: number
	/** Earlier requests for this model, over all conversations. */
	count: number
	body: Record<string, unknown>
}

/** One turn for every call, or one a turn of the conversation (the last repeats), or a function. */
export type Script = Turn | Turn[] | ((call: ModelCall) => Turn | Promise<Turn>)

export interface RecordedRequest {
	path: string
	headers: IncomingMessage['headers']
	body: Record<string, unknown>
	at: number
}

export interface ModelServer {
	/** `base_url` for `provider: anthropic`. */
	url: string
	/** `base_url` for `provider: openai`. */
	openaiUrl: string
	port: number
	/** By model name; may be changed while it runs. */
	scripts: Record<string, Script>
	/** Newest last. */
	requests: RecordedRequest[]
	close(): Promise<void>
}

type Body = Record<string, unknown>
interface Wire {
	events: (answer: VendorAnswer) => SseEvent[]
	whole: (answer: VendorAnswer) => object
	error: SseEvent
	last: string
}

const wires: Record<ModelCall['api'], Wire> = {
	responses: {
		events: responsesEvents,
		whole: (a) => responseObject(a, true),
		error: responsesError,
		last: '',
	},
	chat: { events: chatEvents, whole: chatObject, error: chatError, last: 'data: [DONE]\n\n' },
	messages: { events: messagesEvents, whole: messageObject, error: messagesError, last: '' },
}
const apis: Record<string, ModelCall['api']> = {
	'/v1/responses': 'responses',
	'/v1/chat/completions': 'chat',
	'/v1/messages': 'messages',
}
/** A long load keeps the newest half. */
const MAX_RECORDED = 20_000

export async function startModelServer(
	scripts: Record<string, Script> = {},
	options: { key?: string; port?: number } = {},
): Promise<ModelServer> {
	const requests: RecordedRequest[] = []
	const counts = new Map<string, number>()
	const server = createServer((request, response) => {
		serve(request, response).catch(() => response.destroy())
	})
	async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
		const path = (request.url ?? '').split('?')[0] ?? ''
		const key = presentedKey(request)
		if (path === '/scripts') {
			Object.assign(scripts, JSON.parse(await readText(request)))
			return sendJson(response, 200, {})
		}
		if (path === '/requests') return sendJson(response, 200, requests)
		if (options.key !== undefined && key !== options.key) return sendError(response, path, 401, 'invalid key')
		if (path === '/v1/models') return sendJson(response, 200, modelList(scripts))
		const api = apis[path]
		if (request.method !== 'POST' || !(api || path === '/v1/embeddings'))
			return sendError(response, path, 404, `no ${path} here`)
		const body = JSON.parse(await readText(request)) as Body
		requests.push({ path, headers: request.headers, body, at: Date.now() })
		if (requests.length > MAX_RECORDED) requests.splice(0, MAX_RECORDED / 2)
		const model = String(body.model)
		const script = scripts[model]
		if (script === undefined) return sendError(response, path, 404, `the model ${model} does not exist`)
		if (!api) {
			const { fault } = script as Turn
			if (typeof fault === 'object') return fail(response, path, fault, key)
			return sendJson(response, 200, embeddingObject(body))
		}
		const count = counts.get(model) ?? 0
		counts.set(model, count + 1)
		const call = { api, model, turn: turnOf(body), count, body }
		await play(response, await pick(script, call), call, { path, key })
	}
	await new Promise<void>((resolve) => server.listen(options.port ?? 0, '127.0.0.1', resolve))
	const { port } = server.address() as AddressInfo
	const url = `http://127.0.0.1:${port}`
	return {
		url,
		openaiUrl: `${url}/v1`,
		port,
		scripts,
		requests,
		async close() {
			server.closeAllConnections()
			await new Promise((resolve) => server.close(resolve))
		},
	}
}

async function pick(script: Script, call: ModelCall): Promise<Turn> {
	if (typeof script === 'function') return script(call)
	return Array.isArray(script) ? (script[Math.min(call.turn, script.length - 1)] ?? {}) : script
}

/** Answers of the model in the conversation sent: whole turns, however many items one has. */
function turnOf(body: Body): number {
	const items = body.messages ?? body.input
	if (!Array.isArray(items)) return 0
	const own = (item?: { role?: string; type?: string }) =>
		item?.role === 'assistant' ||
		item?.type === 'function_call' ||
		item?.type === 'reasoning' ||
		item?.type === 'web_search_call'
	return items.filter((item, i) => own(item) && !own(items[i - 1])).length
}

async function play(
	response: ServerResponse,
	turn: Turn,
	call: ModelCall,
	{ path, key }: { path: string; key: string },
): Promise<void> {
	const { fault } = turn
	if (turn.delayMs) await sleep(turn.delayMs)
	if (fault === 'silence') return
	if (fault === 'reset') response.destroy()
	else if (fault === 'empty') response.writeHead(200, { 'content-type': 'text/event-stream' }).end()
	else if (fault === 'garbage') response.writeHead(200, { 'content-type': 'text/html' }).end('<html>no {"')
	else if (typeof fault === 'object') fail(response, path, fault, key)
	else {
		const streamed = call.body.stream === true
		response.setHeader('content-type', streamed ? 'text/event-stream; charset=utf-8' : 'application/json')
		if (fault || turn.dripMs) await drip(response, parts(turn, call, key), turn, wires[call.api].error)
		else response.end(bytesOf(turn, call, key))
	}
}

/** Bytes of a turn, made once, so that a load is not slowed by its server. */
const encoded = new WeakMap<Turn, Map<string, Buffer>>()

function bytesOf(turn: Turn, call: ModelCall, key: string): Buffer {
	const known = encoded.get(turn) ?? new Map<string, Buffer>()
	encoded.set(turn, known)
	const given = turn.text?.includes('{{key}}') ? key : ''
	const name = [call.api, call.model, call.turn, call.body.stream, includeUsage(call), given].join(' ')
	const bytes = known.get(name) ?? Buffer.from(parts(turn, call, key).join(''))
	known.set(name, bytes)
	return bytes
}

function parts(turn: Turn, call: ModelCall, key: string): string[] {
	const calls = (turn.calls ?? []).map((c, i) => ({
		name: c.name,
		input: c.input,
		id: c.id ?? `call_${call.turn}_${i}`,
	}))
	const answer: VendorAnswer = {
		model: call.model,
		id: `answer_${call.turn}`,
		turn,
		text: (turn.text ?? '').replaceAll('{{key}}', key),
		calls,
		usage: turn.usage === null ? null : { input: 20, cached: 0, output: 10, ...turn.usage },
		includeUsage: includeUsage(call),
	}
	const wire = wires[call.api]
	if (call.body.stream !== true) return [JSON.stringify(wire.whole(answer))]
	return [...wire.events(answer).map(sse), wire.last]
}

function includeUsage({ body }: ModelCall): boolean {
	return (body.stream_options as { include_usage?: boolean } | undefined)?.include_usage === true
}

async function drip(response: ServerResponse, all: string[], turn: Turn, error: SseEvent): Promise<void> {
	const { fault, dripMs } = turn
	for (const part of fault ? all.slice(0, Math.ceil(all.length / 2)) : all) {
		if (response.destroyed) return
		response.write(part)
		if (dripMs) await sleep(dripMs)
	}
	if (fault === 'error') response.write(sse(error))
	if (fault === 'cut') {
		await sleep(20)
		response.destroy()
	}
	const filler = sse([null, { type: 'response.output_text.delta', delta: 'x'.repeat(65_536), choices: [] }])
	while (fault === 'huge' && !response.destroyed) {
		if (!response.write(filler)) await drained(response)
	}
	response.end()
}

function drained(response: ServerResponse): Promise<void> {
	return new Promise((resolve) => {
		const done = () => {
			response.off('drain', done).off('close', done)
			resolve()
		}
		response.on('drain', done).on('close', done)
	})
}

function fail(response: ServerResponse, path: string, fault: Extract<Fault, object>, key: string): void {
	const bytes = Buffer.from(key)
	const forms = [
		key,
		encodeURIComponent(key),
		JSON.stringify(key),
		bytes.toString('base64'),
		bytes.toString('base64url'),
		bytes.toString('hex'),
	]
	if (fault.echo) for (const [i, form] of forms.entries()) response.setHeader(`x-echo-${i}`, form)
	for (const [name, value] of Object.entries(fault.headers ?? {})) response.setHeader(name, value)
	const message = fault.echo ? `Incorrect API key provided: ${forms.join(' or ')}` : 'scripted failure'
	if (fault.body === undefined) sendError(response, path, fault.status, message)
	else sendJson(response, fault.status, fault.body)
}

const errorTypes: Record<number, string> = {
	400: 'invalid_request_error',
	401: 'authentication_error',
	403: 'permission_error',
	404: 'not_found_error',
	429: 'rate_limit_error',
	529: 'overloaded_error',
}

function sendError(response: ServerResponse, path: string, status: number, message: string): void {
	const type = errorTypes[status] ?? 'api_error'
	const body =
		path === '/v1/messages'
			? { type: 'error', error: { type, message }, request_id: 'req_test' }
			: { error: { message, type, param: null, code: null } }
	sendJson(response, status, body)
}

function sendJson(response: ServerResponse, status: number, body: unknown): void {
	response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
}

function modelList(scripts: Record<string, Script>) {
	const data = Object.keys(scripts).map((id) => ({ id, object: 'model', type: 'model', created: createdAt }))
	return { object: 'list', data, has_more: false }
}

function presentedKey({ headers }: IncomingMessage): string {
	return headers.authorization?.replace(/^Bearer /, '') ?? String(headers['x-api-key'] ?? '')
}

if (import.meta.main) {
	const { url, openaiUrl, port } = await startModelServer(JSON.parse(process.argv[2] ?? '{}'))
	process.stdout.write(`${JSON.stringify({ url, openaiUrl, port })}\n`)
	process.once('SIGTERM', () => process.exit(0))
	// Ends with its parent where that holds a pipe to it.
	if (!fstatSync(0).isCharacterDevice()) process.stdin.resume().once('end', () => process.exit(0))
}
