import { randomUUID } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { json as readJson } from 'node:stream/consumers'
import { claimsTurn } from './scripted-claims.ts'

/**
 * The stand-in for a model: a server on loopback that answers `POST /v1/chat/completions` in OpenAI's wire format
 * from a script, so that the demo runs without a key. It asks for the agent's tool (the audit, or the guard), reads what
 * the tool found, and decides from that. It thinks nothing.
 */
export interface ScriptedModel {
	url: string
	/** How often it was called, and with which keys. */
	calls(): { count: number; keys: Set<string> }
	close(): Promise<void>
}

interface ChatMessage {
	role: string
	content: string | null
}

interface ChatRequest {
	messages: ChatMessage[]
	tools?: { function: { name: string } }[]
}

interface Finding {
	line: number
	rule: string
	severity: string
	reason: string
}

type Delta = { role: 'assistant'; content?: string; tool_calls?: object[] }

export async function startScriptedModel(): Promise<ScriptedModel> {
	const keys = new Set<string>()
	let count = 0
	const server = createServer((request, response) => {
		keys.add(String(request.headers.authorization).replace(/^Bearer /, ''))
		if (request.method === 'GET') return void answerModels(response)
		count++
		answerChat(request, response).catch(() => response.destroy())
	})
	await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
	const { port } = server.address() as AddressInfo
	return {
		url: `http://127.0.0.1:${port}/v1`,
		calls: () => ({ count, keys }),
		close: () =>
			new Promise((resolve) => {
				server.close(() => resolve())
				server.closeAllConnections()
			}),
	}
}

function answerModels(response: ServerResponse): void {
	response.writeHead(200, { 'content-type': 'application/json' })
	response.end(JSON.stringify({ object: 'list', data: [{ id: 'scripted', object: 'model' }] }))
}

async function answerChat(request: IncomingMessage, response: ServerResponse): Promise<void> {
	const { messages, tools = [] } = (await readJson(request)) as ChatRequest
	const isClaims = tools.some(({ function: { name } }) => name === 'guard_verify')
	const delta: Delta = isClaims ? claimsTurn(messages) : auditTurn(messages)
	const base = {
		id: `chatcmpl-${randomUUID()}`,
		object: 'chat.completion.chunk',
		created: Math.floor(Date.now() / 1000),
		model: 'scripted',
	}
	const usage = {
		prompt_tokens: Math.ceil(JSON.stringify(messages).length / 4),
		completion_tokens: Math.ceil(JSON.stringify(delta).length / 4),
	}
	const chunks = [
		{ ...base, choices: [{ index: 0, delta, finish_reason: null }] },
		{ ...base, choices: [{ index: 0, delta: {}, finish_reason: delta.tool_calls ? 'tool_calls' : 'stop' }] },
		{
			...base,
			choices: [],
			usage: { ...usage, total_tokens: usage.prompt_tokens + usage.completion_tokens },
		},
	]
	response.writeHead(200, { 'content-type': 'text/event-stream' })
	for (const chunk of chunks) response.write(`data: ${JSON.stringify(chunk)}\n\n`)
	response.end('data: [DONE]\n\n')
}

function auditTurn(messages: ChatMessage[]): Delta {
	const found = messages.findLast(({ role }) => role === 'tool')
	const asked = messages.find(({ role }) => role === 'user')
	return found ? decision(String(found.content)) : toolCall(String(asked?.content))
}

/** First turn: the lines of the report, as they came, to the agent's own tool. */
function toolCall(inputs: string): Delta {
	const { lines } = JSON.parse(inputs) as { lines: unknown[] }
	const call = { name: 'audit_report', arguments: JSON.stringify({ lines }) }
	return {
		role: 'assistant',
		tool_calls: [{ index: 0, id: `call_${randomUUID()}`, type: 'function', function: call }],
	}
}

/** Second turn: what the tool found decides. */
function decision(toolResult: string): Delta {
	const { total, findings } = JSON.parse(toolResult) as { total: string; findings: Finding[] }
	const hard = findings.some(({ severity }) => severity === 'hard')
	const letter =
		findings.length === 0
			? 'Thank you, everything is in order.'
			: `Thank you. Please look at these points: ${findings.map(({ line, reason }) => `line ${line}, ${reason}`).join('; ')}.`
	const output = {
		decision: hard ? 'refuse' : findings.length > 0 ? 'question' : 'approve',
		total,
		findings: findings.map(({ line, rule, reason }) => ({ line, rule, reason })),
		letter,
	}
	return { role: 'assistant', content: JSON.stringify(output) }
}
