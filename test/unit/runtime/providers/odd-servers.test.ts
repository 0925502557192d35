/** Servers that are compatible in their own way (`base_url`), and answers that were stopped half-way. */
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { callModel, type ModelResult } from '../../../../runtime/process/providers/index.ts'
import { type Fixture, type Interface, interfaces, startFixture } from './fixture.ts'

const [responses, chat, messages] = interfaces as [Interface, Interface, Interface]

let server: Server
let at: Fixture
let reply = { type: 'text/event-stream', body: '' }

beforeAll(async () => {
	server = createServer((request, response) => {
		request.resume().on('end', () => {
			// One byte and then the rest: the first does not tell what it is.
			response.writeHead(200, reply.type ? { 'content-type': reply.type } : {})
			response.write(reply.body.slice(0, 1), () => response.end(reply.body.slice(1)))
		})
	})
	await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
	at = await startFixture([`127.0.0.1:${(server.address() as AddressInfo).port}`])
})
afterAll(async () => {
	await at.close()
	server.close()
})

function ask(which: Interface, body: string, type = 'text/event-stream'): Promise<ModelResult> {
	reply = { type, body }
	return callModel({ ...at.request(which, 'm'), base_url: url() }, at.context())
}

const url = () => `http://127.0.0.1:${(server.address() as AddressInfo).port}`

const event = (value: object) => `data: ${JSON.stringify(value)}\n\n`
const delta = (value: object, finish: string | null = null) =>
	event({ choices: [{ index: 0, delta: value, finish_reason: finish }] })
const called = (part: object) => delta({ tool_calls: [part] })
const begun = (more: object, text: string) => called({ ...more, function: { name: 'go', arguments: text } })
const block = (content_block: object) => event({ type: 'content_block_start', index: 0, content_block })
const stopped = (stop_reason: string) =>
	event({ type: 'message_delta', delta: { stop_reason } }) + event({ type: 'message_stop' })
const item = { type: 'function_call', call_id: 'a', name: 'go', arguments: '' }
const incomplete = (reason: string) =>
	event({ type: 'response.incomplete', response: { output: [item], incomplete_details: { reason } } })
const toolUse = block({ type: 'tool_use', id: 'a', name: 'go', input: {} })

const stops: [Interface, cut: string, refused: string][] = [
	[
		chat,
		begun({ index: 0, id: 'a' }, '') + delta({}, 'length'),
		begun({ index: 0, id: 'a' }, '{}') + delta({}, 'content_filter'),
	],
	[messages, toolUse + stopped('max_tokens'), toolUse + stopped('refusal')],
	[responses, incomplete('max_output_tokens'), incomplete('content_filter')],
]

const half = { type: 'message', content: [{ type: 'output_text', text: 'half' }] }
const ended = (response: object) =>
	event({ type: 'response.completed', response: { output: [half], ...response } })

// Proves: provider.stop-reason
test('an answer that is completed as incomplete was cut off', async () => {
	const details = { status: 'incomplete', incomplete_details: { reason: 'max_output_tokens' } }
	expect(await ask(responses, ended(details))).toMatchObject({ stop: 'length', message: { content: 'half' } })
	expect(await ask(responses, ended({ status: 'completed' }))).toMatchObject({ stop: 'end' })
	await expect(
		ask(responses, ended({ status: 'failed', error: { message: 'broke' } })),
	).rejects.toMatchObject({
		code: 'provider_unavailable',
	})
})

// Proves: provider.stop-cause
test('a content filter and a full context are told apart from a refusal and the limit of an output', async () => {
	const filter = delta({ content: 'half' }, 'content_filter')
	expect(await ask(chat, filter)).toMatchObject({ stop: 'refusal', why: 'content_filter' })
	const refusal = await ask(chat, delta({ refusal: 'no' }, 'content_filter'))
	expect(refusal).toMatchObject({ stop: 'refusal', message: { content: 'no' } })
	expect(refusal).not.toHaveProperty('why')
	const incompleted = { status: 'incomplete', incomplete_details: { reason: 'content_filter' } }
	expect(await ask(responses, ended(incompleted))).toMatchObject({ stop: 'refusal', why: 'content_filter' })
	const full = block({ type: 'text', text: 'half' }) + stopped('model_context_window_exceeded')
	expect(await ask(messages, full)).toMatchObject({ stop: 'length', why: 'context_window' })
})

