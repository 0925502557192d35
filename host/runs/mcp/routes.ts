import { randomUUID } from 'node:crypto'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { z } from 'zod'
import type { App } from '../../http/route.ts'
import { type AgentRouteParts, cancelled } from './parts.ts'
import type { AgentServer } from './serve.ts'
import { agentSignIn } from './sign-in.ts'
import { openWaiters } from './waiters.ts'

const bodyMaxBytes = 1024 * 1024
/** The protocol's headers only: a web `Request` copies each. */
const forwarded = ['mcp-protocol-version', 'mcp-method', 'mcp-name']
const sessionHeader = 'mcp-session-id'
const sessionMaxLetters = 64

/** 2025-03-26 alone has batches; MCP took them out again. A run is too long to share its answer with others. */
const noBatches = {
	jsonrpc: '2.0',
	id: null,
	error: {
		code: -32600,
		message: 'Invalid Request: no batches here; send each message in a request of its own',
	},
}

type Body = { method?: unknown; id?: unknown; params?: { requestId?: unknown } }

/** `{deployment_url}/mcp`: the agent as an MCP server (spec agent.mcp). */
export function agentMcpRoutes(app: App, parts: AgentRouteParts): void {
	const waiters = openWaiters(parts.runs.engine, parts.log)
	let opening: Promise<AgentServer> | undefined
	/** At the first request, as the guard's. */
	const server = () => {
		opening ??= import('./serve.ts').then(({ openAgentServer }) => openAgentServer({ ...parts, waiters }))
		return opening
	}
	/** Requests under way: a client of the `initialize` era cancels one by another request. */
	const open = new Map<string, AbortController>()
	const signIn = agentSignIn(app, parts)
	app.addHook('onClose', async () => {
		waiters.close()
		await (await opening)?.close()
	})
	app.post(
		'/d/:slug/mcp',
		{
			schema: { params: z.object({ slug: z.string() }) },
			config: { auth: 'run_key', agent: true, rpc: true, undocumented: true },
			bodyLimit: bodyMaxBytes,
			onSend: signIn.challenge,
		},
		async (request, reply) => {
			const deployment = await parts.at(request, request.params.slug)
			const caller = await parts.auth.requireAgentCaller(request, deployment, 'run')
			const lineage = caller.kind === 'owner' ? null : caller.key.lineage
			if (Array.isArray(request.body)) return reply.code(400).send(noBatches as never)
			const body = (request.body ?? {}) as Body
			const session = sessionOf(request)
			const nameOf = (id: unknown) => JSON.stringify([deployment.id, lineage, session, id])
			if (body.method === 'notifications/cancelled' && session !== null)
				open.get(nameOf(body.params?.requestId))?.abort(cancelled)
			const stop = stopOf(reply)
			const name = session !== null && body.id !== undefined ? nameOf(body.id) : null
			if (name !== null) open.set(name, stop)
			reply.raw.once('close', () => name !== null && open.get(name) === stop && open.delete(name))
			const { serve } = await server()
			const answer = await serve(webRequest(request), body, {
				deployment,
				lineage,
				traceparent: request.headers.traceparent,
				signal: stop.signal,
			})
			reply.code(answer.status)
			for (const [header, value] of answer.headers) reply.header(header, value)
			// Nothing is kept of a session but its name, by which requests of one client are told from another's.
			if (body.method === 'initialize' && answer.ok) reply.header(sessionHeader, randomUUID())
			// A notification has no answer: JSON of nothing would be `null`.
			return reply.send((answer.body ?? undefined) as never)
		},
	)
}

function sessionOf({ headers }: FastifyRequest): string | null {
	const given = headers[sessionHeader]
	return typeof given === 'string' && given.length <= sessionMaxLetters ? given : null
}

/** Aborts when the caller hangs up before the answer. */
function stopOf(reply: FastifyReply): AbortController {
	const stop = new AbortController()
	reply.raw.once('close', () => {
		if (!reply.raw.writableFinished) stop.abort()
	})
	return stop
}

function webRequest(request: FastifyRequest): Request {
	const copied: [string, string][] = [
		['accept', 'application/json, text/event-stream'],
		['content-type', 'application/json'],
	]
	for (const name of forwarded) {
		const value = request.headers[name]
		if (typeof value === 'string') copied.push([name, value])
	}
	return new Request('http://agent/mcp', { method: 'POST', headers: copied })
}
