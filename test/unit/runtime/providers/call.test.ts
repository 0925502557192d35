import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type ModelResult, ProviderError } from '../../../../runtime/process/providers/index.ts'
import type { Message } from '../../../../runtime/wire/model.ts'
import { type Fixture, type Interface, interfaces, startFixture } from './fixture.ts'

let at: Fixture
beforeAll(async () => {
	at = await startFixture()
})
afterAll(() => at.close())

const tools = [
	{ name: 'add', description: 'Adds', input: { type: 'object', properties: { a: { type: 'number' } } } },
]
const named = Object.fromEntries(interfaces.map((which) => [which.name, which]))
const responses = named['openai responses'] as Interface
const chat = named['openai chat'] as Interface
const anthropic = named['anthropic messages'] as Interface

describe.each(interfaces)('$name', (which) => {
	// Proves: provider.interfaces
	test('reads a text, its deltas, its usage and the model that spoke', async () => {
		const text = 'Gruß aus Köln 🚢, und noch ein Satz.'
		const deltas: string[] = []
		const usage = { input: 40, cached: 16, output: 9 }
		const result = await at.call(
			which,
			{ text, usage, chunk: 3 },
			{},
			{ onDelta: (delta) => deltas.push(delta) },
		)
		expect(result).toEqual({
			message: { role: 'assistant', content: text },
			stop: 'end',
			usage: { input_tokens: 40, cached_input_tokens: 16, output_tokens: 9 },
			model: at.sent().model,
		})
		expect(deltas.length).toBeGreaterThan(5)
		expect(deltas.join('')).toBe(text)
	})

	// Proves: provider.tool-calls
	test('reads several tool calls and takes their results in the next call', async () => {
		const calls = [
			{ name: 'add', input: { a: 1, deep: { list: ['ß'] } } },
			{ name: 'add', input: {} },
		]
		const script = [{ text: 'Adding.', calls }, { text: 'Done.' }]
		const first = await at.call(which, script, { tools })
		expect(first.stop).toBe('tool_calls')
		expect(first.message.content).toBe('Adding.')
		expect(first.message.tool_calls).toEqual([
			{ id: 'call_0_0', name: 'add', input: calls[0]?.input },
			{ id: 'call_0_1', name: 'add', input: {} },
		])
		const messages: Message[] = [
			{ role: 'user', content: 'hi' },
			first.message,
			{ role: 'tool', tool_call_id: 'call_0_0', name: 'add', content: '1' },
			{ role: 'tool', tool_call_id: 'call_0_1', name: 'add', content: 'no a', is_error: true },
		]
		const second = await at.call(which, script, { tools, messages })
		expect(second.message).toEqual({ role: 'assistant', content: 'Done.' })
	})

	test('carries sealed reasoning back in its place and nothing else that a guest put there', async () => {
		const turn = { thinking: 'Hm.', text: 'Adding.', calls: [{ name: 'add', input: { a: 1 } }] }
		const first = await at.call(which, [turn, { text: 'Done.' }], { tools })
		const forged = structuredClone(first.message)
		const kept = Object.values((forged.provider ?? {}) as Record<string, object[]>)
		kept[0]?.push(
			{ type: 'input_image', image_url: 'http://collector.example' },
			{ type: 'image', source: {} },
		)
		const messages: Message[] = [
			{ role: 'user', content: 'hi' },
			forged,
			{ role: 'tool', tool_call_id: 'call_0_0', name: 'add', content: '1' },
		]
		await at.call(which, { text: 'Done.' }, { tools, messages })
		const sent = JSON.stringify(at.sent())
		expect(sent).not.toMatch(/collector|input_image|"image"/)
		if (which === responses) {
			const input = at.sent().input as object[]
			expect(input.slice(1, 4)).toEqual([
				{
					type: 'reasoning',
					id: 'rs_answer_0',
					encrypted_content: 'sealed:Hm.',
					summary: [{ type: 'summary_text', text: 'Hm.' }],
				},
				{ type: 'message', role: 'assistant', content: 'Adding.' },
				{ type: 'function_call', call_id: 'call_0_0', name: 'add', arguments: '{"a":1}' },
			])
		}
		if (which === anthropic) {
			const [, assistant] = at.sent().messages as { content: object[] }[]
			expect(assistant?.content).toEqual([
				{ type: 'thinking', thinking: 'Hm.', signature: 'signed:Hm.' },
				{ type: 'text', text: 'Adding.' },
				{ type: 'tool_use', id: 'call_0_0', name: 'add', input: { a: 1 } },
			])
		}
	})

	// Proves: provider.stop-reason
	test.each([
		['length', { text: 'Cut', length: true }],
		['refusal', { refusal: 'I will not.' }],
	])('says %s where the answer ended so', async (stop, turn) => {
		const result = await at.call(which, turn)
		expect(result.stop).toBe(stop)
		expect(result.message.content).toBe('text' in turn ? 'Cut' : 'I will not.')
	})

	// Proves: provider.bad-arguments
	test('says that arguments were no JSON object, and still sends the call back', async () => {
		const broken = Object.assign(Object.create({ toJSON: () => 'no object' }), {}) as unknown
		const result = await at.call(which, { calls: [{ name: 'add', input: broken }] }, { tools })
		const [call] = result.message.tool_calls ?? []
		expect(call?.input_error).toContain('not an object')
		const messages: Message[] = [
			{ role: 'user', content: 'hi' },
			result.message,
			{ role: 'tool', tool_call_id: String(call?.id), name: 'add', content: 'no', is_error: true },
		]
		await expect(at.call(which, { text: 'ok' }, { tools, messages })).resolves.toMatchObject({ stop: 'end' })
	})

	// Proves: provider.parameters
	test('passes parameters on, and refuses those that are not for owners', async () => {
		await at.call(
			which,
			{ text: 'ok' },
			{ parameters: { seed: 7, tool_choice: 'auto', reasoning: { effort: 'low' } } },
		)
		expect(at.sent()).toMatchObject({
			seed: 7,
			tool_choice: 'auto',
			reasoning: { effort: 'low' },
			stream: true,
		})
		const names = [
			'model',
			'messages',
			'input',
			'tools',
			'stream',
			'store',
			'mcp_servers',
			'headers:x',
			'__proto__x',
		]
		for (const name of names) {
			const call = at.call(which, { text: 'ok' }, { parameters: { [name]: 1 } })
			await expect(call).rejects.toMatchObject({
				code: 'agent_error',
				message: expect.stringContaining(name),
			})
		}
	})

	// Proves: provider.estimated-usage
	test('estimates usage where the server reports none', async () => {
		const { usage } = await at.call(which, { text: 'x'.repeat(400), usage: null })
		if (which === anthropic) expect(usage.input_tokens).toBe(0)
		else expect(usage).toMatchObject({ estimated: true, cached_input_tokens: 0 })
		// By what was written, not by the stream around it, which is many times as long.
		if (which !== anthropic) expect(usage.output_tokens).toBeGreaterThanOrEqual(100)
		if (which !== anthropic) expect(usage.output_tokens).toBeLessThan(200)
	})

	// Proves: provider.estimated-usage, provider.usage-bounded
	test.each([{ input: -5 }, { input: 1.5 }, { output: -1 }, { input: 9e15 }, { output: 10_000_001 }])(
		'takes no count that a limit could not be held to: %j',
		async (usage) => {
			expect((await at.call(which, { text: 'ok', usage })).usage.estimated).toBe(true)
		},
	)

	test.each([
		// What is no object cannot be sent back as it came; `chat` keeps nothing to send back.
		[{ items: [null], blocks: [null] }, which.name === 'openai chat' ? 'answered' : 'agent_error'],
		[{ items: [{ type: 'message' }], blocks: [7] }, 'answered'],
		['x', 'answered'],
		[null, 'answered'],
	])(
		'takes or refuses what a program made of an earlier answer, and never fails over it: %j',
		async (provider, expected) => {
			const messages = [
				{ role: 'user' as const, content: 'hi' },
				{ role: 'assistant' as const, content: 'a', provider },
				{ role: 'user' as const, content: 'b' },
			]
			const code = await at.call(which, { text: 'ok' }, { messages }).then(
				() => 'answered',
				(error: unknown) => (error instanceof ProviderError ? error.code : error),
			)
			expect(code).toBe(expected)
		},
	)

	// Proves: provider.abort
	test('stops the socket when its signal is aborted, and rejects with the reason', async () => {
		const stop = new AbortController()
		const reason = new Error('the run was cancelled')
		const onDelta = () => stop.abort(reason)
		const call = at.call(which, { text: 'x'.repeat(1000), dripMs: 5 }, {}, { signal: stop.signal, onDelta })
		await expect(call).rejects.toBe(reason)
		await expect(at.call(which, { text: 'x' }, {}, { signal: stop.signal })).rejects.toBe(reason)
	})
})