// Proves: provider.one-choice
test('a second choice that nobody asked for is no part of the answer', async () => {
	const other = (index: number, content: string, finish_reason: string | null = null) => ({
		index,
		delta: { content },
		finish_reason,
	})
	const stream = [
		event({ choices: [other(1, 'B'), other(0, 'A')] }),
		event({ choices: [other(1, 'b', 'length')] }),
		event({ choices: [other(0, 'a', 'stop')] }),
		event({ choices: null }),
	]
	expect(await ask(chat, stream.join(''))).toMatchObject({ stop: 'end', message: { content: 'Aa' } })
})

const cites = { type: 'url_citation', url: 'https://a.example/', title: 'A', start_index: 0, end_index: 2 }
const saying = (text: string, phase?: string) => ({
	...{ type: 'message', role: 'assistant', ...(phase && { phase }) },
	content: [{ type: 'output_text', text, annotations: [cites] }],
})

// Proves: provider.final-answer
test('what the model says on its way is no part of its final answer, and goes back to the provider', async () => {
	const output = [saying('Let me look.', 'commentary'), saying('42 %', 'final_answer')]
	const result = await ask(responses, ended({ output }))
	expect(result).toMatchObject({
		message: { content: '42 %' },
		citations: [{ start_index: 0, end_index: 2 }],
	})
	expect(result.citations).toHaveLength(1)
	expect(result.message.provider).toMatchObject({
		items: [
			{ content: 'Let me look.', phase: 'commentary' },
			{ content: '42 %', phase: 'final_answer' },
		],
	})
})

// Proves: provider.final-answer
test('messages of an answer without a final one have a blank line between them', async () => {
	const output = [saying('One.', 'commentary'), saying(''), saying('Two.', 'commentary')]
	const { message, citations } = await ask(responses, ended({ output }))
	expect(message.content).toBe('One.\n\nTwo.')
	expect(citations?.map(({ start_index }) => start_index)).toEqual([0, 6])
})

const added = (output_index: number, phase?: string) =>
	event({
		type: 'response.output_item.added',
		output_index,
		item: { type: 'message', ...(phase && { phase }) },
	})
const bit = (output_index: number, text: string) =>
	event({ type: 'response.output_text.delta', output_index, delta: text })

// Proves: provider.deltas-are-answer
test.each<[string, ...[string, string?][]]>([
	['a final answer', ['Let me look.', 'commentary'], ['42 %', 'final_answer']],
	['commentary alone', ['One.', 'commentary'], ['Two.', 'commentary']],
	['messages without a mark', ['One'], ['Two']],
])('text that is passed on as it comes is the text of the answer: %s', async (_, ...said) => {
	const output = said.map(([text, phase]) => saying(text, phase))
	const stream = said.map(
		([text, phase], i) => added(i, phase) + bit(i, text.slice(0, 2)) + bit(i, text.slice(2)),
	)
	let passed = ''
	const context = at.context({ onDelta: (text) => (passed += text) })
	reply = { type: 'text/event-stream', body: stream.join('') + ended({ output }) }
	const { message } = await callModel({ ...at.request(responses, 'm'), base_url: url() }, context)
	expect(passed).toBe(message.content)
})

// Proves: provider.deltas-are-answer
test('text that is passed on is the text of the answer where a server leaves indices out', async () => {
	const said = ['One', 'Two']
	const one = (text: string) =>
		event({ type: 'response.output_item.added', item: { type: 'message' } }) +
		event({ type: 'response.output_text.delta', delta: text.slice(0, 2) }) +
		event({ type: 'response.output_text.delta', delta: text.slice(2) })
	let passed = ''
	const context = at.context({ onDelta: (text) => (passed += text) })
	const output = said.map((text) => saying(text))
	reply = { type: 'text/event-stream', body: said.map(one).join('') + ended({ output }) }
	const { message } = await callModel({ ...at.request(responses, 'm'), base_url: url() }, context)
	expect(passed).toBe(message.content)
})

// Proves: provider.event-stream-read
test.each(['text/plain', ''])('a stream labelled %j is read', async (type) => {
	expect(await ask(chat, delta({ content: 'yes' }, 'stop'), type)).toMatchObject({
		message: { content: 'yes' },
	})
	await expect(ask(chat, '{"choices": []}', type)).rejects.toMatchObject({ passing: false })
})

describe.each(stops)('$name', (which, cut, refused) => {
	// Proves: provider.bad-arguments
	test('a call whose arguments were cut off is not one without arguments', async () => {
		const { message, stop } = await ask(which, cut)
		expect(stop).toBe('length')
		expect(message.tool_calls).toMatchObject([
			{ name: 'go', input_error: expect.stringContaining('cut off') },
		])
	})

	// Proves: provider.bad-arguments
	test('what a refused answer was about to call is not called', async () => {
		const { message, stop } = await ask(which, refused)
		expect(stop).toBe('refusal')
		expect(message).toEqual({ role: 'assistant', content: '' })
	})
})

