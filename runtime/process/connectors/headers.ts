import { PROTOCOL_VERSION_META_KEY } from '@modelcontextprotocol/client'
import type { ResponseHead } from '../../egress/index.ts'
import { scopeNames } from './words.ts'

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
	'traceparent',
	'tracestate',
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
	if (typeof meta?.traceparent === 'string') headers.traceparent = meta.traceparent
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

const MAX_SCOPE_CHARS = 500

type Head = Pick<ResponseHead, 'status' | 'headers'>

const challengeOf = ({ headers }: Head): string => String(headers['www-authenticate'] ?? '')

/**
 * What a 403 says that the token's scope does not reach to (RFC 6750 §3.1); empty where it names nothing that can be
 * asked for. Undefined for every other answer.
 */
export function lackingScope(head: Head): string | undefined {
	const said = challengeOf(head)
	if (head.status !== 403 || !/^bearer\b/i.test(said) || !/\berror="?insufficient_scope\b/.test(said))
		return undefined
	return namedScope(head)
}

/** The scope that a challenge names, each name once; empty where it names nothing that can be asked for (RFC 6749 §3.3). */
export function namedScope(head: Head): string {
	const said = /\bscope=(?:"([\x20\x21\x23-\x5b\x5d-\x7e]*)"|([^\s",]+))/.exec(challengeOf(head))
	const scope = [...new Set(scopeNames(said?.[1] ?? said?.[2]))].join(' ')
	return scope.length > MAX_SCOPE_CHARS ? '' : scope
}
