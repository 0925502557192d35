/**
 * A scripted MCP server on loopback (streamable HTTP, the official SDK): 2026-07-28 and stateless 2025 from one
 * handler, or 2025 with sessions. Tools are data and may change while it runs. Also a process of its own:
 * `node test/kit/mcp-server.ts ['{"era": "session"}']` prints its address as one line of JSON; `GET /calls` shows
 * what it was asked to do.
 */
import { randomUUID } from 'node:crypto'
import { fstatSync } from 'node:fs'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { json as readJson } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import { NodeStreamableHTTPServerTransport, toNodeHandler } from '@modelcontextprotocol/node'
import {
	type CallToolResult,
	createMcpHandler,
	type InputRequiredResult,
	Server,
	type ServerContext,
	type Tool,
} from '@modelcontextprotocol/server'
import { AGENT } from '../../runtime/wire/agent-calls.ts'
import { allowPages } from './cors.ts'

export interface ScriptedTool extends Omit<Tool, 'inputSchema'> {
	inputSchema?: Tool['inputSchema']
	/** What a call answers; its time goes by before. */
	run: (args: Record<string, unknown>, asking: ServerContext['mcpReq']) => Result | Promise<Result>
}

type Result = CallToolResult | InputRequiredResult

export interface McpServerOptions {
	/** both: today's revision and stateless 2025. session: 2025 with sessions and their event stream. */
	era?: 'both' | 'session'
	tools?: ScriptedTool[]
	/** The only bearer token taken, or which are; others get the 401 of the specification. May be changed. */
	token?: string | ((token: string) => boolean)
	/** Scopes that tools need, by name, and what a token has: 403 where it does not reach. */
	needs?: Record<string, string>
	scopeOf?: (token: string) => string
	/** Metadata of the protected resource (RFC 9728), for who has no token yet. */
	resource?: () => object
	/** It says that it is an agent of a Berth. */
	agent?: boolean
	/** Tools on one page of `tools/list`. */
	pageSize?: number
	/** Freshness the listing claims. */
	ttlMs?: number
	port?: number
	/** Pages of any origin may read its answers. */
	cors?: boolean
	/** What event streams are called in place of `text/event-stream`; empty: nothing. */
	label?: string
}

export interface McpServer {
	url: string
	port: number
	/** Each may be changed while it runs. */
	options: McpServerOptions & { tools: ScriptedTool[] }
	/** Tool calls that reached their tool, in order: side effects are counted here. */
	calls: { tool: string; args: Record<string, unknown>; at: number }[]
	/** HTTP requests by JSON-RPC method (`GET` and `DELETE` by their own name). */
	requests: { method: string; headers: IncomingMessage['headers'] }[]
	/**
	 * The next requests of this JSON-RPC method end so, one after the other: `cut` closes the socket unanswered,
	 * `late` answers after 1.5 s, `unknown tool` is the protocol's error, a number the HTTP status, `come again` 503 with `Retry-After`,
	 * `no such order` a 400 of the tool's own.
	 */
	faults: {
		method: string
		fault: 'cut' | 'hang' | 'garbage' | 'late' | 'unknown tool' | 'come again' | 'no such order' | number
	}[]
	/** Tells every client that the tools have changed. */
	announce(): Promise<void>
	/** As a redeployed server does: every session is gone. */
	forgetSessions(): Promise<void>
	close(): Promise<void>
}

const text = (value: string): CallToolResult => ({ content: [{ type: 'text', text: value }] })

