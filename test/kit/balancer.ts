import { createServer, request as httpRequest, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'

export interface Balancer {
	url: string
	/** Base URLs; may be changed while it runs. */
	hosts: string[]
	close(): Promise<void>
}

/**
 * A load balancer on loopback: round robin, and the next host where one cannot be reached or refuses with 503 and
 * `Retry-After`. A request that broke off unanswered is made again only where that does no harm: `GET`, or with an
 * `Idempotency-Key`.
 */
export async function startBalancer(): Promise<Balancer> {
	const hosts: string[] = []
	let turn = 0
	const server = createServer(async (request, response) => {
		const body = await buffer(request).catch(() => null)
		if (!body) return
		const harmless = request.method === 'GET' || request.headers['idempotency-key'] !== undefined
		const first = turn++
		for (let i = 0; i < hosts.length; i++) {
			const host = hosts[(first + i) % hosts.length] as string
			const outcome = await passOn(request, body, host, response, i < hosts.length - 1)
			if (outcome === 'done' || (outcome === 'broken' && !harmless)) break
		}
		if (!response.headersSent) response.writeHead(502).end()
	})
	await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
	return {
		url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
		hosts,
		close: () =>
			new Promise((resolve) => {
				server.closeAllConnections()
				server.close(() => resolve())
			}),
	}
}

type Outcome = 'done' | 'refused' | 'broken'

function passOn(
	{ method, url, headers }: IncomingMessage,
	body: Buffer,
	host: string,
	to: ServerResponse,
	hasNext: boolean,
): Promise<Outcome> {
	return new Promise((resolve) => {
		const asked = httpRequest(new URL(url ?? '/', host), {
			...{ method, headers },
			// A connection of its own: none is found closed.
			agent: false,
		})
		asked.on('response', (answer) => {
			if (answer.statusCode === 503 && answer.headers['retry-after'] !== undefined && hasNext) {
				answer.resume()
				return resolve('refused')
			}
			to.writeHead(answer.statusCode ?? 502, answer.headers)
			answer.pipe(to)
			answer.on('error', () => to.destroy())
			answer.on('end', () => resolve('done'))
			answer.on('close', () => {
				to.destroyed || to.end()
				resolve('done')
			})
		})
		asked.on('error', (error: NodeJS.ErrnoException) =>
			resolve(error.code === 'ECONNREFUSED' ? 'refused' : 'broken'),
		)
		to.on('close', () => asked.destroy())
		asked.end(body)
	})
}