describe('the body', () => {
	// Proves: provider.nothing-kept
	test('of responses keeps nothing at the provider and names no cache key at other servers', async () => {
		await at.call(responses, { text: 'ok' }, { tools })
		expect(at.sent()).toEqual({
			model: expect.any(String),
			instructions: 'Be brief.',
			tools: [
				{ type: 'function', name: 'add', description: 'Adds', parameters: tools[0]?.input, strict: false },
			],
			input: [{ type: 'message', role: 'user', content: 'hi' }],
			store: false,
			stream: true,
		})
	})

	// Proves: provider.interfaces
	test('of chat is what every compatible server knows', async () => {
		await at.call(chat, { text: 'ok' }, { tools })
		expect(at.sent()).toEqual({
			model: expect.any(String),
			tools: [
				{ type: 'function', function: { name: 'add', description: 'Adds', parameters: tools[0]?.input } },
			],
			messages: [
				{ role: 'system', content: 'Be brief.' },
				{ role: 'user', content: 'hi' },
			],
			stream: true,
			stream_options: { include_usage: true },
		})
	})

	test('of messages marks the stable beginning and the end for the cache', async () => {
		const cache_control = { type: 'ephemeral' }
		await at.call(anthropic, { text: 'ok' }, { tools })
		expect(at.sent()).toEqual({
			model: expect.any(String),
			max_tokens: 32_000,
			system: [{ type: 'text', text: 'Be brief.', cache_control }],
			tools: [{ name: 'add', description: 'Adds', input_schema: tools[0]?.input }],
			messages: [{ role: 'user', content: [{ type: 'text', text: 'hi', cache_control }] }],
			stream: true,
		})
		await at.call(anthropic, { text: 'ok' }, { tools, system: '', parameters: { max_tokens: 5 } })
		expect(at.sent()).toMatchObject({ max_tokens: 5, tools: [{ name: 'add', cache_control }] })
		expect(at.sent()).not.toHaveProperty('system')
	})

	test('of messages says the version that takes sampling parameters where there are some', async () => {
		await at.call(anthropic, { text: 'ok' })
		expect(at.server.requests.at(-1)?.headers['anthropic-version']).toBe('2026-10-21')
		await at.call(anthropic, { text: 'ok' }, { parameters: { temperature: 0 } })
		expect(at.server.requests.at(-1)?.headers['anthropic-version']).toBe('2023-06-01')
	})

	// Proves: provider.tool-calls
	test('puts the results of one turn into one message of Anthropic', async () => {
		const messages: Message[] = [
			{ role: 'user', content: 'hi' },
			{
				role: 'assistant',
				content: '',
				tool_calls: [
					{ id: 'a', name: 'add', input: {} },
					{ id: 'b', name: 'add', input: {} },
				],
			},
			{ role: 'tool', tool_call_id: 'a', name: 'add', content: '1' },
			{ role: 'tool', tool_call_id: 'b', name: 'add', content: 'no', is_error: true },
			{ role: 'user', content: 'go on' },
		]
		await at.call(anthropic, { text: 'ok' }, { tools, messages })
		const sent = at.sent().messages as { role: string; content: object[] }[]
		expect(sent.map(({ role }) => role)).toEqual(['user', 'assistant', 'user'])
		expect(sent[2]?.content).toEqual([
			{ type: 'tool_result', tool_use_id: 'a', content: '1' },
			{ type: 'tool_result', tool_use_id: 'b', content: 'no', is_error: true },
			{ type: 'text', text: 'go on', cache_control: { type: 'ephemeral' } },
		])
	})
})

