import {
	createMcpHandler,
	isLegacyRequest,
	ProtocolError,
	ProtocolErrorCode,
	Server,
	WebStandardStreamableHTTPServerTransport,
} from '@modelcontextprotocol/server'
import type { FastifyBaseLogger } from 'fastify'
import type { Gate } from '../guard/gate.ts'
import { serverInfo, toolResult } from './call.ts'
import { tools } from './tools/index.ts'

// One factory serves both protocol eras: 2026-07-28 (stateless, `server/discover`) through the SDK's own handler, and
// the `initialize` era through its stateless transport. The second is wired here and not left to the handler, which
// would answer in an event stream: a plain JSON answer takes half the time (measured 2026-11-21, test/bench/guard.ts).

export interface McpService {
	/** `body` is the parsed JSON of the request. */
	serve(request: Request, body: unknown, accountId: string): Promise<Response>
	close(): Promise<void>
}

const listing = { tools: [...tools.values()].map((tool) => tool.listing) }
const listingHint = { ttlMs: 300_000, cacheScope: 'public' as const }

export function openMcp(gate: Gate, log: FastifyBaseLogger): McpService {
	const onerror = (error: Error) => log.debug({ err: error }, 'mcp')

	function server(accountId: string): Server {
		const made = new Server(serverInfo, {
			capabilities: { tools: {} },
			instructions:
				'Guardrail tools: verify claims, screen text, find, and judge with calibrated probabilities.',
			cacheHints: { 'tools/list': listingHint },
		})
		made.setRequestHandler('tools/list', () => listing)
		made.setRequestHandler('tools/call', async ({ params }, { mcpReq, http }) => {
			const tool = tools.get(params.name)
			if (!tool) throw new ProtocolError(ProtocolErrorCode.InvalidParams, `There is no tool ${params.name}`)
			const traceparent = mcpReq._meta?.traceparent ?? http?.req?.headers.get('traceparent')
			return toolResult(await gate.call(tool, accountId, params.arguments, mcpReq.signal, traceparent))
		})
		return made
	}

	const modern = createMcpHandler(({ authInfo }) => server(authInfo?.extra?.accountId as string), {
		legacy: 'reject',
		onerror,
	})

	async function serveInitializeEra(request: Request, body: unknown, accountId: string): Promise<Response> {
		const made = server(accountId)
		const transport = new WebStandardStreamableHTTPServerTransport({
			sessionIdGenerator: undefined,
			enableJsonResponse: true,
		})
		transport.onerror = onerror
		await made.connect(transport)
		// Nothing outlives the answer, so only a caller who has gone is a reason to close.
		request.signal.addEventListener('abort', () => void made.close(), { once: true })
		return transport.handleRequest(request, { parsedBody: body })
	}

	return {
		serve: async (request, body, accountId) => {
			if (request.method !== 'POST' || (await isLegacyRequest(request, body)))
				return serveInitializeEra(request, body, accountId)
			const authInfo = { token: '', clientId: '', scopes: [], extra: { accountId } }
			return modern.fetch(request, { authInfo, parsedBody: body })
		},
		close: () => modern.close(),
	}
}