// Proves: provider.half-answer
test.each(['abort', 'error', 'insufficient_system_resource'])(
	'an answer that ends with %s is none',
	async (reason) => {
		const half = ask(chat, delta({ content: 'hal' }) + delta({}, reason))
		await expect(half).rejects.toMatchObject({ code: 'provider_unavailable' })
	},
)

// Proves: provider.half-answer
test.each<[Interface, string]>([
	[chat, delta({ content: '' }) + delta({}, 'tool_calls')],
	[chat, delta({ content: '' }) + delta({}, 'function_call')],
	[messages, stopped('tool_use')],
])('an answer that announces calls and has none is tried again: $name', async (which, body) => {
	await expect(ask(which, body)).rejects.toMatchObject({ code: 'provider_unavailable', passing: true })
})

test('what is said where calls are announced and none come is the answer', async () => {
	const { message, stop } = await ask(chat, delta({ content: 'yes' }) + delta({}, 'tool_calls'))
	expect({ message, stop }).toEqual({ message: { role: 'assistant', content: 'yes' }, stop: 'end' })
})

const oldCall = (text: string, name?: string) =>
	delta({ function_call: { ...(name && { name }), arguments: text } })

// Proves: provider.tool-calls
test('a call in the form before tools is read, and once where it comes in both forms', async () => {
	const old = oldCall('{"n"', 'go') + oldCall(':1}') + delta({}, 'function_call')
	const { message, stop } = await ask(chat, old)
	expect(stop).toBe('tool_calls')
	expect(message.tool_calls).toEqual([{ id: 'call_0', name: 'go', input: { n: 1 } }])
	const both = begun({ index: 0, id: 'a' }, '{"n":1}') + oldCall('{"n":1}', 'go')
	expect((await ask(chat, both + delta({}, 'tool_calls'))).message.tool_calls).toEqual(two.slice(0, 1))
})

const two = [
	{ id: 'a', name: 'go', input: { n: 1 } },
	{ id: 'b', name: 'go', input: { n: 2 } },
]
test.each<[string, string]>([
	[
		'with one index for all',
		begun({ index: 0, id: 'a' }, '{"n":1}') + begun({ index: 0, id: 'b' }, '{"n":2}'),
	],
	['without indexes', begun({ id: 'a' }, '{"n":1}') + begun({ id: 'b' }, '{"n":2}')],
	[
		'without indexes, in parts that repeat the id',
		begun({ id: 'a' }, '{"n"') +
			called({ id: 'a', function: { arguments: ':1}' } }) +
			begun({ id: 'b' }, '{"n":2}'),
	],
	[
		'in turns, with another id in every part',
		begun({ index: 0, id: 'a' }, '{"n"') +
			begun({ index: 1, id: 'b' }, '{"n"') +
			called({ index: 0, id: 'x', function: { name: null, arguments: ':1}' } }) +
			called({ index: 1, id: 'y', function: { name: '', arguments: ':2}' } }),
	],
])('several calls are read from a server that sends them %s', async (_, parts) => {
	const { message } = await ask(chat, parts + delta({}, 'tool_calls'))
	expect(message.tool_calls).toEqual(two)
})

test.each<[string, string | undefined, string[]]>([
	['no id', undefined, ['call_0', 'call_1']],
	['an empty id', '', ['call_0', 'call_1']],
	['one id for all', 'a', ['a', 'a']],
])('several calls are read from a server that gives one index for all and %s', async (_, id, ids) => {
	const part = { index: 0, ...(id !== undefined && { id }) }
	const parts = begun(part, '{"n":{}') + called({ ...part, function: { arguments: '}' } })
	const { message } = await ask(chat, parts + begun(part, '{"n":2}') + delta({}, 'tool_calls'))
	expect(message.tool_calls).toEqual(
		[{ n: {} }, { n: 2 }].map((input, i) => ({ id: ids[i], name: 'go', input })),
	)
	const repeated =
		begun(part, '{"n":') + begun(part, '{"m":1}') + called({ ...part, function: { arguments: '}' } })
	const one = await ask(chat, repeated + delta({}, 'tool_calls'))
	expect(one.message.tool_calls).toMatchObject([{ input: { n: { m: 1 } } }])
})

const input = (partial_json: string | null, index = 0) =>
	event({ type: 'content_block_delta', index, delta: { type: 'input_json_delta', partial_json } })
const answered = (...output: object[]) => event({ type: 'response.completed', response: { output } })

