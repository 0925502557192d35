import { PROTOCOL_VERSION_META_KEY } from '@modelcontextprotocol/client'

/** JSON-RPC as this client sends it. */
export interface Sent {
	id?: string | number
	method?: string
	params?: Record<string, unknown>
}

/** A tool's own declaration (`x-mcp-header`) may not set these. */
const reserved = new Set([
	'accept',
	'authorization',
	'content-length',
	'content-type',
	'cookie',
	'host',
	'mcp-method',
	'mcp-name',
	'mcp-protocol-version',
	'mcp-session-id',
])

/** Where a request of this method says what it is about. */
const named: Record<string, string> = { 'tools/call': 'name', 'prompts/get': 'name', 'resources/read': 'uri' }

/** 2026-07-28: version, method and name of a request stand in its headers, too. */
export function messageHeaders({ method, params }: Sent, extra: object = {}): Record<string, string> {
	const headers: Record<string, string> = {}
	for (const [name, value] of Object.entries(extra)) {
		if (!reserved.has(name.toLowerCase())) headers[name.toLowerCase()] = String(value)
	}
	const meta = params?._meta as Record<string, unknown> | undefined
	const version = meta?.[PROTOCOL_VERSION_META_KEY]
	if (typeof version !== 'string' || method === undefined) return headers
	headers['mcp-protocol-version'] = version
	headers['mcp-method'] = method
	const name = params?.[named[method] ?? '']
	if (typeof name === 'string') headers['mcp-name'] = headerValue(name)
	return headers
}

function headerValue(value: string): string {
	const plain = /^[\x21-\x7e]([\t\x20-\x7e]*[\x21-\x7e])?$/.test(value) && !value.startsWith('=?base64?')
	return plain ? value : `=?base64?${Buffer.from(value).toString('base64')}?=`
}
