import {
	type AuthInfo,
	createMcpHandler,
	isLegacyRequest,
	ProtocolError,
	ProtocolErrorCode,
	Server,
	WebStandardStreamableHTTPServerTransport,
} from '@modelcontextprotocol/server'
import { AGENT } from '../../../runtime/wire/agent-calls.ts'
import type { KnownDeployment } from '../../deployments/index.ts'
import { version } from '../../lib/root.ts'
import { callAgent } from './call.ts'
import type { AgentParts } from './parts.ts'
import { toolOf } from './tool.ts'

// Both eras of MCP, as the guard serves them: 2026-07-28 through the SDK's handler, the `initialize` era through its
// stateless transport. Answers are event streams, so that a long run can tell of progress and keeps its connection.

/** Who asks, and for which agent. */
export interface Asked {
	deployment: KnownDeployment
	lineage: string | null
	traceparent: unknown
	signal: AbortSignal
}

export interface AgentServer {
	/** `body` is the parsed JSON of the request. */
	serve(request: Request, body: unknown, asked: Asked): Promise<Response>
	close(): Promise<void>
}

export function openAgentServer(parts: AgentParts): AgentServer {
	const onerror = (error: Error) => parts.log.debug({ err: error }, 'mcp of an agent')
	/** By what the SDK hands on of a request. */
	const asking = new WeakMap<object, Asked>()
	const modern = createMcpHandler(({ authInfo }) => serverFor(parts, authInfo && asking.get(authInfo)), {
		legacy: 'reject',
		responseMode: 'sse',
		onerror,
	})

	async function serveInitializeEra(request: Request, body: unknown, asked: Asked): Promise<Response> {
		const made = serverFor(parts, asked)
		const transport = new WebStandardStreamableHTTPServerTransport({})
		transport.onerror = onerror
		await made.connect(transport)
		// Nothing outlives the answer, so only a caller who has gone is a reason to close.
		asked.signal.addEventListener('abort', () => void made.close(), { once: true })
		return transport.handleRequest(request, { parsedBody: body })
	}

	return {
		async serve(request, body, asked) {
			if (await isLegacyRequest(request, body)) return serveInitializeEra(request, body, asked)
			const authInfo: AuthInfo = { token: '', clientId: '', scopes: [] }
			asking.set(authInfo, asked)
			return modern.fetch(request, { authInfo, parsedBody: body })
		},
		close: () => modern.close(),
	}
}

function serverFor(parts: AgentParts, asked: Asked | undefined): Server {
	if (!asked) throw new Error('nobody asks')
	const { deployment } = asked
	const tool = toolOf(deployment)
	const made = new Server(
		{ name: tool.name, title: deployment.name, version },
		{ capabilities: { tools: {}, experimental: { [AGENT]: {} } } },
	)
	made.setRequestHandler('tools/list', () => ({ tools: [tool] }))
	made.setRequestHandler('tools/call', async ({ params }, { mcpReq }) => {
		if (params.name !== tool.name)
			throw new ProtocolError(ProtocolErrorCode.InvalidParams, `There is no tool ${params.name}`)
		const { progressToken, ...meta } = mcpReq._meta ?? {}
		const progress = (step: number, message: string) => {
			if (progressToken === undefined) return
			const told = { progressToken, progress: step, message }
			mcpReq.notify({ method: 'notifications/progress', params: told }).catch(() => {})
		}
		return callAgent(parts, {
			...asked,
			inputs: params.arguments ?? {},
			meta,
			comesBack: mcpReq.envelope !== undefined,
			progress: progressToken === undefined ? undefined : progress,
		})
	})
	return made
}
