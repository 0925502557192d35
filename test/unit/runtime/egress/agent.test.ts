import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createAgent } from '../../../../runtime/egress/agent.ts'
import { stream } from '../../../../runtime/egress/stream.ts'

/** Answers `/events` with the beginning of a stream that does not end. */
const server = createServer(({ url }, answer) => {
	if (url === '/events') answer.write('data: 1\n\n')
	else answer.end('done')
})
let origin: string

beforeAll(async () => {
	await once(server.listen(0, '127.0.0.1'), 'listening')
	origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
})

afterAll(() => {
	server.closeAllConnections()
	server.close()
})

test.each(['/answer', '/events'])(
	'an origin is forgotten when the last socket to it closes: %s',
	async (path) => {
		const agent = createAgent({ connections: 8, keepAliveTimeout: 50, allowH2: false })
		const stop = new AbortController()
		const exchange = stream(
			{ dispatcher: agent, origin, path, name: 'server' },
			{ method: 'GET', headers: {}, headersMs: 5_000, idleBodyMs: 0, maxBytes: 100, signal: stop.signal },
			{ onChunk: () => path === '/events' && stop.abort() },
		)
		expect(Object.keys(agent.stats)).toEqual([origin])
		if (path === '/events') await expect(exchange).rejects.toThrow('aborted')
		else await exchange
		await expect.poll(() => agent.stats).toEqual({})
		// It is known again as soon as it is asked again.
		const { status } = await stream(
			{ dispatcher: agent, origin, path: '/', name: 'server' },
			{ method: 'GET', headers: {}, headersMs: 5_000, idleBodyMs: 0, maxBytes: 100 },
			{ onChunk: () => {} },
		)
		expect(status).toBe(200)
		await agent.destroy()
	},
)
