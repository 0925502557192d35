import { createServer, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createEgress, type Egress } from '../../../../runtime/egress/index.ts'
import { callModel } from '../../../../runtime/process/providers/index.ts'

// A provider that only keeps its connection open says nothing, and one that never ends is ended.

let server: Server
let egress: Egress
let base: string
/** What is written every few milliseconds, by the path's first part. */
const drips: Record<string, string> = {
	comments: ': ping\n\n',
	newlines: '\n',
	'half-lines': ':',
	events: 'data: {"choices":[{"delta":{"content":"on "}}]}\n\n',
}

beforeAll(async () => {
	server = createServer((request, response: ServerResponse) => {
		const drip = drips[request.url?.split('/')[1] ?? ''] ?? ''
		response.writeHead(200, { 'content-type': 'text/event-stream' })
		const timer = setInterval(() => response.write(drip), 10)
		response.on('close', () => clearInterval(timer))
	})
	await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
	base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
	egress = createEgress({ allow: ['127.0.0.1'] })
})
afterAll(async () => {
	await egress.close()
	server.closeAllConnections()
	await new Promise((resolve) => server.close(resolve))
})

function ask(drip: string, limits: { timeoutMs: number; totalMs?: number }) {
	const request = { system: '', messages: [], tools: [], parameters: {}, cacheKey: '' }
	return callModel(
		{ ...request, provider: 'openai', base_url: `${base}/${drip}`, model: 'm' },
		{ egress, apiKey: 'sk-test-key', signal: AbortSignal.timeout(5_000), ...limits },
	)
}
const late = { code: 'provider_unavailable', passing: true, message: /did not answer in time/ }

// Proves: provider.slow-steady
test.concurrent.each(['comments', 'newlines', 'half-lines'])('%s for ever are silence', async (drip) => {
	await expect(ask(drip, { timeoutMs: 150 })).rejects.toMatchObject(late)
})

// Proves: provider.slow-steady
test.concurrent('events for ever end at the ceiling of the whole call, and not before', async () => {
	const began = performance.now()
	await expect(ask('events', { timeoutMs: 1_000, totalMs: 1_500 })).rejects.toMatchObject(late)
	expect(performance.now() - began).toBeGreaterThanOrEqual(1_490)
})
