import { randomUUID } from 'node:crypto'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { json as readJson } from 'node:stream/consumers'
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js'
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js'
import type { JSONRPCMessage } from '@modelcontextprotocol/sdk/types.js'
import { afterEach, expect, test } from 'vitest'
import { z } from 'zod'
import { createEgress } from '../../../../runtime/egress/index.ts'
import { createConnectors } from '../../../../runtime/process/connectors/index.ts'

const stops: (() => Promise<unknown>)[] = []
afterEach(async () => {
	for (const stop of stops.splice(0).reverse()) await stop()
})

interface PeerOptions {
	/** Answers as one JSON instead of a stream of events. */
	json?: boolean
	stateless?: boolean
	/** Keeps the events of a stream, so that one that is cut is resumed. */
	resumable?: boolean
}

/** A server of the SDK's first line (2025-11-25 and before), as most of those in use still are. */
async function startPeer({ json = false, stateless = false, resumable = false }: PeerOptions) {
	const transports = new Map<string, StreamableHTTPServerTransport>()
	const calls: string[] = []
	const resumed: string[] = []
	const open = async () => {
		const server = new McpServer({ name: 'peer', version: '1.0.0' })
		server.registerTool(
			'echo',
			{ description: 'Says it again', inputSchema: { text: z.string() } },
			({ text }, extra) => {
				calls.push(text)
				if (resumable) extra.closeSSEStream?.()
				return { content: [{ type: 'text', text }] }
			},
		)
		const transport = new StreamableHTTPServerTransport({
			enableJsonResponse: json,
			sessionIdGenerator: stateless ? undefined : randomUUID,
			onsessioninitialized: (id) => void transports.set(id, transport),
			...(resumable && { eventStore: eventStore(), retryInterval: 20 }),
		})
		await server.connect(transport)
		return transport
	}
	const server = createServer(async (request, response) => {
		const last = request.headers['last-event-id']
		if (typeof last === 'string') resumed.push(last)
		const body = request.method === 'POST' ? await readJson(request) : undefined
		const known = transports.get(String(request.headers['mcp-session-id']))
		await (known ?? (await open())).handleRequest(request, response, body)
	})
	await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
	const { port } = server.address() as AddressInfo
	stops.push(async () => {
		server.closeAllConnections()
		await new Promise((resolve) => server.close(resolve))
	})
	return { url: `http://127.0.0.1:${port}/mcp`, port, calls, resumed }
}

function eventStore() {
	const events: { id: string; stream: string; message: JSONRPCMessage }[] = []
	return {
		async storeEvent(stream: string, message: JSONRPCMessage) {
			const id = `${events.length + 1}`
			events.push({ id, stream, message })
			return id
		},
		async replayEventsAfter(
			last: string,
			{ send }: { send: (id: string, message: JSONRPCMessage) => Promise<void> },
		) {
			const stream = events.find(({ id }) => id === last)?.stream ?? ''
			for (const event of events) {
				if (event.stream === stream && Number(event.id) > Number(last)) await send(event.id, event.message)
			}
			return stream
		},
	}
}

// Proves: connector.both-eras
test.each([
	['streams of events', {}],
	['JSON', { json: true }],
	['no sessions', { stateless: true }],
	['streams that are cut and resumed', { resumable: true }],
] as const)('a server of 2025 with %s is a connector', async (_name, options) => {
	const { url, port, calls, resumed } = await startPeer(options)
	const egress = createEgress({ allow: [`127.0.0.1:${port}`] })
	const connectors = createConnectors({ egress })
	stops.push(
		() => egress.close(),
		() => connectors.close(),
	)
	const target = { deployment: 'dep_1', url, credentialVersion: 0 }
	const limits = { signal: new AbortController().signal, timeoutMs: 30_000 }
	const { tools } = await connectors.list(target, ['echo'], limits)
	expect(tools.map(({ name, input }) => [name, input])).toEqual([
		['echo', expect.objectContaining({ type: 'object' })],
	])
	for (const text of ['one', 'two']) {
		expect(await connectors.call(target, 'echo', { text }, limits)).toEqual({ ok: true, output: text })
	}
	expect((await connectors.call(target, 'echo', { text: 5 }, limits)).ok).toBe(false)
	expect(calls).toEqual(['one', 'two'])
	expect(resumed.length > 0).toBe('resumable' in options)
})
