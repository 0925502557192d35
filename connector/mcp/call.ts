import type { IncomingHttpHeaders } from 'node:http'
import {
	classifyInboundRequest,
	isJSONRPCRequest,
	isJsonContentType,
	isSpecType,
	SERVER_INFO_META_KEY,
	SUPPORTED_PROTOCOL_VERSIONS,
} from '@modelcontextprotocol/server'
import type { GuardAnswer } from '../guard/gate.ts'
import type { Tool } from '../guard/tool.ts'
import { tools } from './tools/index.ts'

// Nearly every request is one message that calls one tool, with nothing amiss. Whether it is, and of which era, the
// library's own predicates say; its server, transport and web streams, made anew for each request, are then not needed
// for the answer. Everything else, and whatever is in doubt here, is the library's (serve.ts), which answers the same
// call alike (test/unit/connector/calls.test.ts).

export const serverInfo = { name: 'guard', title: 'Guard', version: '1.0.0' }

const modernRevision = '2026-07-28'

export interface PlainCall {
	id: string | number
	tool: Tool
	args: unknown
	traceparent: unknown
	/** Null: the `initialize` era. */
	revision: typeof modernRevision | null
}

/** Null: not plainly a call of one of our tools. The caller takes JSON. */
export function plainCall(headers: IncomingHttpHeaders, body: unknown): PlainCall | null {
	if (!isJsonContentType(headers['content-type'] ?? null)) return null
	if (!isJSONRPCRequest(body) || !isSpecType.CallToolRequest(body) || 'task' in body.params) return null
	const { name, arguments: args } = body.params
	const tool = tools.get(name)
	if (!tool) return null
	const version = one(headers['mcp-protocol-version'])
	const method = one(headers['mcp-method'])
	const era = classifyInboundRequest({
		httpMethod: 'POST',
		body,
		...(version !== undefined && { protocolVersionHeader: version }),
		...(method !== undefined && { mcpMethodHeader: method }),
	})
	const call = { id: body.id, tool, args, traceparent: body.params._meta?.traceparent }
	if (era.kind === 'legacy') {
		const supported = version === undefined || SUPPORTED_PROTOCOL_VERSIONS.includes(version)
		return supported ? { ...call, revision: null } : null
	}
	// Of header and body the library has compared version and method already, where there is such a header.
	const plain =
		era.kind === 'modern' &&
		era.classification.revision === modernRevision &&
		version === modernRevision &&
		method === body.method &&
		headers['mcp-name'] === name
	return plain ? { ...call, revision: modernRevision } : null
}

export function callAnswer({ id, revision }: PlainCall, answer: GuardAnswer) {
	const result = toolResult(answer)
	if (revision === null) return { jsonrpc: '2.0', id, result }
	const _meta = { [SERVER_INFO_META_KEY]: serverInfo }
	return { jsonrpc: '2.0', id, result: { ...result, resultType: 'complete', _meta } }
}

/** The same twice: as an object for programs, as text for models. An error's one text is the message itself. */
export function toolResult(answer: GuardAnswer) {
	if (answer.ok) {
		return {
			content: [{ type: 'text' as const, text: JSON.stringify(answer.content) }],
			structuredContent: answer.content,
		}
	}
	return {
		content: [{ type: 'text' as const, text: answer.message }],
		...(answer.allowance !== null && {
			structuredContent: { ok: false, allowance_remaining: answer.allowance },
		}),
		isError: true,
	}
}

const one = (header: string | string[] | undefined) => (typeof header === 'string' ? header : undefined)
