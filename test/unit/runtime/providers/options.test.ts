import { afterAll, beforeAll, expect, test } from 'vitest'
import type { ModelSettings } from '../../../../bundles/index.ts'
import { type Fixture, type Interface, interfaces, startFixture } from './fixture.ts'

// Options of a call in the bodies that each interface is sent.

let at: Fixture
beforeAll(async () => {
	at = await startFixture()
})
afterAll(() => at.close())

const [responses, chat, messages] = interfaces as [Interface, Interface, Interface]
const tools = [{ name: 'add', description: 'Adds', input: { type: 'object' } }]
const common: ModelSettings = { temperature: 0, top_p: 0.5, effort: 'low', parallel_tool_calls: false }
const open = { type: 'object', properties: { a: { type: 'string' } } }

// Proves: model.options
test.each([
	[
		responses,
		common,
		{ temperature: 0, top_p: 0.5, reasoning: { summary: 'auto', effort: 'low' }, parallel_tool_calls: false },
	],
	[responses, { tool_choice: { tool: 'add' } }, { tool_choice: { type: 'function', name: 'add' } }],
	[
		chat,
		{ ...common, seed: 7, stop: ['END'] },
		{
			...{ temperature: 0, top_p: 0.5, reasoning_effort: 'low', parallel_tool_calls: false },
			...{ seed: 7, stop: ['END'] },
		},
	],
	[chat, { tool_choice: { tool: 'add' } }, { tool_choice: { type: 'function', function: { name: 'add' } } }],
	[chat, { tool_choice: 'required' }, { tool_choice: 'required' }],
	[
		messages,
		{ ...common, stop: ['END'] },
		{
			...{ temperature: 0, top_p: 0.5, stop_sequences: ['END'] },
			output_config: { effort: 'low' },
			tool_choice: { type: 'auto', disable_parallel_tool_use: true },
		},
	],
	[messages, { tool_choice: { tool: 'add' } }, { tool_choice: { type: 'tool', name: 'add' } }],
	[
		messages,
		{ tool_choice: 'required', parallel_tool_calls: false },
		{ tool_choice: { type: 'any', disable_parallel_tool_use: true } },
	],
	[messages, { tool_choice: 'none', parallel_tool_calls: false }, { tool_choice: { type: 'none' } }],
	[
		messages,
		{ thinking_tokens: 4000 },
		{ thinking: { type: 'enabled', budget_tokens: 4000 }, max_tokens: 32_000 },
	],
] as const)('$0.name is sent %j', async (which, options, body) => {
	const parameters = which === responses ? { reasoning: { summary: 'auto' } } : {}
	await at.call(which, { text: 'ok' }, { tools, options: options as ModelSettings, parameters })
	expect(at.sent()).toMatchObject(body)
	const version = at.server.requests.at(-1)?.headers['anthropic-version']
	// The newer version takes no sampling.
	if (which === messages) expect(version).toBe('temperature' in options ? '2023-06-01' : '2026-10-21')
})

// Proves: model.options
test('thinking keeps under a bound that limits have lowered', async () => {
	await at.call(
		messages,
		{ text: 'ok' },
		{ options: { thinking_tokens: 9000 }, parameters: { max_tokens: 3000 } },
	)
	expect(at.sent()).toMatchObject({ thinking: { type: 'enabled', budget_tokens: 2999 }, max_tokens: 3000 })
})

// Proves: model.strict
test('a guarantee of the output is asked for, given up or refused as `strict` says', async () => {
	const closed = { ...open, additionalProperties: false, required: ['a'] }
	const sent = async (which: Interface, output: object, options: ModelSettings) => {
		await at.call(which, { text: '{}' }, { output, options })
		return JSON.stringify(at.sent())
	}
	for (const which of [responses, chat]) {
		expect(await sent(which, closed, {})).toContain('"strict":true')
		expect(await sent(which, closed, { strict: false })).toContain('"strict":false')
		await expect(sent(which, open, { strict: true })).rejects.toMatchObject({
			code: 'agent_error',
			message: expect.stringContaining('no schema that OpenAI guarantees'),
		})
	}
	expect(await sent(messages, open, { strict: true })).toContain('json_schema')
	expect(await sent(messages, open, { strict: false })).toMatch(
		/must be nothing but a JSON value(?!.*json_schema)/,
	)
	await expect(sent(messages, { type: 'object' }, { strict: true })).rejects.toMatchObject({
		code: 'agent_error',
	})
})

// Proves: model.refusal-names-option
test.each([
	[
		responses,
		{
			message: "Unsupported parameter: 'temperature' is not supported with this model.",
			param: 'temperature',
		},
		'temperature',
	],
	[responses, { message: 'Unsupported value.', param: 'reasoning.effort' }, 'effort'],
	[chat, { message: 'Invalid type', param: 'stop' }, 'stop'],
	[
		messages,
		{ type: 'invalid_request_error', message: 'thinking.budget_tokens: too large' },
		'thinking_tokens',
	],
] as const)('$0.name: the refusal of an option names it', async (which, error, option) => {
	const options: ModelSettings = { temperature: 1, effort: 'max', stop: ['x'], thinking_tokens: 2000 }
	const call = at.call(which, { fault: { status: 400, body: { error } } }, { options })
	await expect(call).rejects.toMatchObject({
		code: 'agent_error',
		message: `the provider answered 400: ${error.message} (the option \`${option}\` of the model)`,
	})
})
