/** The least that a run can take: its three requests over kept connections, written by hand for this one agent. */
import { randomUUID } from 'node:crypto'

export const packages = { undici: '8.12.4' }
export const says = 'HTTP client by hand, writes nothing'

const MODERN = '2025-11-25'

export async function open({ modelUrl, mcpUrl }) {
	const { Pool } = await import('undici')
	const { origin, pathname } = new URL(mcpUrl)
	const model = new Pool(modelUrl, { connections: 256 })
	const tools = new Pool(origin, { connections: 256 })
	const post = async (pool, path, headers, body) => {
		const { body: answer } = await pool.request({
			method: 'POST',
			path,
			headers: { 'content-type': 'application/json', ...headers },
			body: JSON.stringify(body),
		})
		return answer.text()
	}
	const definitions = [
		{
			type: 'function',
			function: {
				name: 'echo',
				description: 'Says it again',
				parameters: { type: 'object', properties: { text: { type: 'string' } } },
			},
		},
	]
	const ask = async (name, messages) => {
		const asked = { model: name, messages, tools: definitions, stream: true }
		const headers = { authorization: 'Bearer sk-bench' }
		return messageOf(await post(model, '/v1/chat/completions', headers, asked))
	}
	const call = async ({ function: { name, arguments: given } }) => {
		const params = { name, arguments: JSON.parse(given) }
		const headers = { accept: 'application/json, text/event-stream', 'mcp-protocol-version': MODERN }
		const said = await post(tools, pathname, headers, {
			...{ jsonrpc: '2.0', id: randomUUID(), method: 'tools/call', params },
		})
		return JSON.stringify(eventsIn(said).at(-1).result.content)
	}
	return async (name, question) => {
		const messages = [
			{ role: 'system', content: 'Answer with the tool.' },
			{ role: 'user', content: question },
		]
		for (;;) {
			const message = await ask(name, messages)
			messages.push(message)
			if (!message.tool_calls) return message.content
			for (const one of message.tool_calls)
				messages.push({ role: 'tool', tool_call_id: one.id, content: await call(one) })
		}
	}
}

/** Of an event stream, or the one object of a whole answer. */
function eventsIn(text) {
	if (text.startsWith('{')) return [JSON.parse(text)]
	return text
		.split('\n')
		.filter((line) => line.startsWith('data: {'))
		.map((line) => JSON.parse(line.slice(6)))
}

function messageOf(text) {
	const message = { role: 'assistant', content: '' }
	for (const { choices } of eventsIn(text)) {
		const delta = choices[0]?.delta ?? {}
		message.content += delta.content ?? ''
		for (const part of delta.tool_calls ?? []) {
			message.tool_calls ??= []
			message.tool_calls[part.index] ??= {
				id: part.id,
				type: 'function',
				function: { name: part.function.name, arguments: '' },
			}
			message.tool_calls[part.index].function.arguments += part.function.arguments ?? ''
		}
	}
	return message
}
