/**
 * The yardstick: a program with no host around it that makes the two model calls and the one MCP call of a run straight
 * with the vendors' SDKs, over connections it keeps. Reads one JSON command a line, answers one JSON line.
 * Environment: MODEL_URL, MCP_URL.
 */
import { createInterface } from 'node:readline'
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import OpenAI from 'openai'
import { type Load, load } from './load.ts'

const openai = new OpenAI({ apiKey: 'sk-bench', baseURL: `${process.env.MODEL_URL}/v1`, maxRetries: 0 })
const mcp = new Client({ name: 'bare', version: '1' }, { versionNegotiation: { mode: 'auto' } })
await mcp.connect(new StreamableHTTPClientTransport(new URL(process.env.MCP_URL ?? '')))
const { tools: listed } = await mcp.listTools()
const tools = listed.map((t) => ({
	type: 'function' as const,
	name: t.name,
	description: t.description ?? '',
	parameters: t.inputSchema as Record<string, unknown>,
	strict: false,
}))

/** One run, as the standard loop would make it: ask, call the tool that was named, ask again. */
async function run(model: string, question: string): Promise<string> {
	const input: OpenAI.Responses.ResponseInput = [{ role: 'user', content: question }]
	for (let turn = 0; turn < 4; turn++) {
		const stream = openai.responses.stream({ model, instructions: 'Answer with the tool.', input, tools })
		const answer = await stream.finalResponse()
		const calls = answer.output.filter((item) => item.type === 'function_call')
		if (calls.length === 0) return answer.output_text
		input.push(...(answer.output as OpenAI.Responses.ResponseInput))
		for (const call of calls) {
			const result = await mcp.callTool({ name: call.name, arguments: JSON.parse(call.arguments) })
			const output = JSON.stringify(result.content)
			input.push({ type: 'function_call_output', call_id: call.call_id, output })
		}
	}
	throw new Error('no answer after four turns')
}

const chatTools = tools.map(({ name, description, parameters }) => ({
	type: 'function' as const,
	function: { name, description, parameters },
}))

/** The same over the chat interface. */
async function runChat(model: string, question: string): Promise<string> {
	const messages: OpenAI.ChatCompletionMessageParam[] = [
		{ role: 'system', content: 'Answer with the tool.' },
		{ role: 'user', content: question },
	]
	for (let turn = 0; turn < 4; turn++) {
		const stream = openai.chat.completions.stream({ model, messages, tools: chatTools })
		const message = (await stream.finalChatCompletion()).choices[0]?.message
		if (!message?.tool_calls?.length) return message?.content ?? ''
		messages.push(message)
		for (const call of message.tool_calls) {
			if (call.type !== 'function') continue
			const { name, arguments: given } = call.function
			const result = await mcp.callTool({ name, arguments: JSON.parse(given) })
			messages.push({ role: 'tool', tool_call_id: call.id, content: JSON.stringify(result.content) })
		}
	}
	throw new Error('no answer after four turns')
}

interface Command {
	/** `responses` where none is named. */
	api?: 'responses' | 'chat'
	model: string
	callers: number
	calls: number
	seconds: number
}

console.log(JSON.stringify({ ready: true }))
for await (const line of createInterface({ input: process.stdin })) {
	const command = JSON.parse(line) as Command
	const before = process.cpuUsage()
	const seen: Load = await load(command.callers, command.calls, command.seconds, async (n) => {
		await (command.api === 'chat' ? runChat : run)(command.model, `Question ${n}`)
	})
	const cpu = process.cpuUsage(before)
	console.log(JSON.stringify({ ...seen, cpu: (cpu.user + cpu.system) / 1e6 }))
}
await mcp.close()
