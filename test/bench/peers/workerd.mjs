/** A Worker written by hand for this one agent, on workerd, called over HTTP: no library, nothing stored. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { freePort, post, startServer } from './server.mjs'

export const packages = { workerd: '1.20261117.1' }
export const says = 'Worker by hand, over HTTP, writes nothing'

const WORKER = `
const json = { 'content-type': 'application/json' }
async function answer(env, model, messages) {
	const tools = [{ type: 'function', function: { name: 'echo', description: 'Says it again', parameters: { type: 'object', properties: { text: { type: 'string' } } } } }]
	const body = JSON.stringify({ model, messages, tools, stream: true })
	const response = await fetch(env.MODEL_URL + '/v1/chat/completions', { method: 'POST', headers: { ...json, authorization: 'Bearer sk-bench' }, body })
	const message = { role: 'assistant', content: '' }
	let rest = ''
	for await (const text of response.body.pipeThrough(new TextDecoderStream())) {
		const lines = (rest + text).split('\\n')
		rest = lines.pop()
		for (const line of lines) {
			if (!line.startsWith('data: {')) continue
			const delta = JSON.parse(line.slice(6)).choices[0]?.delta ?? {}
			message.content += delta.content ?? ''
			for (const part of delta.tool_calls ?? []) {
				message.tool_calls ??= []
				const call = (message.tool_calls[part.index] ??= { id: part.id, type: 'function', function: { name: part.function.name, arguments: '' } })
				call.function.arguments += part.function.arguments ?? ''
			}
		}
	}
	return message
}
async function call(env, { function: { name, arguments: given } }) {
	const headers = { ...json, accept: 'application/json, text/event-stream', 'mcp-protocol-version': '2025-11-25' }
	const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: JSON.parse(given) } })
	const text = await (await fetch(env.MCP_URL, { method: 'POST', headers, body })).text()
	const line = text.startsWith('{') ? text : text.split('\\n').find((one) => one.startsWith('data: {')).slice(6)
	return JSON.stringify(JSON.parse(line).result.content)
}
export default {
	async fetch(request, env) {
		const { model, question } = await request.json()
		const messages = [{ role: 'system', content: 'Answer with the tool.' }, { role: 'user', content: question }]
		for (;;) {
			const message = await answer(env, model, messages)
			messages.push(message)
			if (!message.tool_calls) return new Response(message.content)
			for (const one of message.tool_calls) messages.push({ role: 'tool', tool_call_id: one.id, content: await call(env, one) })
		}
	},
}
`
const config = (port, env) => `using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (
	services = [
		(name = "main", worker = .worker),
		(name = "internet", network = (allow = ["private", "local"])),
	],
	sockets = [(name = "http", address = "127.0.0.1:${port}", http = (), service = "main")],
);
const worker :Workerd.Worker = (
	modules = [(name = "worker", esModule = embed "worker.js")],
	compatibilityDate = "2026-11-01",
	bindings = [${Object.entries(env).map(([name, text]) => `(name = "${name}", text = "${text}")`)}],
);
`

export async function open({ modelUrl, mcpUrl }) {
	const cwd = import.meta.dirname
	const port = await freePort()
	writeFileSync(join(cwd, 'worker.js'), WORKER)
	writeFileSync(join(cwd, 'config.capnp'), config(port, { MODEL_URL: modelUrl, MCP_URL: mcpUrl }))
	const { default: workerd } = await import('workerd')
	const url = `http://127.0.0.1:${port}/`
	const pid = await startServer(workerd.default, ['serve', 'config.capnp'], { cwd }, () =>
		post(url, { model: 'm0', question: 'ready?' }),
	)
	return { url, pid }
}
