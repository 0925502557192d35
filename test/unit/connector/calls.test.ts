import { afterAll, describe, expect, it } from 'vitest'
import type { Gate, GuardAnswer } from '../../../connector/guard/gate.ts'
import { callAnswer, plainCall } from '../../../connector/mcp/call.ts'
import { openMcp } from '../../../connector/mcp/serve.ts'
import { log } from '../../kit/guard.ts'

// Plain calls are answered without the library's server. Here both answer the same messages: where we answer, the
// library must answer the very same; what it refuses or treats otherwise must be left to it.

const answers: Record<string, GuardAnswer> = {
	'a success': { ok: true, content: { ok: true, results: [], allowance_remaining: '7 credits' } },
	'a refusal': { ok: false, message: 'Guard is full right now.', allowance: '7 credits' },
	'a refusal without a balance': { ok: false, message: 'Guard is full right now.', allowance: null },
}
let given = answers['a success'] as GuardAnswer
const asked: unknown[] = []
const gate: Gate = {
	call: async (tool, accountId, args) => {
		asked.push([tool.name, accountId, args])
		return given
	},
}
const library = openMcp(gate, log)
afterAll(() => library.close())

type Headers = Record<string, string>
const json = { 'content-type': 'application/json' }
const params = { name: 'guard_noul', arguments: { propositions: ['The sky is blue.'] } }
const message = { jsonrpc: '2.0', id: 1, method: 'tools/call', params }
const version = 'io.modelcontextprotocol/protocolVersion'
const _meta = {
	[version]: '2026-07-28',
	'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1' },
	'io.modelcontextprotocol/clientCapabilities': {},
}
const modern = { ...message, params: { ...params, _meta } }
const modernHeaders = {
	...json,
	'mcp-protocol-version': '2026-07-28',
	'mcp-method': 'tools/call',
	'mcp-name': 'guard_noul',
}
const without = (name: keyof typeof modernHeaders) => {
	const { [name]: _, ...rest } = modernHeaders
	return rest
}

async function fromLibrary(headers: Headers, body: unknown) {
	const accept = 'application/json, text/event-stream'
	const request = new Request('http://guard/mcp', { method: 'POST', headers: { ...headers, accept } })
	const response = await library.serve(request, body, 'acc_1')
	const text = await response.text()
	return { status: response.status, body: text && JSON.parse(text) }
}

describe('a plain call is answered as the library answers it', () => {
	const plain: [name: string, headers: Headers, body: { id: unknown; params: object }][] = [
		['2025-11-25', { ...json, 'mcp-protocol-version': '2025-11-25' }, message],
		['2025-03-26, by no header', json, message],
		['with a charset', { 'content-type': 'application/json; charset=utf-8' }, message],
		['an id of text', json, { ...message, id: 'a' }],
		['no arguments', json, { ...message, params: { name: 'guard_noul' } }],
		[
			'a token for progress',
			json,
			{ ...message, params: { ...params, _meta: { progressToken: 1, 'x/y': [] } } },
		],
		['2026-07-28', modernHeaders, modern],
		[
			'2026-07-28 with more beside the envelope',
			modernHeaders,
			{ ...modern, params: { ...params, _meta: { ..._meta, progressToken: 'a', traceparent: '00' } } },
		],
	]
	for (const [name, headers, body] of plain) {
		for (const [what, answer] of Object.entries(answers)) {
			it(`${name}: ${what}`, async () => {
				given = answer
				const theirs = await fromLibrary(headers, body)
				const call = plainCall(headers, body)
				expect(call && JSON.parse(JSON.stringify(callAnswer(call, answer)))).toEqual(theirs.body)
				expect(theirs.status).toBe(200)
				const args = 'arguments' in body.params ? body.params.arguments : undefined
				expect([call?.tool.name, 'acc_1', call?.args]).toEqual(asked.at(-1))
				expect(call?.args).toEqual(args)
			})
		}
	}
})

describe('what is not plainly a call is left to the library', () => {
	const envelope = (more: object) => ({ ...modern, params: { ...params, _meta: { ..._meta, ...more } } })
	const other: [name: string, headers: Headers, body: unknown, status: number, code?: number][] = [
		['another content type', { 'content-type': 'text/plain' }, message, 415, -32000],
		['no content type', {}, message, 415, -32000],
		['an unknown version', { ...json, 'mcp-protocol-version': '2020-01-01' }, message, 400, -32000],
		[
			'today’s version without its envelope',
			{ ...json, 'mcp-protocol-version': '2026-07-28' },
			message,
			400,
			-32602,
		],
		['no name in the headers', without('mcp-name'), modern, 400, -32020],
		['another name in the headers', { ...modernHeaders, 'mcp-name': 'guard_find' }, modern, 400, -32020],
		['no method in the headers', without('mcp-method'), modern, 400, -32020],
		['another method in the headers', { ...modernHeaders, 'mcp-method': 'tools/list' }, modern, 400, -32020],
		['no version in the headers', without('mcp-protocol-version'), modern, 400, -32020],
		[
			'another version in the headers',
			{ ...modernHeaders, 'mcp-protocol-version': '2025-11-25' },
			modern,
			400,
			-32020,
		],
		[
			'a version nobody serves',
			{ ...modernHeaders, 'mcp-protocol-version': '2027-01-01' },
			envelope({ [version]: '2027-01-01' }),
			400,
			-32022,
		],
		[
			'an envelope without capabilities',
			modernHeaders,
			envelope({ 'io.modelcontextprotocol/clientCapabilities': undefined }),
			400,
			-32602,
		],
		[
			'a client without a name',
			modernHeaders,
			envelope({ 'io.modelcontextprotocol/clientInfo': {} }),
			400,
			-32602,
		],
		['another protocol', json, { ...message, jsonrpc: '1.0' }, 400],
		['no id', json, { jsonrpc: '2.0', method: 'tools/call', params }, 202],
		['an id of null', json, { ...message, id: null }, 400],
		['a field too many', json, { ...message, extra: 1 }, 400],
		['an unknown tool', json, { ...message, params: { name: 'guard_dance' } }, 200, -32602],
		['a tool of every object', json, { ...message, params: { name: 'constructor' } }, 200, -32602],
		['arguments in a list', json, { ...message, params: { ...params, arguments: [] } }, 200, -32602],
		['another method', json, { ...message, method: 'tools/list' }, 200],
		['several calls', json, [message, { ...message, id: 2 }], 200],
	]
	for (const [name, headers, body, status, code] of other) {
		it(name, async () => {
			expect(plainCall(headers, body)).toBeNull()
			const theirs = await fromLibrary(headers, body)
			expect([theirs.status, theirs.body?.error?.code]).toEqual([
				status,
				code ?? (status === 400 ? expect.any(Number) : undefined),
			])
		})
	}
})

// Proves: guard.batch
it('a batch of 2025-03-26 is answered with a batch', async () => {
	const ping = { jsonrpc: '2.0', method: 'ping' }
	const batch = [
		{ ...ping, id: 1 },
		{ ...ping, id: 2 },
	]
	const { status, body } = await fromLibrary({ ...json, 'mcp-protocol-version': '2025-03-26' }, batch)
	expect([status, body]).toMatchObject([
		200,
		[
			{ id: 1, result: {} },
			{ id: 2, result: {} },
		],
	])
})
