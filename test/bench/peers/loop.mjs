/** The loop with OpenAI's SDK, for peers that leave it to the program: asks, calls the tools that were named, asks again. */
const TURNS = 4

/** `definitions`: of MCP tools. Each answer is streamed. */
export function asker(OpenAI, modelUrl, definitions) {
	const openai = new OpenAI({ apiKey: 'sk-bench', baseURL: `${modelUrl}/v1`, maxRetries: 0 })
	const tools = definitions
		.filter(({ name }) => name === 'echo')
		.map(({ name, description, inputSchema: parameters }) => ({
			type: 'function',
			function: { name, description, parameters },
		}))
	return async (model, messages) => {
		const stream = openai.chat.completions.stream({ model, messages, tools })
		return (await stream.finalChatCompletion()).choices[0].message
	}
}

/** `call` answers a tool's call as text. `keep` is told the conversation whenever it has grown. */
export async function loop(question, { ask, call, keep = () => {} }) {
	const messages = []
	const add = (...more) => {
		messages.push(...more)
		keep(messages)
	}
	add({ role: 'system', content: 'Answer with the tool.' }, { role: 'user', content: question })
	for (let turn = 0; turn < TURNS; turn++) {
		const message = await ask(messages)
		add(message)
		if (!message.tool_calls?.length) return message.content
		for (const { id, function: named } of message.tool_calls) {
			const content = await call({ name: named.name, arguments: JSON.parse(named.arguments) })
			add({ role: 'tool', tool_call_id: id, content })
		}
	}
	throw new Error(`no answer after ${TURNS} turns`)
}
