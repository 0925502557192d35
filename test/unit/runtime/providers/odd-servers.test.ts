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
	const base_url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
	return callModel({ ...at.request(which, 'm'), base_url }, at.context())
}

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

const said = [{ type: 'message', content: [{ type: 'output_text', text: 'ok' }] }]
const whole = block({ type: 'text', text: 'ok' }) + stopped('end_turn')
const completed = event({ type: 'response.completed', response: { output: said } })
test.each<[string, Interface, string, string?]>([
	['a list of parts', chat, delta({ content: [{ type: 'thinking' }, { type: 'text', text: 'ok' }] }, 'stop')],
	['events without data', chat, `data:\n\n${delta({ content: 'ok' })}data: \n\n${delta({}, 'stop')}`],
	['a byte order mark', chat, `\ufeff${delta({ content: 'ok' }, 'stop')}`],
	['its type in capitals', chat, delta({ content: 'ok' }, 'stop'), 'Text/Event-Stream'],
	["another interface's last line", messages, `${whole}data: [DONE]\n\n`],
	['the last line of chat', responses, `${completed}data: [DONE]\n\n`],
	['the usual name on every event', responses, `event: message\n${completed}`],
])('a text is read from a server that sends %s', async (_, which, body, type) => {
	expect((await ask(which, body, type)).message.content).toBe('ok')
})
