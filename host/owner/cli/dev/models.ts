/**
 * The model as the private host sees it: a server on loopback. It passes requests on with the owner's key from the
 * environment, which the host never has; it records answers, or gives recorded ones.
 */
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { filesIn, keyOf, player, type Recording, readRecording, recorder, turnOf } from './recording.ts'

/** Where the calls of one model go, by the first part of their path. */
export interface Upstream {
	provider: 'openai' | 'anthropic'
	/** What stands before `/chat/completions`, `/responses` or `/v1/messages`. */
	url: string
	/** Its value, not the name of its variable. Undefined: none is set. */
	key: string | undefined
	/** What to say where it is needed and missing. */
	missing: string
}

export interface Models {
	/** `base_url` of a model. */
	baseUrl(id: string): string
	port: number
	/** The owner's words for the environment variables of keys, by the key's name; `''`: the first model's. */
	keyVariables: ReadonlyMap<string, string>
	/** By agent and, where it has several, model. */
	upstreams: Map<string, Upstream>
	/** Which of OpenAI's interfaces a recording has of a model; undefined: nothing is replayed. */
	replayed(id: string): 'chat' | 'responses' | undefined
	close(): void
}

export interface ModelsOptions {
	port: number
	record?: string | undefined
	replay?: string | undefined
	keyVariables: ReadonlyMap<string, string>
	onNote(text: string): void
}

/** Hop by hop, or of a body that `fetch` has unpacked. */
const DROPPED = new Set([
	'connection',
	'content-encoding',
	'content-length',
	'keep-alive',
	'transfer-encoding',
])

export async function startModels({
	port,
	record,
	replay,
	keyVariables,
	onNote,
}: ModelsOptions): Promise<Models> {
	const upstreams = new Map<string, Upstream>()
	const recording = replay === undefined ? undefined : readRecording(replay)
	const play = recording && player(recording)
	const keep = record === undefined ? null : recorder(record)
	const server = createServer((request, response) => {
		answer(request, response).catch((error: Error) => {
			if (response.headersSent) response.destroy()
			else refuse(response, 502, `the model could not be reached: ${reasonOf(error)}`)
		})
	})
	server.listen(port, '127.0.0.1')
	await once(server, 'listening')
	const own = (server.address() as AddressInfo).port

	async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
		const [, name = '', path = ''] = /^\/([^/]+)(\/.*)$/.exec(request.url ?? '') ?? []
		const upstream = upstreams.get(name)
		if (!upstream) return refuse(response, 404, 'no agent of berth dev calls this address')
		const sent = await text(request)
		if (play && request.method === 'GET') return send(response, 200, '{"object":"list","data":[]}')
		const body = sent === '' ? {} : (JSON.parse(sent) as Record<string, unknown>)
		const files = filesIn(body)
		const asked = {
			...{ agent: name, path, key: keyOf(path, body), turn: turnOf(body) },
			...(files.length > 0 && { files }),
		}
		if (play) {
			const found = play(asked)
			if (!found)
				return refuse(
					response,
					404,
					`the recording has no answer ${asked.turn + 1} of a conversation: record anew with --record`,
				)
			if (!found.exact)
				onNote(`the request has changed since it was recorded; answer ${asked.turn + 1} is the recorded one`)
			response.writeHead(200, { 'content-type': found.answer.type })
			return void response.end(found.answer.body)
		}
		const given = await pass(upstream, { path, sent, request, response })
		if (given && keep) keep({ ...asked, ...given })
	}

	return {
		port: own,
		keyVariables,
		upstreams,
		replayed: (id) => recording && apiOf(recording, id),
		baseUrl: (id) => `http://127.0.0.1:${own}/${id}`,
		close() {
			server.close()
			server.closeAllConnections()
		},
	}
}

const apiOf = ({ answers }: Recording, id: string) =>
	answers.some(({ agent, path }) => agent === id && path.endsWith('/chat/completions')) ? 'chat' : 'responses'

interface Passing {
	path: string
	sent: string
	request: IncomingMessage
	response: ServerResponse
}

/** Bytes go on as they come. Resolves with the answer where it is one. */
async function pass(
	upstream: Upstream,
	{ path, sent, request, response }: Passing,
): Promise<{ type: string; body: string } | null> {
	if (upstream.key === undefined) {
		refuse(response, 401, upstream.missing)
		return null
	}
	const gone = new AbortController()
	response.on('close', () => gone.abort())
	const answer = await fetch(upstream.url + path, {
		method: request.method ?? 'GET',
		headers: headersOf(upstream, request),
		...(sent !== '' && { body: sent }),
		signal: gone.signal,
	})
	response.writeHead(answer.status, [...answer.headers].filter(([name]) => !DROPPED.has(name)).flat())
	let body = ''
	const decoder = new TextDecoder()
	for await (const chunk of answer.body ?? []) {
		body += decoder.decode(chunk, { stream: true })
		response.write(chunk)
	}
	response.end()
	const asked = request.method === 'POST' && answer.ok
	return asked ? { type: answer.headers.get('content-type') ?? 'application/json', body } : null
}

function headersOf({ provider, key = '' }: Upstream, { headers }: IncomingMessage): Record<string, string> {
	const kept = ['accept', 'content-type', 'anthropic-version', 'anthropic-beta', 'user-agent'].flatMap(
		(name) => (typeof headers[name] === 'string' ? [[name, headers[name]] as const] : []),
	)
	const auth = provider === 'anthropic' ? ['x-api-key', key] : ['authorization', `Bearer ${key}`]
	return Object.fromEntries([...kept, auth])
}

const reasonOf = ({ message, cause }: Error) => (cause instanceof Error ? cause.message : message)

const send = (response: ServerResponse, status: number, body: string) =>
	void response.writeHead(status, { 'content-type': 'application/json' }).end(body)

/** As providers write their errors, so that the run's error shows the words. */
function refuse(response: ServerResponse, status: number, message: string): void {
	send(response, status, JSON.stringify({ type: 'error', error: { type: 'invalid_request_error', message } }))
}
