import Anthropic from '@anthropic-ai/sdk'
import OpenAI from 'openai'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type ModelServer, startModelServer, type Turn } from '../../../kit/model-server.ts'

/** The scripted server is only worth what the real SDKs make of it: each of them reads every kind of turn here. */
const turns: Record<string, Turn> = {
	text: {
		text: 'The answer is forty-two, and it took a while.',
		usage: { input: 30, cached: 10, output: 12 },
	},
	tools: {
		text: 'Looking.',
		calls: [
			{ name: 'find', input: { q: 'über' } },
			{ name: 'add', input: { a: 1, b: [2] } },
		],
	},
	thinking: { thinking: 'Let me see, step by step.', text: 'Done.' },
	length: { text: 'Cut sho', length: true },
	refusal: { refusal: 'I will not.' },
	search: {
		text: 'It opened in 1889, and is open.',
		searches: [
			{ query: 'tower opening', found: [{ url: 'https://a.example/t', title: 'Tower' }] },
			{ query: 'tower hours', error: 'unavailable' },
		],
		cites: [{ quote: '1889', url: 'https://a.example/t', title: 'Tower', cited_text: 'opened in 1889' }],
	},
}

let server: ModelServer
let openai: OpenAI
let anthropic: Anthropic
beforeAll(async () => {
	server = await startModelServer(turns, { key: 'sk-test' })
	openai = new OpenAI({ apiKey: 'sk-test', baseURL: server.openaiUrl, maxRetries: 0 })
	anthropic = new Anthropic({ apiKey: 'sk-test', baseURL: server.url, maxRetries: 0 })
})
afterAll(() => server.close())

const names = Object.keys(turns)

describe('OpenAI responses, read by its SDK', () => {
	test.each(names)('%s', async (model) => {
		const turn = turns[model] as Turn
		const whole = await openai.responses.create({ model, input: 'hi' })
		const streamed = await openai.responses.stream({ model, input: 'hi' }).finalResponse()
		for (const response of [whole, streamed]) {
			expect(response.status).toBe(turn.length ? 'incomplete' : 'completed')
			expect(response.output_text).toBe(turn.text ?? '')
			expect(response.model).toBe(model)
			const calls = response.output.flatMap((item) => (item.type === 'function_call' ? [item] : []))
			expect(calls.map((call) => [call.name, JSON.parse(call.arguments)])).toEqual(
				(turn.calls ?? []).map((call) => [call.name, call.input]),
			)
			expect(response.usage?.output_tokens).toBe(turn.usage?.output ?? 10)
			const [said] = response.output.flatMap((item) => (item.type === 'message' ? item.content : []))
			const cited = said?.type === 'output_text' ? said.annotations : []
			const [cite] = turn.cites ?? []
			expect(cited).toEqual(
				cite ? [{ type: 'url_citation', url: cite.url, title: 'Tower', start_index: 13, end_index: 17 }] : [],
			)
			const searched = response.output.flatMap((item) => (item.type === 'web_search_call' ? [item] : []))
			expect(searched.map(({ status }) => status)).toEqual(cite ? ['completed', 'failed'] : [])
			expect(response.usage?.input_tokens_details.cached_tokens).toBe(turn.usage?.cached ?? 0)
		}
		expect(JSON.stringify(streamed.output)).toContain(turn.thinking ?? turn.refusal ?? turn.text)
	})
})

describe('OpenAI chat, read by its SDK', () => {
	test.each(names)('%s', async (model) => {
		const turn = turns[model] as Turn
		const messages = [{ role: 'user' as const, content: 'hi' }]
		const whole = await openai.chat.completions.create({ model, messages })
		const stream_options = { include_usage: true }
		const streamed = await openai.chat.completions
			.stream({ model, messages, stream_options })
			.finalChatCompletion()
		for (const { choices, usage } of [whole, streamed]) {
			const [choice] = choices
			expect(choice?.finish_reason).toBe(turn.length ? 'length' : turn.calls ? 'tool_calls' : 'stop')
			expect(choice?.message.content ?? '').toBe(turn.text ?? '')
			expect(choice?.message.refusal ?? undefined).toBe(turn.refusal)
			const calls = (choice?.message.tool_calls ?? []).filter((call) => call.type === 'function')
			expect(calls.map((call) => [call.function.name, JSON.parse(call.function.arguments)])).toEqual(
				(turn.calls ?? []).map((call) => [call.name, call.input]),
			)
			expect(usage?.completion_tokens).toBe(turn.usage?.output ?? 10)
			const said = choice?.message as { annotations?: { url_citation: object }[] } | undefined
			const [cited] = said?.annotations ?? []
			if (turn.cites) expect(cited?.url_citation).toMatchObject({ start_index: 13, end_index: 17 })
		}
	})
})