describe('structured output', () => {
	const closed = {
		type: 'object',
		properties: { answer: { type: 'string' } },
		required: ['answer'],
		additionalProperties: false,
	}
	const open = { type: 'object', properties: { n: { type: 'integer', minimum: 1 } }, required: [] }

	// Proves: provider.structured-output
	test.each([
		['closed', closed, true],
		['open', open, false],
		['of anything', {}, false],
		['no object', { type: 'string' }, false],
		['a choice', { anyOf: [closed, closed] }, false],
		['an object or null', { type: ['object', 'null'] }, false],
		['properties without a type', { properties: { answer: { type: 'string' } } }, false],
		[
			'with an open object or null inside',
			{ ...closed, properties: { answer: { type: ['object', 'null'], properties: {} } } },
			false,
		],
		['with anything inside', { ...closed, properties: { answer: {} } }, false],
		[
			'with a reference',
			{ ...closed, properties: { answer: { $ref: '#/$defs/a' } }, $defs: { a: closed } },
			true,
		],
	])(
		'asks OpenAI for a guarantee where the schema is within its subset: %s',
		async (_name, output, strict) => {
			const text = '{"answer":"42"}'
			await at.call(responses, { text }, { output, parameters: { text: { verbosity: 'low' } } })
			const format = { type: 'json_schema', name: 'output', schema: output, strict }
			expect(at.sent().text).toEqual({ verbosity: 'low', format })
			await at.call(chat, { text }, { output })
			const json_schema = { name: 'output', schema: output, strict }
			expect(at.sent().response_format).toEqual({ type: 'json_schema', json_schema })
		},
	)

	// Proves: provider.structured-output
	test('closes objects and leaves out constraints for Anthropic', async () => {
		await at.call(
			anthropic,
			{ text: '{}' },
			{ output: open, parameters: { output_config: { effort: 'low' } } },
		)
		const schema = {
			type: 'object',
			properties: { n: { type: 'integer' } },
			required: [],
			additionalProperties: false,
		}
		expect(at.sent().output_config).toEqual({ effort: 'low', format: { type: 'json_schema', schema } })
	})

	// Proves: provider.structured-output
	test('keeps what references lead to for Anthropic, and closes what may be null', async () => {
		const open = { type: ['object', 'null'], properties: { n: { type: 'integer' } } }
		const output = {
			...closed,
			properties: { answer: { $ref: '#/definitions/a' } },
			definitions: { a: open },
		}
		await at.call(anthropic, { text: '{}' }, { output })
		const schema = { ...output, definitions: { a: { ...open, additionalProperties: false } } }
		expect(at.sent().output_config).toEqual({ format: { type: 'json_schema', schema } })
	})

	// Proves: provider.structured-output
	test.each([
		['an anchor', { $ref: '#a' }],
		['a prefix of a list', { $ref: '#/properties/list/prefixItems/0' }],
	])(
		'says a schema in words whose references lead to %s, which Anthropic does not take',
		async (_, answer) => {
			const list = { type: 'array', prefixItems: [{ $anchor: 'a', type: 'string' }] }
			const output = { ...closed, properties: { answer, list } }
			await at.call(anthropic, { text: '{}' }, { output })
			expect(at.sent()).not.toHaveProperty('output_config')
		},
	)

	// Proves: provider.structured-output
	test('says a schema in words that Anthropic could only take as an empty object', async () => {
		const output = { type: 'object', additionalProperties: { type: 'number' } }
		await at.call(anthropic, { text: '{}' }, { output })
		expect(at.sent()).not.toHaveProperty('output_config')
		expect(JSON.stringify(at.sent().system)).toContain(JSON.stringify(JSON.stringify(output)).slice(1, -1))
	})
})

test('a conversation goes on at another interface of the same provider', async () => {
	const first: ModelResult = await at.call(responses, { thinking: 'Hm.', text: 'A.' })
	const messages: Message[] = [
		{ role: 'user', content: 'hi' },
		first.message,
		{ role: 'user', content: 'more' },
	]
	await at.call(chat, { text: 'ok' }, { messages })
	expect((at.sent().messages as object[])[2]).toEqual({ role: 'assistant', content: 'A.' })
})