/** Enough for most tests; `charge` is the one whose repetition would do harm. */
export const standardTools: ScriptedTool[] = [
	{
		name: 'echo',
		description: 'Says it again',
		inputSchema: { type: 'object', properties: { text: { type: 'string' } } },
		annotations: { readOnlyHint: true },
		run: ({ text: said }) => text(String(said ?? '')),
	},
	{
		name: 'slow',
		description: 'Answers after `ms`',
		inputSchema: { type: 'object', properties: { ms: { type: 'integer' } } },
		annotations: { readOnlyHint: true },
		run: async ({ ms }) => {
			await sleep(Number(ms ?? 100))
			return text('at last')
		},
	},
	{
		name: 'big',
		description: 'Answers with `bytes` bytes',
		inputSchema: { type: 'object', properties: { bytes: { type: 'integer' } } },
		annotations: { readOnlyHint: true },
		run: ({ bytes }) => text('x'.repeat(Number(bytes ?? 5 * 1024 * 1024))),
	},
	{
		name: 'fail',
		description: 'Reports a failure',
		inputSchema: { type: 'object' },
		run: () => ({ ...text('it did not work'), isError: true }),
	},
	{
		name: 'charge',
		description: 'Does something that must not be done twice',
		inputSchema: { type: 'object', properties: { key: { type: 'string' } } },
		annotations: { destructiveHint: true },
		run: ({ key }) => text(`charged ${key}`),
	},
	{
		name: 'weather',
		description: 'Answers with structured content',
		inputSchema: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
		outputSchema: { type: 'object', properties: { city: { type: 'string' }, celsius: { type: 'number' } } },
		annotations: { readOnlyHint: true, idempotentHint: true },
		run: ({ city }) => ({ ...text(`${city}: 21`), structuredContent: { city, celsius: 21 } }),
	},
]

type One = { method?: string; id?: unknown; params?: { name?: string } }
type Message = One | One[]

export async function startMcpServer(given: McpServerOptions = {}): Promise<McpServer> {
	const options = { tools: [...standardTools], ...given }
	const state: Pick<McpServer, 'calls' | 'requests' | 'faults'> = { calls: [], requests: [], faults: [] }
	const build = () => scripted(options, state.calls)
	const handler = createMcpHandler(build, { keepAliveMs: 0 })
	const stateless = toNodeHandler(handler)
	const sessions: Sessions = new Map()

	async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
		if (options.cors && allowPages(request, response)) return
		if (request.url === '/calls') return void response.end(JSON.stringify(state.calls))
		if (options.resource && request.url === '/.well-known/oauth-protected-resource/mcp')
			return void response.end(JSON.stringify(options.resource()))
		const body = request.method === 'POST' ? ((await readJson(request)) as Message) : undefined
		const method = (Array.isArray(body) ? body[0]?.method : body?.method) ?? String(request.method)
		state.requests.push({ method, headers: request.headers })
		const { token } = options
		const presented = request.headers.authorization?.replace(/^Bearer /, '') ?? ''
		if (token !== undefined && !(typeof token === 'string' ? presented === token : token(presented))) {
			response.setHeader('www-authenticate', 'Bearer error="invalid_token"')
			return answer(response, 401, 'Unauthorized')
		}
		const scope = lacking(options, presented, Array.isArray(body) ? body[0] : body)
		if (scope !== undefined) {
			response.setHeader('www-authenticate', `Bearer error="insufficient_scope", scope="${scope}"`)
			return answer(response, 403, 'Forbidden')
		}
		const at = state.faults.findIndex((fault) => fault.method === method)
		const [fault] = at === -1 ? [] : state.faults.splice(at, 1)
		if (fault?.fault === 'late') await sleep(1_500)
		else if (fault) return spoil(response, fault.fault, Array.isArray(body) ? undefined : body?.id)
		if (options.era === 'session') await serveSession(sessions, build, request, response, body)
		else await stateless(request, response, body)
	}

	const server = createServer((request, response) => {
		if (options.label !== undefined) relabel(response, options.label)
		serve(request, response).catch(() => response.destroy())
	})
	await new Promise<void>((resolve) => server.listen(given.port ?? 0, '127.0.0.1', resolve))
	const { port } = server.address() as AddressInfo
	const forgetSessions = async () => {
		const open = [...sessions.values()]
		sessions.clear()
		await Promise.all(open.map((session) => session.server.close()))
	}
	return {
		...state,
		url: `http://127.0.0.1:${port}/mcp`,
		port,
		options,
		forgetSessions,
		async announce() {
			handler.notify.toolsChanged()
			await Promise.all([...sessions.values()].map((session) => session.server.sendToolListChanged()))
		},
		async close() {
			await forgetSessions()
			await handler.close()
			server.closeAllConnections()
			await new Promise((resolve) => server.close(resolve))
		},
	}
}