describe('Anthropic messages, read by its SDK', () => {
	test.each(names)('%s', async (model) => {
		const turn = turns[model] as Turn
		const params = { model, max_tokens: 100, messages: [{ role: 'user' as const, content: 'hi' }] }
		const whole = await anthropic.messages.create(params)
		const streamed = await anthropic.messages.stream(params).finalMessage()
		const stop = turn.refusal ? 'refusal' : turn.length ? 'max_tokens' : turn.calls ? 'tool_use' : 'end_turn'
		for (const message of [whole, streamed]) {
			expect(message.stop_reason).toBe(stop)
			const texts = message.content.filter((block) => block.type === 'text').map((block) => block.text)
			expect(texts.join('')).toBe(turn.text ?? turn.refusal ?? '')
			const calls = message.content.filter((block) => block.type === 'tool_use')
			expect(calls.map((call) => [call.name, call.input])).toEqual(
				(turn.calls ?? []).map((c) => [c.name, c.input]),
			)
			const [thinking] = message.content.filter((block) => block.type === 'thinking')
			expect(thinking?.signature).toBe(turn.thinking && `signed:${turn.thinking}`)
			expect(message.usage.output_tokens).toBe(turn.usage?.output ?? 10)
			expect(message.usage.server_tool_use?.web_search_requests).toBe(turn.searches && 1)
			const cited = message.content.flatMap((block) => (block.type === 'text' ? (block.citations ?? []) : []))
			expect(cited.map(({ cited_text }) => cited_text)).toEqual(turn.cites ? ['opened in 1889'] : [])
			const found = message.content.flatMap((block) =>
				block.type === 'web_search_tool_result' ? [block.content] : [],
			)
			if (turn.searches)
				expect(found).toMatchObject([
					[{ url: 'https://a.example/t', encrypted_content: 'sealed:https://a.example/t' }],
					{ type: 'web_search_tool_result_error', error_code: 'unavailable' },
				])
			expect(message.usage.cache_read_input_tokens).toBe(turn.usage?.cached ?? 0)
		}
	})
})

describe('a fault', () => {
	test.each([
		[401, 'AuthenticationError'],
		[403, 'PermissionDeniedError'],
		[429, 'RateLimitError'],
		[500, 'InternalServerError'],
	])('of status %i is a %s to both SDKs', async (status, name) => {
		server.scripts.fault = { fault: { status } }
		const calls = [
			openai.responses.create({ model: 'fault', input: 'hi' }),
			openai.chat.completions.create({ model: 'fault', messages: [] }),
			anthropic.messages.create({
				model: 'fault',
				max_tokens: 1,
				messages: [{ role: 'user', content: 'hi' }],
			}),
		]
		for (const call of await Promise.allSettled(calls)) {
			expect(call.status).toBe('rejected')
			expect((call as PromiseRejectedResult).reason.constructor.name).toBe(name)
		}
	})

	test('in the middle of a stream is an error to both SDKs', async () => {
		server.scripts.fault = { text: 'half of this is never said', fault: 'error' }
		const calls = [
			openai.responses.stream({ model: 'fault', input: 'hi' }).finalResponse(),
			openai.chat.completions.stream({ model: 'fault', messages: [] }).finalChatCompletion(),
			anthropic.messages
				.stream({ model: 'fault', max_tokens: 1, messages: [{ role: 'user', content: 'hi' }] })
				.finalMessage(),
		]
		const results = await Promise.allSettled(calls)
		expect(results.map((result) => result.status)).toEqual(['rejected', 'rejected', 'rejected'])
	})
})

test('a conversation gets the turn of its number, from recorded requests too', async () => {
	server.scripts.two = [{ calls: [{ name: 'add', input: {} }] }, { text: 'three' }]
	const input: OpenAI.Responses.ResponseInput = [{ role: 'user', content: 'add' }]
	const first = await openai.responses.create({ model: 'two', input })
	input.push(...(first.output as OpenAI.Responses.ResponseInput))
	input.push({ type: 'function_call_output', call_id: 'call_0_0', output: '3' })
	const second = await openai.responses.create({ model: 'two', input })
	expect(second.output_text).toBe('three')
	expect(server.requests.at(-1)?.body.model).toBe('two')
	const listed = await openai.models.list()
	expect(listed.data.map((model) => model.id)).toContain('two')
	await expect(new OpenAI({ apiKey: 'other', baseURL: server.openaiUrl }).models.list()).rejects.toThrow(
		'401',
	)
})
