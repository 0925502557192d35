import { randomInt } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:net'

/**
 * Above the highest port that browsers and `fetch` refuse to call (10,080: https://fetch.spec.whatwg.org/#port-blocking), and
 * below those that Linux and macOS give to outgoing connections (from 32,768 and 49,152): one of these may be taken again
 * before whoever asked for it listens there, a second later.
 */
const LOWEST = 10_081
const HIGHEST = 32_767
const TRIES = 20

/** A port at which nobody listens: the wanted one, where it is free. Rejects where the address itself cannot be listened at. */
export async function freePort({ address = '127.0.0.1', wanted = 0 } = {}): Promise<number> {
	for (let left = TRIES; ; left--) {
		const port = left === TRIES && wanted !== 0 ? wanted : left === 0 ? 0 : randomInt(LOWEST, HIGHEST + 1)
		const server = createServer()
		try {
			server.listen(port, address)
			await once(server, 'listening')
			const found = (server.address() as { port: number }).port
			server.close()
			await once(server, 'close')
			return found
		} catch (error) {
			const { code } = error as NodeJS.ErrnoException
			if (left === 0 || (code !== 'EADDRINUSE' && code !== 'EACCES')) throw error
		}
	}
}
