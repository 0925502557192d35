import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'

export interface Received {
	method: string
	path: string
	headers: Record<string, string>
	body: string
	at: number
}

export interface Receiver {
	url: string
	received: Received[]
	/** What the next calls get, one after the other; then 200. */
	answers: ((response: ServerResponse, request: IncomingMessage) => void)[]
	close(): Promise<void>
}

/** A webhook endpoint of somebody's. */
export async function startReceiver(): Promise<Receiver> {
	const received: Received[] = []
	const answers: Receiver['answers'] = []
	const server = createServer(async (request, response) => {
		const body = await text(request)
		received.push({
			method: request.method ?? '',
			path: request.url ?? '',
			headers: request.headers as Record<string, string>,
			body,
			at: Date.now(),
		})
		const answer = answers.shift()
		if (answer) answer(response, request)
		else response.end('thanks')
	})
	await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
	return {
		url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`,
		received,
		answers,
		close: () =>
			new Promise((resolve) => {
				server.closeAllConnections()
				server.close(() => resolve())
			}),
	}
}

export const status =
	(code: number, headers: Record<string, string> = {}, body = '') =>
	(response: ServerResponse) => {
		response.writeHead(code, headers).end(body)
	}