function lacking({ needs, scopeOf }: McpServerOptions, token: string, message?: One): string | undefined {
	const scope = message?.method === 'tools/call' ? needs?.[message.params?.name ?? ''] : undefined
	return scope !== undefined && scopeOf?.(token).split(' ').includes(scope) ? undefined : scope
}

type Sessions = Map<string, { server: Server; transport: NodeStreamableHTTPServerTransport }>

async function serveSession(
	sessions: Sessions,
	build: () => Server,
	request: IncomingMessage,
	response: ServerResponse,
	body: unknown,
): Promise<void> {
	const id = request.headers['mcp-session-id']
	const known = sessions.get(String(id))
	if (known) return known.transport.handleRequest(request, response, body)
	if (id !== undefined) return answer(response, 404, 'Session not found')
	const server = build()
	const transport = new NodeStreamableHTTPServerTransport({
		sessionIdGenerator: randomUUID,
		onsessioninitialized: (session) => void sessions.set(session, { server, transport }),
		onsessionclosed: (session) => void sessions.delete(session),
	})
	await server.connect(transport)
	await transport.handleRequest(request, response, body)
}

function scripted(options: McpServer['options'], calls: McpServer['calls']): Server {
	const server = new Server(
		{ name: 'scripted', version: '1.0.0' },
		{
			capabilities: {
				tools: { listChanged: true },
				...(options.agent && { experimental: { [AGENT]: {} } }),
			},
		},
	)
	server.setRequestHandler('tools/list', ({ params }) => {
		const { tools, pageSize = tools.length, ttlMs } = options
		const from = Number(params?.cursor ?? 0)
		const page = tools.slice(from, from + pageSize)
		const next = from + pageSize < tools.length ? { nextCursor: String(from + pageSize) } : {}
		const fresh = ttlMs === undefined ? {} : { ttlMs, cacheScope: 'private' as const }
		return { tools: page.map(definition), ...next, ...fresh }
	})
	server.setRequestHandler('tools/call', async ({ params }, { mcpReq }) => {
		const tool = options.tools.find(({ name }) => name === params.name)
		if (!tool) return { ...text(`no tool named ${params.name}`), isError: true }
		const args = params.arguments ?? {}
		calls.push({ tool: tool.name, args, at: Date.now() })
		return tool.run(args, mcpReq)
	})
	return server
}

function definition({ run: _run, inputSchema = { type: 'object' }, ...tool }: ScriptedTool): Tool {
	return { ...tool, inputSchema }
}

function relabel(response: ServerResponse, label: string): void {
	const write = response.writeHead.bind(response)
	response.writeHead = (status: number, ...rest: unknown[]) => {
		const headers = new Headers(rest.at(-1) as Record<string, string>)
		if (headers.get('content-type')?.startsWith('text/event-stream')) {
			if (label) headers.set('content-type', label)
			else headers.delete('content-type')
		}
		return write(status, Object.fromEntries(headers))
	}
}

function spoil(response: ServerResponse, fault: McpServer['faults'][number]['fault'], id: unknown): void {
	if (fault === 'cut') response.destroy()
	else if (fault === 'garbage')
		response.writeHead(200, { 'content-type': 'application/json' }).end('{"not": ')
	else if (fault === 'unknown tool') answer(response, 200, 'no such tool', { code: -32_602, id })
	else if (fault === 'come again') answer(response.setHeader('retry-after', '1'), 503, 'scripted failure')
	else if (fault === 'no such order') answer(response, 400, 'no such checkout session')
	else if (typeof fault === 'number') answer(response, fault, 'scripted failure')
}

function answer(
	response: ServerResponse,
	status: number,
	message: string,
	{ code = -32_001, id = null }: { code?: number; id?: unknown } = {},
): void {
	const error = { jsonrpc: '2.0', id, error: { code, message } }
	response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(error))
}

if (import.meta.main) {
	const { url, port } = await startMcpServer(JSON.parse(process.argv[2] ?? '{}'))
	process.stdout.write(`${JSON.stringify({ url, port })}\n`)
	process.once('SIGTERM', () => process.exit(0))
	// Ends with its parent where that holds a pipe to it.
	if (!fstatSync(0).isCharacterDevice()) process.stdin.resume().once('end', () => process.exit(0))
}
