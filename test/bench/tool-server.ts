/**
 * The tool's server of the bench: the scripted MCP server, behind a process that answers a call it has seen before by itself.
 * The SDK's server takes as much of a processor for a call as a side takes for a run, and would be what is measured.
 * Prints its address as one line of JSON.
 */
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { startMcpServer } from '../kit/mcp-server.ts'

interface Message {
	id?: number | string
	method?: string
	params?: { name?: string; arguments?: unknown }
}

/** An answer, before and behind the number of its call. */
interface Kept {
	type: string
	before: string
	after: string
}

const behind = await startMcpServer()
const kept = new Map<string, Kept>()

/** Undefined where its answer names its number otherwise than once. */
function keepable(id: Message['id'], type: string, answer: string): Kept | undefined {
	const [before, after, ...more] = answer.split(`"id":${JSON.stringify(id)}`)
	return before === undefined || after === undefined || more.length > 0 ? undefined : { type, before, after }
}

function passOn(from: IncomingMessage, to: ServerResponse, body: string): Promise<IncomingMessage> {
	const { method, headers } = from
	return new Promise((resolve, reject) => {
		const on = request(behind.url, { method, headers }, (answer) => {
			to.writeHead(answer.statusCode ?? 500, answer.headers)
			answer.pipe(to)
			resolve(answer)
		})
		on.on('error', reject).end(body)
	})
}

async function serve(from: IncomingMessage, to: ServerResponse): Promise<void> {
	const body = await text(from)
	const { id, method, params } = (body === '' ? {} : JSON.parse(body)) as Message
	if (method !== 'tools/call') return void (await passOn(from, to, body))
	const call = JSON.stringify([from.headers['mcp-protocol-version'], params?.name, params?.arguments])
	const known = kept.get(call)
	if (known) {
		to.writeHead(200, { 'content-type': known.type })
		return void to.end(`${known.before}"id":${JSON.stringify(id)}${known.after}`)
	}
	const answer = await passOn(from, to, body)
	let said = ''
	answer.setEncoding('utf8').on('data', (part: string) => (said += part))
	answer.on('end', () => {
		const found = keepable(id, String(answer.headers['content-type']), said)
		if (found && answer.statusCode === 200) kept.set(call, found)
	})
}

const server = createServer((from, to) => void serve(from, to).catch(() => to.destroy()))
await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
const { port } = server.address() as AddressInfo
process.stdout.write(`${JSON.stringify({ url: `http://127.0.0.1:${port}/mcp` })}\n`)
process.once('SIGTERM', () => process.exit(0))
process.stdin.resume().once('end', () => process.exit(0))
