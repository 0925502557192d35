import { afterEach, describe, expect, test } from 'vitest'
import { ConnectorError } from '../../../../runtime/process/connectors/index.ts'
import type { McpServer } from '../../../kit/mcp-server.ts'
import { eras, start, stopAll } from './fixture.ts'

afterEach(stopAll)

async function failureOf(call: Promise<unknown>) {
	const error = await call.then(
		(value) => value,
		(reason: unknown) => reason,
	)
	if (!(error instanceof ConnectorError)) throw new Error(`no ConnectorError but ${JSON.stringify(error)}`)
	return { code: error.code, reason: error.reason }
}

describe.each(eras)('a connector of era %s', (era) => {
	// Proves: connector.both-eras, connector.result-forms
	test('answers with texts, structured content and failures', async () => {
		const { call } = await start({ era })
		expect(await call('echo', { text: 'Grüße' })).toEqual({ ok: true, output: 'Grüße' })
		expect(await call('fail')).toEqual({ ok: false, output: 'it did not work' })
		expect(await call('weather', { city: 'Kiel' })).toEqual({
			ok: true,
			output: 'Kiel: 21',
			structured: { city: 'Kiel', celsius: 21 },
		})
	})

	// Proves: connector.result-forms
	test('names what is no text, and shows structured content where there is no text', async () => {
		const inputSchema = { type: 'object' as const }
		const image = { type: 'image' as const, data: 'AAAA', mimeType: 'image/png' }
		const link = { type: 'resource_link' as const, name: 'report', uri: 'file:///r' }
		const mixed = {
			name: 'mixed',
			inputSchema,
			run: () => ({ content: [{ type: 'text' as const, text: 'a' }, image, link] }),
		}
		const bare = { name: 'bare', inputSchema, run: () => ({ content: [], structuredContent: { n: 1 } }) }
		const { call } = await start({ era, tools: [mixed, bare] })
		expect(await call('mixed')).toEqual({
			ok: true,
			output: 'a\n[image: image-1.png]\n[report: file:///r]',
			files: [{ name: 'image-1.png', type: 'image/png', base64: 'AAAA' }],
		})
		expect(await call('bare')).toEqual({ ok: true, output: '{"n":1}', structured: { n: 1 } })
	})

	// Proves: agent.budget-unreported
	test.each([
		[{ tokens: 7, usd: 0.5 }, true],
		[{ tokens: 7, usd: null }, true],
		[{ tokens: 0.5, usd: 0.5 }, false],
		[{ tokens: 2 ** 53, usd: 0 }, false],
		[{ tokens: -1, usd: 0 }, false],
		[{ tokens: '7', usd: 0 }, false],
	])('reports what was spent as %j, which counts: %s', async (spent, counts) => {
		const run = () => ({ content: [{ type: 'text' as const, text: 'a' }], _meta: { 'berth/spent': spent } })
		const { call } = await start({ era, tools: [{ name: 'agent', inputSchema: { type: 'object' }, run }] })
		expect(await call('agent')).toEqual({ ok: true, output: 'a', ...(counts && { spent }) })
	})

	// Proves: connector.connection-kept
	test('is kept between calls and asked once for what it is', async () => {
		const { call, list, asked } = await start({ era })
		for (let i = 0; i < 5; i++) {
			await list(['echo'])
			await call('echo', { text: 'x' })
		}
		expect([asked('server/discover'), asked('tools/list'), asked('tools/call')]).toEqual([1, 1, 5])
		expect(asked('initialize')).toBe(era === 'session' ? 1 : 0)
	})

	// Proves: connector.connection-kept
	test('makes one connection for many who ask at once', async () => {
		const { call, asked } = await start({ era })
		const replies = await Promise.all(Array.from({ length: 20 }, (_, i) => call('echo', { text: String(i) })))
		expect(replies.map(({ output }) => output)).toEqual(Array.from({ length: 20 }, (_, i) => String(i)))
		expect(asked('server/discover')).toBe(1)
	})

	// Proves: connector.large-result
	test('that answers with 5 MB has its answer refused, and goes on', async () => {
		const { call } = await start({ era })
		const big = await call('big')
		expect(big.ok).toBe(false)
		expect(big.output).toMatch(/too large: over the 1048576 bytes/)
		expect((await call('big', { bytes: 1024 * 1024 + 1 })).ok).toBe(false)
		expect((await call('big', { bytes: 1024 * 1024 })).output).toHaveLength(1024 * 1024)
	})

	// Proves: connector.session-lost
	test('is opened once more when it does not know the session any more, and nothing is done twice', async () => {
		const { call, server } = await start({ era })
		await call('charge', { key: 'a' })
		await server.forgetSessions()
		expect(await call('charge', { key: 'b' })).toEqual({ ok: true, output: 'charged b' })
		expect(server.calls.map(({ args }) => args.key)).toEqual(['a', 'b'])
	})

	// Proves: connector.repeat-harmless
	test('is asked once more when its connection breaks, where that does no harm', async () => {
		const { call, server } = await start({ era })
		await call('echo', { text: 'x' })
		server.faults.push({ method: 'tools/call', fault: 'cut' })
		expect(await call('echo', { text: 'y' }, { repeatable: true })).toEqual({ ok: true, output: 'y' })
		server.faults.push({ method: 'tools/call', fault: 'cut' })
		const broken = call('charge', { key: 'a' })
		expect(await failureOf(broken)).toEqual({ code: 'connector_unavailable', reason: 'unknown' })
		expect(server.calls.filter(({ tool }) => tool === 'charge')).toEqual([])
	})

	// Proves: connector.slow
	test('that is too slow is not waited for and not asked again', async () => {
		const { call, server } = await start({ era })
		const slow = call('slow', { ms: 3_000 }, { timeoutMs: 150, repeatable: true })
		expect(await failureOf(slow)).toEqual({ code: 'connector_unavailable', reason: 'unknown' })
		expect(server.calls).toHaveLength(1)
	})

	// Proves: connector.shared-wait
	test('that is slow to connect or to list is waited for by each call for its own time alone', async () => {
		const { call, list, server, asked, connectors, target } = await start({ era })
		const connecting = era === 'session' ? 'initialize' : 'server/discover'
		const signal = new AbortController().signal
		const hurried = (options = { signal, timeoutMs: 300 }) =>
			failureOf(connectors.list(target, ['echo'], options)).then(({ reason }) => reason)
		server.faults.push({ method: connecting, fault: 'late' })
		const connects = [hurried(), call('echo', { text: 'x' }), hurried()]
		expect(await Promise.race(connects)).toBe('unreachable')
		expect(await Promise.all(connects)).toEqual(['unreachable', { ok: true, output: 'x' }, 'unreachable'])
		expect(asked(connecting)).toBe(1)
		server.faults.push({ method: 'tools/list', fault: 'late' })
		const lists = [hurried(), list(['echo']), hurried()]
		expect(await Promise.race(lists)).toBe('unknown')
		expect((await Promise.all(lists))[1]).toMatchObject({ missing: [] })
	})

	// Proves: connector.cancelled
	test('is left at once when the run is cancelled', async () => {
		const { call } = await start({ era })
		await call('echo', { text: 'x' })
		const stop = new AbortController()
		const reason = new Error('cancelled')
		setTimeout(() => stop.abort(reason), 50)
		await expect(call('slow', { ms: 60_000 }, { signal: stop.signal })).rejects.toBe(reason)
		await expect(call('echo', { text: 'x' }, { signal: stop.signal })).rejects.toBe(reason)
		expect((await call('echo', { text: 'still there' })).ok).toBe(true)
	})

	test('says so when a listed tool is not offered any more', async () => {
		const { call, list, server } = await start({ era })
		await list(['echo'])
		server.options.tools = server.options.tools.filter(({ name }) => name !== 'echo')
		server.faults.push({ method: 'tools/call', fault: 'unknown tool' })
		expect(await failureOf(call('echo', { text: 'x' }))).toEqual({ code: 'tool_missing', reason: 'missing' })
	})

	test('whose protocol refuses a call answers so to the model', async () => {
		const { call, server } = await start({ era })
		server.faults.push({ method: 'tools/call', fault: 'unknown tool' })
		expect(await call('echo', { text: 'x' })).toMatchObject({
			ok: false,
			output: expect.stringContaining('no such tool'),
		})
	})
})

