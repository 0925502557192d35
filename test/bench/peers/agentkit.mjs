/** AgentKit as a library. It asks the model without streaming; the tool is called through the official MCP client, kept open. */
export const packages = {
	'@inngest/agent-kit': '0.13.2',
	inngest: '4.24.0',
	'@modelcontextprotocol/sdk': '1.32.2',
	zod: '4.6.7',
}
export const says = 'library, does not stream, writes nothing'

export async function open({ modelUrl, mcpUrl }) {
	const { createAgent, createNetwork, createTool, openai } = await import('@inngest/agent-kit')
	const { Client } = await import('@modelcontextprotocol/sdk/client/index.js')
	const { StreamableHTTPClientTransport } = await import('@modelcontextprotocol/sdk/client/streamableHttp.js')
	const { z } = await import('zod')
	const mcp = new Client({ name: 'bench', version: '1' })
	await mcp.connect(new StreamableHTTPClientTransport(new URL(mcpUrl)))
	const echo = createTool({
		name: 'echo',
		description: 'Echo',
		parameters: z.object({ text: z.string() }),
		handler: async (input) => (await mcp.callTool({ name: 'echo', arguments: input })).content,
	})
	return async (model, question) => {
		const agent = createAgent({
			name: 'bench',
			system: 'Answer with the tool.',
			model: openai({ model, apiKey: 'sk-bench', baseUrl: `${modelUrl}/v1` }),
			tools: [echo],
		})
		const network = createNetwork({ name: 'bench', agents: [agent], maxIter: 4, router: again(agent) })
		const { state } = await network.run(question)
		const last = state.results.at(-1)?.output.at(-1)
		return typeof last?.content === 'string' ? last.content : JSON.stringify(last?.content)
	}
}

/** Until it calls no tool any more. */
function again(agent) {
	return ({ lastResult }) => (lastResult && lastResult.toolCalls.length === 0 ? undefined : agent)
}
