import { createHmac, timingSafeEqual } from 'node:crypto'
import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text as readText } from 'node:stream/consumers'

export interface Received {
	headers: IncomingHttpHeaders
	body: string
}

export interface Receiver {
	url: string
	/** Resolves with the first delivery that has this type. */
	next(type: string, timeoutMs: number): Promise<Received>
	close(): Promise<void>
}

/** What an owner's own service would be: takes webhooks and answers 204. */
export async function startReceiver(): Promise<Receiver> {
	const received: Received[] = []
	const waiting = new Set<() => void>()
	const server = createServer(async (request, response) => {
		const body = await readText(request)
		response.writeHead(204).end()
		received.push({ headers: request.headers, body })
		for (const look of waiting) look()
	})
	await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
	const { port } = server.address() as AddressInfo
	const find = (type: string) => received.find(({ body }) => body.includes(`"type":"${type}"`))
	return {
		url: `http://127.0.0.1:${port}/webhooks`,
		next: (type, timeoutMs) =>
			new Promise((resolve, reject) => {
				const end = (act: () => void) => {
					clearTimeout(timer)
					waiting.delete(look)
					act()
				}
				const look = () => {
					const delivery = find(type)
					if (delivery) end(() => resolve(delivery))
				}
				const timer = setTimeout(
					() => end(() => reject(new Error(`no ${type} arrived within ${timeoutMs / 1000} s`))),
					timeoutMs,
				)
				waiting.add(look)
				look()
			}),
		close: () =>
			new Promise((resolve) => {
				server.close(() => resolve())
				server.closeAllConnections()
			}),
	}
}

const TOLERANCE_SECONDS = 300

/** Standard Webhooks, `v1`: HMAC-SHA256 over id, timestamp and the exact body. Any library of that name does the same. */
export function verifyWebhook({ headers, body }: Received, secret: string): boolean {
	const id = String(headers['webhook-id'])
	const timestamp = String(headers['webhook-timestamp'])
	const age = Math.abs(Date.now() / 1000 - Number(timestamp))
	const key = Buffer.from(secret.replace(/^whsec_/, ''), 'base64')
	const expected = createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest()
	const signatures = String(headers['webhook-signature']).split(' ')
	return (
		age <= TOLERANCE_SECONDS &&
		signatures.some((signature) => {
			const given = Buffer.from(signature.replace(/^v1,/, ''), 'base64')
			return given.length === expected.length && timingSafeEqual(given, expected)
		})
	)
}
