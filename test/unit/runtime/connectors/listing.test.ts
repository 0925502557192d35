import { afterEach, describe, expect, test } from 'vitest'
import { nameTools, type RemoteTool } from '../../../../runtime/process/connectors/index.ts'
import { standardTools } from '../../../kit/mcp-server.ts'
import { eras, start, stopAll } from './fixture.ts'

afterEach(stopAll)

const inputSchema = { type: 'object' as const }
const run = () => ({ content: [] })

describe.each(eras)('the listing of a connector, era %s,', (era) => {
	// Proves: connector.listing
	test('shows what is wanted and nothing else, over all pages', async () => {
		const { list } = await start({ era, pageSize: 2 })
		const { tools, missing } = await list(['weather', 'echo', 'absent'])
		expect(tools.map(({ name }) => name)).toEqual(['weather', 'echo'])
		expect(missing).toEqual(['absent'])
		expect(tools[0]).toMatchObject({
			description: 'Answers with structured content',
			input: standardTools.find(({ name }) => name === 'weather')?.inputSchema,
			readOnly: true,
			idempotent: true,
		})
	})

	// Proves: connector.listing-cut
	test('of more tools than are read says so, and does not say that a tool is not offered', async () => {
		const many = Array.from({ length: 1_001 }, (_, n) => ({ name: `tool_${n}`, inputSchema, run }))
		const { list } = await start({ era, tools: many })
		expect((await list(['tool_999'])).missing).toEqual([])
		await expect(list(['tool_999', 'tool_1000'])).rejects.toMatchObject({
			code: 'tool_missing',
			message: expect.stringMatching(/^tool_1000 is not among the first 1000 tools/),
		})
	})

	// Proves: connector.listing
	test('is asked for anew when the server tells of a change', async () => {
		const { list, server } = await start({ era })
		expect((await list(['later'])).missing).toEqual(['later'])
		server.options.tools = [...server.options.tools, { name: 'later', inputSchema, run }]
		await expect
			.poll(async () => {
				await server.announce()
				return (await list(['later'])).missing
			})
			.toEqual([])
	})

	// Proves: connector.listing
	test('is asked for anew when its time is over, or when that is wished', async () => {
		const { list, asked } = await start({ era, ttlMs: 30 })
		await list(['echo'])
		const first = asked('tools/list')
		await list(['echo'], { refresh: true })
		expect(asked('tools/list')).toBe(first + 1)
		if (era === 'session') return
		const again = async () => {
			await list(['echo'])
			return asked('tools/list')
		}
		await expect.poll(again).toBeGreaterThan(first + 1)
	})

	test('is asked for once by many at once', async () => {
		const { list, asked } = await start({ era })
		await Promise.all(Array.from({ length: 10 }, () => list(['echo'])))
		expect(asked('tools/list')).toBe(1)
	})

	// Proves: connector.lock-agent
	test('has other tools once the server says that it is an agent', async () => {
		const digests = async (agent: boolean) => {
			const { list } = await start({ era, agent })
			const [tool] = (await list(['echo'])).tools
			return { agent: tool?.agent, all: tool?.hash, schemas: tool?.schemaHash }
		}
		const [plain, agent] = [await digests(false), await digests(true)]
		expect([plain.agent, agent.agent]).toEqual([false, true])
		expect(agent.all).not.toBe(plain.all)
		expect(agent.schemas).not.toBe(plain.schemas)
	})

	test('keeps an unchanged tool the same object', async () => {
		const { list } = await start({ era })
		const [before] = (await list(['echo'])).tools
		const [after] = (await list(['echo'], { refresh: true })).tools
		expect(after).toBe(before)
	})
})

