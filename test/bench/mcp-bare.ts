/** The yardstick of test/bench/guard.ts: the SDK's server as its own documentation sets it up, with one empty tool. */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { toNodeHandler } from '@modelcontextprotocol/node'
import { createMcpHandler, McpServer } from '@modelcontextprotocol/server'

const handler = toNodeHandler(
	createMcpHandler(() => {
		const server = new McpServer({ name: 'bare', version: '1' })
		server.registerTool('empty', { description: 'Does nothing' }, async () => ({ content: [] }))
		return server
	}),
)
const server = createServer((request, response) => void handler(request, response))
server.listen(0, '127.0.0.1', () => {
	const { port } = server.address() as AddressInfo
	console.log(JSON.stringify({ url: `http://127.0.0.1:${port}/mcp` }))
})
