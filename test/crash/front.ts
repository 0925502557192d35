import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import type { KeptHost } from './processes.ts'

/** One address for all hosts, as a load balancer gives it: what one does not answer, the other is asked. */
export interface Front {
	/** `BASE_URL` of each. */
	url: string
	hosts: KeptHost[]
	/** The same hosts, for callers of agents: it waits as long as an answer takes. */
	agents: string
	/**
	 * The same hosts' token endpoint at an address of its own, so that it is asked from outside like a stranger's. It says
	 * that its tokens end soon, and whoever takes them holds them to it.
	 */
	tokens: {
		url: string
		isValid(token: string): boolean
		answers: { status: number; error: unknown; at: number }[]
	}
	close(): Promise<void>
}

/** A token is refreshed five seconds before its end: every four seconds or so. */
const tokenMs = 9_000
/** Shorter than a client waits. */
const patienceMs = 6_000
const tryMs = 3_000
const againMs = 50
/** An agent's answer takes as long as its host stands still. */
const agentMs = 240_000

export async function startFront(): Promise<Front> {
	const hosts: KeptHost[] = []
	const ends = new Map<string, number>()
	const answers: Front['tokens']['answers'] = []
	const whole = await serve((request, body) => forward(hosts, request, body))
	const agents = await serve((request, body) => forward(hosts, request, body, agentMs))
	const tokens = await serve(async (request, body) => {
		const answer = await forward(hosts, request, body)
		const said = JSON.parse(answer.body.toString() || '{}') as Record<string, unknown>
		answers.push({ status: answer.status, error: said.error, at: Date.now() })
		if (answer.status !== 200) return answer
		const token = String(said.access_token)
		const end = ends.get(token) ?? Date.now() + tokenMs
		ends.set(token, end)
		const expires_in = Math.max(1, Math.round((end - Date.now()) / 1000))
		return { ...answer, body: Buffer.from(JSON.stringify({ ...said, expires_in })) }
	})
	return {
		url: whole.url,
		hosts,
		agents: agents.url,
		tokens: {
			url: `${tokens.url}/token`,
			isValid: (token) => (ends.get(token) ?? 0) > Date.now(),
			answers,
		},
		async close() {
			await Promise.all([whole.close(), agents.close(), tokens.close()])
		},
	}
}

interface Answered {
	status: number
	headers: [string, string][]
	body: Buffer
}

let turn = 0

async function forward(
	hosts: KeptHost[],
	request: IncomingMessage,
	body: Buffer,
	answerMs = tryMs,
): Promise<Answered> {
	const { host: _, connection: __, 'content-length': ___, ...headers } = request.headers
	for (const end = Date.now() + patienceMs; ; await sleep(againMs)) {
		const host = hosts[turn++ % hosts.length] as KeptHost
		const answer = await fetch(new URL(request.url ?? '/', host.url), {
			method: request.method ?? 'GET',
			headers: headers as Record<string, string>,
			...(body.length > 0 && { body: new Uint8Array(body) }),
			redirect: 'manual',
			signal: AbortSignal.timeout(answerMs),
		})
			.then(answered)
			.catch(() => null)
		if (answer && (answer.status < 500 || Date.now() > end)) return answer
		if (Date.now() > end) return { status: 502, headers: [], body: Buffer.from('{}') }
	}
}

async function answered(response: Response): Promise<Answered> {
	const headers = [...response.headers].filter(
		([name]) => !['content-encoding', 'content-length', 'transfer-encoding', 'connection'].includes(name),
	)
	return { status: response.status, headers, body: Buffer.from(await response.arrayBuffer()) }
}

async function serve(answer: (request: IncomingMessage, body: Buffer) => Promise<Answered>) {
	const handle = async (request: IncomingMessage, response: ServerResponse) => {
		const { status, headers, body } = await answer(request, await buffer(request))
		for (const [name, value] of headers) response.appendHeader(name, value)
		response.writeHead(status).end(body)
	}
	const server = createServer((request, response) => {
		handle(request, response).catch(() => response.destroy())
	})
	await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
	const { port } = server.address() as AddressInfo
	return {
		url: `http://127.0.0.1:${port}`,
		async close() {
			server.closeAllConnections()
			await new Promise((resolve) => server.close(resolve))
		},
	}
}
