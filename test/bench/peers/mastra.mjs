/** Mastra as a library: its agent streams from the model and calls the tool through its own MCP client. */
export const packages = {
	'@mastra/core': '1.71.0',
	'@mastra/mcp': '2.0.0',
	'@ai-sdk/openai-compatible': '3.0.92',
	zod: '4.6.7',
}
export const says = 'library, writes nothing'

export async function open({ modelUrl, mcpUrl }) {
	const { Agent } = await import('@mastra/core/agent')
	const { MCPClient } = await import('@mastra/mcp')
	const { createOpenAICompatible } = await import('@ai-sdk/openai-compatible')
	const mcp = new MCPClient({ servers: { bench: { url: new URL(mcpUrl) } } })
	const { bench_echo: echo } = await mcp.listTools()
	const provider = createOpenAICompatible({ name: 'bench', baseURL: `${modelUrl}/v1`, apiKey: 'sk-bench' })
	const agents = new Map()
	return async (model, question) => {
		const agent =
			agents.get(model) ??
			new Agent({
				id: model,
				name: model,
				instructions: 'Answer with the tool.',
				model: provider.chatModel(model),
				tools: { echo },
			})
		agents.set(model, agent)
		const stream = await agent.stream(question)
		return await stream.text
	}
}
