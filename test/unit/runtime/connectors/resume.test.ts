import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { json as readJson } from 'node:stream/consumers'
import { afterEach, expect, test } from 'vitest'
import { createEgress } from '../../../../runtime/egress/index.ts'
import { createConnectors } from '../../../../runtime/process/connectors/index.ts'

// A tool call that is not repeatable is made once, also where its answer was to be fetched later.

const closes: (() => unknown)[] = []
afterEach(async () => {
	for (const close of closes.splice(0).reverse()) await close()
})

/** 2025: the call's stream ends before its answer, and whoever comes back for it gets this status, or no answer at all. */
async function startServer(resumedWith: number | 'cut') {
	const asked: string[] = []
	const results: Record<string, object> = {
		initialize: {
			protocolVersion: '2025-06-18',
			capabilities: { tools: {} },
			serverInfo: { name: 's', version: '1' },
		},
		'tools/list': { tools: [{ name: 'charge', inputSchema: { type: 'object' } }] },
	}
	const server = createServer(async (request, response) => {
		if (request.method === 'GET') {
			const isResume = request.headers['last-event-id'] !== undefined
			asked.push(isResume ? 'resume' : 'listen')
			if (isResume && resumedWith === 'cut') return response.destroy()
			return response.writeHead(isResume ? Number(resumedWith) : 405).end()
		}
		if (request.method !== 'POST') return response.writeHead(200).end()
		const { id, method } = (await readJson(request)) as { id?: number; method: string }
		asked.push(method)
		if (id === undefined) return response.writeHead(202).end()
		if (method === 'tools/call') {
			return response
				.writeHead(200, { 'content-type': 'text/event-stream' })
				.end('id: e1\nretry: 10\ndata: \n\n')
		}
		const result = results[method]
		const answer = result ? { result } : { error: { code: -32_601, message: 'no such method' } }
		return response
			.writeHead(200, { 'content-type': 'application/json', 'mcp-session-id': 's1' })
			.end(JSON.stringify({ jsonrpc: '2.0', id, ...answer }))
	})
	await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
	closes.push(() => server.close() && server.closeAllConnections())
	return { asked, port: (server.address() as AddressInfo).port }
}

// Proves: connector.repeat-harmless
test.each([404, 429, 503, 'cut'] as const)(
	'a call is not made again where coming back for its answer ends with %s',
	async (status) => {
		const { asked, port } = await startServer(status)
		const egress = createEgress({ allow: [`127.0.0.1:${port}`] })
		const connectors = createConnectors({ egress })
		closes.push(
			() => egress.close(),
			() => connectors.close(),
		)
		const target = { deployment: 'dep_1', url: `http://127.0.0.1:${port}/mcp`, credentialVersion: 0 }
		const options = { signal: new AbortController().signal, timeoutMs: 30_000 }
		await expect(connectors.call(target, 'charge', {}, options)).rejects.toMatchObject({
			code: 'connector_unavailable',
			reason: 'unknown',
		})
		expect(asked.filter((method) => method === 'tools/call')).toHaveLength(1)
		expect(asked).toContain('resume')
	},
)