describe('a definition', () => {
	test('has a digest that any change of name, description or schema changes', async () => {
		const { list, server } = await start()
		const tool = { name: 't', description: 'one', inputSchema, run }
		const hashes: string[] = []
		const schemaHashes: string[] = []
		const variants = [
			tool,
			{ ...tool, annotations: { readOnlyHint: true } },
			{ ...tool, description: 'two' },
			{ ...tool, inputSchema: { ...inputSchema, properties: { a: {} } } },
			{ ...tool, outputSchema: inputSchema },
		]
		for (const variant of variants) {
			server.options.tools = [variant]
			const [listed] = (await list(['t'], { refresh: true })).tools
			hashes.push(String(listed?.hash))
			schemaHashes.push(String(listed?.schemaHash))
		}
		expect(hashes[0]).toMatch(/^sha256:[0-9a-f]{64}$/)
		expect(hashes[1]).toBe(hashes[0])
		expect(new Set(hashes).size).toBe(4)
		expect(schemaHashes[2]).toBe(schemaHashes[0])
		expect(new Set(schemaHashes).size).toBe(3)
	})

	test('is cut or refused where it is too large for any model', async () => {
		const wordy = { name: 'wordy', description: 'x'.repeat(100_000), inputSchema, run }
		const huge = { name: 'huge', inputSchema: { ...inputSchema, description: 'x'.repeat(100_000) }, run }
		const { list } = await start({ tools: [wordy, huge] })
		expect((await list(['wordy'])).tools[0]?.description).toHaveLength(8 * 1024)
		await expect(list(['huge'])).rejects.toMatchObject({
			code: 'connector_unavailable',
			message: /the schema of huge/,
		})
	})
})

test('connections are closed when idle, when their deployment goes and at the end', async () => {
	const idle = await start({ era: 'session' }, { idleMs: 50 })
	await idle.call('echo', { text: 'x' })
	await expect.poll(() => idle.asked('DELETE')).toBe(1)
	const dropped = await start({ era: 'session' })
	await dropped.call('echo', { text: 'x' })
	dropped.connectors.drop('dep_2')
	dropped.connectors.drop('dep_1')
	await expect.poll(() => dropped.asked('DELETE')).toBe(1)
	await dropped.call('echo', { text: 'x' })
	await dropped.connectors.close()
	expect(dropped.asked('DELETE')).toBe(2)
	await dropped.connectors.close()
})

describe('the name of a tool', () => {
	const tool = (name: string) => ({ name, description: '', input: inputSchema }) as RemoteTool
	const names = (offers: [url: string, tools: string[]][], taken: string[] = []) =>
		nameTools(
			offers.map(([url, tools]) => ({ url, tools: tools.map(tool) })),
			taken,
		).map(({ definition }) => definition.name)
	const [a, b] = ['https://a.example/mcp', 'https://b.example/mcp']

	// Proves: connector.tool-names
	test('is its own where nothing else has it', () => {
		expect(
			names([
				[a, ['find', 'get']],
				[b, ['put']],
			]),
		).toEqual(['find', 'get', 'put'])
	})

	// Proves: connector.tool-names
	test('begins with its connector where two have it, whatever their order', () => {
		expect(
			names([
				[a, ['find', 'get']],
				[b, ['find']],
			]),
		).toEqual(['a-example-mcp__find', 'get', 'b-example-mcp__find'])
		expect(
			names([
				[b, ['find']],
				[a, ['find']],
			]),
		).toEqual(['b-example-mcp__find', 'a-example-mcp__find'])
		expect(names([[a, ['find']]], ['find'])).toEqual(['a-example-mcp__find'])
	})

	// Proves: connector.tool-names
	test('is made of what providers take', () => {
		const long = `https://${'x'.repeat(80)}.example/mcp`
		const odd = [
			...names([[a, ['find.all', 'finde ö', 'f'.repeat(65)]]]),
			...names([
				[long, ['get']],
				[a, ['get']],
			]),
		]
		for (const name of odd) expect(name).toMatch(/^[a-zA-Z0-9_-]{1,64}$/)
		expect(new Set(odd).size).toBe(odd.length)
		expect(odd[0]).toBe('a-example-mcp__find_all')
	})
})
