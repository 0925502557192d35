/**
 * LangGraph's prebuilt agent as a library, without a checkpointer. It does not stream: with `streaming` 1.7.3 never goes
 * on after a tool call of the scripted server.
 */
export const packages = {
	'@langchain/langgraph': '1.7.3',
	'@langchain/core': '1.4.0',
	'@langchain/openai': '1.6.0',
	'@langchain/mcp-adapters': '1.1.4',
}
export const says = 'library, does not stream, writes nothing'

export async function open({ modelUrl, mcpUrl }) {
	const { createReactAgent } = await import('@langchain/langgraph/prebuilt')
	const { ChatOpenAI } = await import('@langchain/openai')
	const { MultiServerMCPClient } = await import('@langchain/mcp-adapters')
	const client = new MultiServerMCPClient({
		mcpServers: { bench: { transport: 'http', url: mcpUrl } },
		prefixToolNameWithServerName: false,
	})
	const tools = (await client.getTools()).filter(({ name }) => name === 'echo')
	const configuration = { baseURL: `${modelUrl}/v1` }
	const agents = new Map()
	return async (model, question) => {
		const llm = () => new ChatOpenAI({ model, apiKey: 'sk-bench', maxRetries: 0, configuration })
		const agent =
			agents.get(model) ?? createReactAgent({ llm: llm(), tools, prompt: 'Answer with the tool.' })
		agents.set(model, agent)
		const { messages } = await agent.invoke({ messages: [{ role: 'user', content: question }] })
		return String(messages.at(-1).content)
	}
}