test.each<[string, Interface, string, object[]]>([
	[
		'one index for all blocks',
		messages,
		block({ type: 'tool_use', id: 'a', name: 'go' }) +
			input('{"n":1}') +
			block({ type: 'tool_use', id: 'b', name: 'go' }) +
			input('{"n":2}') +
			stopped('tool_use'),
		two,
	],
	[
		'parts of arguments that are null',
		messages,
		block({ type: 'tool_use', id: 'a', name: 'go' }) + input(null) + input('{"n":1}') + stopped('tool_use'),
		two.slice(0, 1),
	],
	[
		'calls without ids and names',
		messages,
		block({ type: 'tool_use' }) + stopped('tool_use'),
		[{ id: 'call_0', name: '', input: {} }],
	],
	[
		'calls without ids and names',
		responses,
		answered({ type: 'function_call' }, { type: 'function_call', name: 'go', arguments: null }),
		[
			{ id: 'call_0', name: '', input: {} },
			{ id: 'call_1', name: 'go', input: {} },
		],
	],
	[
		'arguments that are no text, and no content beside them',
		responses,
		answered({ type: 'message', content: null }, { ...item, arguments: { n: 1 } }),
		two.slice(0, 1),
	],
	[
		'no content beside calls',
		chat,
		delta({ content: null }) + begun({ id: 'a' }, '{"n":1}') + delta({}, 'tool_calls'),
		two.slice(0, 1),
	],
])('calls are read from a server that sends %s: $name', async (_, which, body, calls) => {
	const { message } = await ask(which, body)
	expect(message).toEqual({ role: 'assistant', content: '', tool_calls: calls })
})

// Proves: provider.bad-arguments
test('arguments without a block to belong to are not left out', async () => {
	const lost = toolUse + input('{"n":1}', 1) + stopped('tool_use')
	await expect(ask(messages, lost)).rejects.toMatchObject({ code: 'provider_unavailable' })
})

// Proves: provider.bad-arguments
test('arguments that nest deeper than anything reads are no object', async () => {
	const deep = `{"a":${'['.repeat(20_000)}${']'.repeat(20_000)}}`
	const bodies: [Interface, string][] = [
		[chat, begun({ id: 'a' }, deep) + delta({}, 'tool_calls')],
		[responses, answered({ ...item, arguments: deep })],
		[messages, toolUse + input(deep) + stopped('tool_use')],
	]
	for (const [which, body] of bodies) {
		const { message } = await ask(which, body)
		expect(message.tool_calls).toMatchObject([
			{ id: 'a', input_error: expect.stringContaining('nested over') },
		])
	}
})

// Proves: provider.half-answer
test('an answer that was cancelled at the provider is none', async () => {
	const cancelled = event({ type: 'response.completed', response: { status: 'cancelled', output: [half] } })
	await expect(ask(responses, cancelled)).rejects.toMatchObject({ passing: true })
})

const said = [{ type: 'message', content: [{ type: 'output_text', text: 'ok' }] }]
const whole = block({ type: 'text', text: 'ok' }) + stopped('end_turn')
const completed = event({ type: 'response.completed', response: { output: said } })
test.each<[string, Interface, string, string?]>([
	['a list of parts', chat, delta({ content: [{ type: 'thinking' }, { type: 'text', text: 'ok' }] }, 'stop')],
	[
		'null in a list of parts',
		chat,
		delta({ content: [null, { type: 'text', text: null }, { type: 'text', text: 'ok' }] }, 'stop'),
	],
	['null in place of calls', chat, delta({ content: 'ok', tool_calls: [null] }, 'stop')],
	['a text as it is', responses, answered({ type: 'message', content: 'ok' })],
	[
		'deltas without text',
		messages,
		block({ type: 'text', text: null }) +
			event({ type: 'content_block_delta', index: 0, delta: { type: 'text_delta' } }) +
			event({ type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'ok' } }) +
			stopped('end_turn'),
	],
	['events without data', chat, `data:\n\n${delta({ content: 'ok' })}data: \n\n${delta({}, 'stop')}`],
	['a byte order mark', chat, `\ufeff${delta({ content: 'ok' }, 'stop')}`],
	['its type in capitals', chat, delta({ content: 'ok' }, 'stop'), 'Text/Event-Stream'],
	["another interface's last line", messages, `${whole}data: [DONE]\n\n`],
	['the last line of chat', responses, `${completed}data: [DONE]\n\n`],
	['the usual name on every event', responses, `event: message\n${completed}`],
])('a text is read from a server that sends %s', async (_, which, body, type) => {
	expect((await ask(which, body, type)).message.content).toBe('ok')
})
