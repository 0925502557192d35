import { spawn } from 'node:child_process'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { CommandError } from './failure.ts'

const PATH = '/callback'
const PATIENCE_MS = 10 * 60_000

export interface Loopback {
	redirectUri: string
	/** Query of the redirect. */
	answer: Promise<URLSearchParams>
	close(): void
}

/** The address a browser comes back to (RFC 8252 §7.3): loopback only, a free port, one answer. */
export async function openLoopback(): Promise<Loopback> {
	const { promise, resolve, reject } = Promise.withResolvers<URLSearchParams>()
	const server = createServer((request, response) => {
		const { pathname, searchParams } = new URL(request.url ?? '/', 'http://127.0.0.1')
		if (pathname !== PATH) return void response.writeHead(404).end()
		response.writeHead(200, { 'content-type': 'text/html; charset=utf-8', connection: 'close' })
		response.end(
			'<!doctype html><title>Berth</title><p>Done. You can close this page and go back to the terminal.</p>',
		)
		resolve(searchParams)
	})
	await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
	const timer = setTimeout(() => reject(new CommandError('nobody signed in within ten minutes')), PATIENCE_MS)
	promise.catch(() => {})
	return {
		redirectUri: `http://127.0.0.1:${(server.address() as AddressInfo).port}${PATH}`,
		answer: promise,
		close() {
			clearTimeout(timer)
			server.close()
			server.closeIdleConnections()
		},
	}
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
