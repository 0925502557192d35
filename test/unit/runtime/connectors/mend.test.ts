import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { json as readJson } from 'node:stream/consumers'
import { afterEach, describe, expect, test } from 'vitest'
import { createEgress } from '../../../../runtime/egress/index.ts'
import { createConnectors } from '../../../../runtime/process/connectors/index.ts'

// Servers of strangers write what no official SDK would: each answer here is given by hand, on one line or as an event.

const closes: (() => unknown)[] = []
afterEach(async () => {
	for (const close of closes.splice(0)) await close()
})

type Era = '2025' | '2026'
interface Script {
	era?: Era
	events?: boolean
	called?: object
	tools?: unknown[]
	listed?: object
}

const inputSchema = { type: 'object' }
const standard = [{ name: 'do', inputSchema }]

async function scripted({ era = '2025', events, called, tools = standard, listed }: Script) {
	const answers: Record<string, object> = {
		'tools/list': {
			result: {
				...(era === '2026' && { resultType: 'complete' }),
				tools,
				nextCursor: null,
				_meta: null,
				...listed,
			},
		},
		'tools/call': called ?? {},
	}
	const serverInfo = { name: 's', version: '1', title: null }
	const capabilities = { tools: { listChanged: null }, prompts: null }
	if (era === '2025')
		answers.initialize = {
			result: { protocolVersion: '2025-06-18', capabilities, serverInfo, instructions: null },
		}
	else
		answers['server/discover'] = {
			result: {
				...{ resultType: 'complete', ttlMs: 0, cacheScope: 'private', instructions: null },
				...{ supportedVersions: ['2026-07-28'], capabilities, serverInfo },
			},
		}
	const handle = async (request: IncomingMessage, response: ServerResponse) => {
		if (request.method !== 'POST') return response.writeHead(405).end()
		const { id, method } = (await readJson(request)) as { id?: unknown; method: string }
		if (id === undefined) return response.writeHead(202).end()
		const known = answers[method] ?? { error: { code: -32_601, message: 'none' } }
		const text = JSON.stringify({ jsonrpc: '2.0', id, ...known })
		const type = events ? 'text/event-stream' : 'application/json'
		return response.writeHead(200, { 'content-type': type }).end(events ? `data: ${text}\n\n` : text)
	}
	const server = createServer((request, response) => void handle(request, response))
	await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
	const { port } = server.address() as AddressInfo
	const egress = createEgress({ allow: [`127.0.0.1:${port}`] })
	const connectors = createConnectors({ egress })
	closes.push(async () => {
		await connectors.close()
		await egress.close()
		server.closeAllConnections()
		server.close()
	})
	const target = { deployment: 'dep_1', url: `http://127.0.0.1:${port}/mcp`, credentialVersion: 0 }
	const options = { signal: new AbortController().signal, timeoutMs: 30_000 }
	return {
		call: () => connectors.call(target, 'do', {}, options),
		list: (wanted: string[]) => connectors.list(target, wanted, options),
	}
}

const text = { type: 'text', text: 'x' }
const result = (more: object, item: object = {}) => ({ result: { content: [{ ...text, ...item }], ...more } })

const harmless: [what: string, called: object][] = [
	['structured content that is null', result({ structuredContent: null })],
	['null as _meta', result({ _meta: null })],
	['null as isError', result({ isError: null })],
	['null as annotations', result({}, { annotations: null })],
	["null as an item's _meta", result({}, { _meta: null })],
	['annotations of an unknown audience', result({}, { annotations: { audience: ['robot'], priority: 7 } })],
	['null as error', { error: null, ...result({}) }],
]

// Proves: connector.result-nulls
describe.each([false, true])('as events: %s,', (events) => {
	test.each(harmless)('a result with %s is read', async (_, called) => {
		const { call } = await scripted({ called, events })
		expect(await call()).toEqual({ ok: true, output: 'x' })
	})
})

// Proves: connector.result-nulls
test.each(['2025', '2026'] as const)(
	'content of an unknown kind is shown by its name, era %s',
	async (era) => {
		const called = { result: { content: [text, { type: 'newkind', x: 1 }, { type: 'a\u202e kind' }] } }
		const { call } = await scripted({ era, called })
		expect(await call()).toEqual({ ok: true, output: 'x\n[newkind]\n[content of an unknown kind]' })
	},
)

const image = { type: 'image', data: 'AAAA', mimeType: 'image/png' }
const broken: [fault: string, called: object][] = [
	['content/0/mimeType: ', { result: { content: [{ ...image, mimeType: null }] } }],
	['content/0/data: Invalid Base64', { result: { content: [{ ...image, data: 'AA_-' }] } }],
	['content/1/text: ', { result: { content: [text, { type: 'text', text: 42 }] } }],
	['content/0/type: is missing', { result: { content: ['x'] } }],
	['content: is no list', { result: { content: 'x' } }],
	['_meta: is no object', result({ _meta: 'x' })],
	['result: is no object', { result: ['x'] }],
	['error: is no error', { error: 'x' }],
]

// Proves: connector.result-broken
describe.each(['2025', '2026'] as const)('of the revision of %s,', (era) => {
	test.each(broken)('a result is a failed one and says "%s"', async (fault, called) => {
		const { call } = await scripted({ era, called })
		const output = expect.stringContaining(
			`The tool was called, and its result is not as MCP has it (${fault}`,
		)
		expect(await call()).toEqual({ ok: false, output })
	})
})

// Proves: connector.result-broken
test('structured content that is a list fails a call, where the revision has objects alone', async () => {
	const { call } = await scripted({ called: result({ structuredContent: [1] }) })
	const output = expect.stringContaining('(structuredContent: is no object)')
	expect(await call()).toEqual({ ok: false, output })
})

// Proves: connector.result-broken
test('a result of another family than a tool result is a failed one', async () => {
	const { call } = await scripted({ called: { result: { task: { taskId: 't' } } } })
	expect(await call()).toEqual({ ok: false, output: 'do was called, and its result is not as MCP has it.' })
})

describe.each(['2025', '2026'] as const)('of the revision of %s,', (era) => {
	// Proves: connector.result-nulls
	test('a tool whose optional members are null is listed', async () => {
		const nulls = {
			title: null,
			annotations: null,
			outputSchema: null,
			_meta: null,
			icons: null,
			execution: null,
		}
		const tool = { name: 'do', description: null, inputSchema, ...nulls }
		const { list } = await scripted({ era, tools: [tool], listed: { ttlMs: null, cacheScope: null } })
		const plain = await scripted({ era })
		expect(await list(['do'])).toEqual(await plain.list(['do']))
	})

	// Proves: connector.tool-broken
	test('a broken tool harms no other, and is told where it is required', async () => {
		const tools = [...standard, { name: 'broken', inputSchema: null }, { inputSchema }, 'x']
		const { list } = await scripted({ era, tools })
		expect((await list(['do'])).tools.map(({ name }) => name)).toEqual(['do'])
		await expect(list(['do', 'broken'])).rejects.toMatchObject({
			code: 'connector_unavailable',
			message: expect.stringMatching(/the definition of broken is not as MCP has it \(inputSchema: /),
		})
	})
})
