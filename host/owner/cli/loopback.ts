import { spawn } from 'node:child_process'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { CommandError } from './failure.ts'

const PATH = '/callback'
const PATIENCE_MS = 10 * 60_000

export interface Loopback {
	redirectUri: string
	/**
	 * What `finish` makes of the query that came with this state; the browser is told how it went. Any other request to
	 * the address is refused and changes nothing: every page in the browser can make one.
	 */
	answer<T>(state: string, finish: (query: URLSearchParams) => Promise<T>): Promise<T>
	close(): void
}

/** The address a browser comes back to (RFC 8252 §7.3): loopback only, a free port, one answer. */
export async function openLoopback(): Promise<Loopback> {
	const { promise, resolve, reject } = Promise.withResolvers<Came>()
	let expected: string | undefined
	const server = createServer((request, response) => {
		const { pathname, searchParams } = new URL(request.url ?? '/', 'http://127.0.0.1')
		if (pathname !== PATH) return void response.writeHead(404).end()
		const state = searchParams.get('state')
		if (expected === undefined || state !== expected) return show(response, 400, FOREIGN)
		expected = undefined
		resolve({ query: searchParams, response })
	})
	await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
	const timer = setTimeout(() => reject(new CommandError('nobody signed in within ten minutes')), PATIENCE_MS)
	promise.catch(() => {})
	return {
		redirectUri: `http://127.0.0.1:${(server.address() as AddressInfo).port}${PATH}`,
		async answer(state, finish) {
			expected = state
			const { query, response } = await promise
			try {
				const done = await finish(query)
				show(response, 200, DONE)
				return done
			} catch (error) {
				show(response, 400, failed(error))
				throw error
			}
		},
		close() {
			clearTimeout(timer)
			server.close()
			server.closeIdleConnections()
		},
	}
}

interface Came {
	query: URLSearchParams
	response: ServerResponse
}

const DONE = 'Done. You can close this page and go back to the terminal.'
const FOREIGN = 'This answer does not belong to the sign-in that the terminal waits for. Nothing was done.'
const failed = (error: unknown) =>
	`${error instanceof Error ? error.message : error}. Nothing was stored. Close this page and go back to the terminal.`

/** The text may be an authorization server's. */
function show(response: ServerResponse, status: number, text: string): void {
	const escaped = text.replace(/[&<>]/g, (sign) => `&#${sign.charCodeAt(0)};`)
	response.writeHead(status, {
		'content-type': 'text/html; charset=utf-8',
		'content-security-policy': "default-src 'none'",
		connection: 'close',
	})
	response.end(`<!doctype html><title>Berth</title><p>${escaped}</p>`)
}

/** Best effort: the address is shown as well. */
export function openBrowser(url: string): void {
	const [command, ...args] = { darwin: ['open'], win32: ['rundll32', 'url.dll,FileProtocolHandler'] }[
		process.platform as string
	] ?? ['xdg-open']
	const child = spawn(command as string, [...args, url], { stdio: 'ignore', detached: true })
	child.on('error', () => {})
	child.unref()
}