type Fault = McpServer['faults'][number]['fault']
/** What a tool call that must not be repeated ends with. */
const failures: [fault: Fault, reason: ConnectorError['reason']][] = [
	['cut', 'unknown'],
	['garbage', 'unknown'],
	[500, 'unknown'],
	[502, 'unknown'],
	[504, 'unknown'],
	// What a gateway says of a server that works on.
	[503, 'unknown'],
	[408, 'unknown'],
	[403, 'protocol'],
]

describe('a failure', () => {
	// Proves: connector.repeat-harmless
	test.each(failures)('%s of a call says whether it may have been executed: %s', async (fault, reason) => {
		const { call, server } = await start({ era: 'session' })
		await call('echo', { text: 'x' })
		server.faults.push({ method: 'tools/call', fault })
		expect(await failureOf(call('charge', { key: 'a' }))).toEqual({ code: 'connector_unavailable', reason })
		expect((await call('echo', { text: 'back' })).output).toBe('back')
	})

	// Proves: connector.refused-request
	test.each([400, 413, 422, 'no such order'] as const)('%s of a call is a failed result', async (fault) => {
		const { call, server } = await start({ era: 'session' })
		await call('echo', { text: 'x' })
		server.faults.push({ method: 'tools/call', fault })
		expect(await call('charge', { key: 'a' })).toMatchObject({
			ok: false,
			output: expect.stringMatching(/^charge was not executed: its server answered 4\d\d\.$/),
		})
		expect(server.calls.filter(({ tool }) => tool === 'charge')).toHaveLength(0)
	})

	// Proves: connector.repeat-harmless
	test.each([429, 'come again'] as const)('%s was not begun: the call is made again', async (fault) => {
		const { call, server } = await start()
		await call('echo', { text: 'x' })
		server.faults.push({ method: 'tools/call', fault })
		expect((await call('charge', { key: 'a' })).ok).toBe(true)
		expect(server.calls.filter(({ tool }) => tool === 'charge')).toHaveLength(1)
	})

	// Proves: connector.busy
	test('of a busy server waits for as long as it asks, and not past the time of the call', async () => {
		const { call, asked, server } = await start({ era: 'session' })
		await call('echo', { text: 'x' })
		server.faults.push({ method: 'tools/call', fault: 'come again' }, { method: 'tools/call', fault: 429 })
		const from = performance.now()
		expect((await call('charge', { key: 'a' })).ok).toBe(true)
		expect(performance.now() - from).toBeGreaterThan(1_900)
		expect([asked('tools/call'), asked('initialize')]).toEqual([4, 1])
		server.faults.push({ method: 'tools/call', fault: 'come again' })
		const hurried = failureOf(call('charge', { key: 'b' }, { timeoutMs: 900 }))
		expect(await hurried).toEqual({ code: 'connector_unavailable', reason: 'unreachable' })
		expect(asked('tools/call')).toBe(5)
	})

	// Proves: connector.busy
	test('of a busy server leaves the next try what remains of the time, and none where that is too little', async () => {
		const { call, asked, server } = await start({ era: 'session' })
		await call('echo', { text: 'x' })
		server.faults.push({ method: 'tools/call', fault: 429 }, { method: 'tools/call', fault: 'hang' })
		const from = performance.now()
		const bounds = { timeoutMs: 3_000 }
		expect(await failureOf(call('charge', { key: 'a' }, bounds))).toMatchObject({ reason: 'unknown' })
		expect(performance.now() - from).toBeLessThan(3_900)
		server.faults.push({ method: 'tools/call', fault: 429 })
		const late = failureOf(call('charge', { key: 'b' }, { timeoutMs: 1_500 }))
		expect(await late).toMatchObject({ reason: 'unreachable' })
		expect(asked('tools/call')).toBe(4)
	})

	// Proves: connector.repeat-harmless
	test('that makes another connection necessary takes its time from the next try, which is not begun too late', async () => {
		const { call, asked, server } = await start({ era: 'session' })
		const late = async (timeoutMs: number) => {
			await call('echo', { text: 'x' })
			await server.forgetSessions()
			server.faults.push({ method: 'initialize', fault: 'late' })
			const from = performance.now()
			const failure = await failureOf(call('slow', { ms: 5_000 }, { timeoutMs }))
			return { ...failure, ms: performance.now() - from }
		}
		const broken = await late(3_000)
		expect([broken.reason, broken.ms < 3_900]).toEqual(['unknown', true])
		expect(server.calls.length).toBe(2)
		expect(await late(2_000)).toMatchObject({ reason: 'protocol' })
		expect([server.calls.length, asked('tools/call')]).toEqual([3, 5])
	})

	// Proves: connector.result-forms
	test('that the tool is refused stands, also where the server does not list its tools then', async () => {
		const { call, server } = await start({ era: 'session' })
		await call('echo', { text: 'x' })
		server.faults.push(
			{ method: 'tools/call', fault: 'unknown tool' },
			{ method: 'tools/list', fault: 'hang' },
		)
		expect(await call('charge', { key: 'a' }, { timeoutMs: 1_500 })).toMatchObject({ ok: false })
	})

	// Proves: connector.busy
	test('of a busy server while connecting is waited for, too', async () => {
		const { call, server } = await start()
		server.faults.push({ method: 'server/discover', fault: 429 })
		expect((await call('charge', { key: 'a' })).ok).toBe(true)
	})

	test.each(['cut', 'garbage', 500] as const)(
		'%s while connecting calls no tool, and the next try connects',
		async (fault) => {
			const { call, server } = await start()
			server.faults.push({ method: 'server/discover', fault })
			const { code, reason } = await failureOf(call('charge', { key: 'a' }))
			expect(code).toBe('connector_unavailable')
			expect(reason).not.toBe('unknown')
			expect((await call('charge', { key: 'b' })).ok).toBe(true)
		},
	)

	test('of the address is told apart: nobody there, or not allowed', async () => {
		const { connectors, target, server } = await start()
		const options = { signal: new AbortController().signal, timeoutMs: 30_000 }
		const to = (url: string) => failureOf(connectors.call({ ...target, url }, 'echo', {}, options))
		expect(await to(target.url.replace('127.0.0.1', '169.254.169.254'))).toEqual({
			code: 'connector_unavailable',
			reason: 'refused',
		})
		await server.close()
		expect(await to(target.url)).toEqual({ code: 'connector_unavailable', reason: 'unreachable' })
	})
})
