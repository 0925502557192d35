import { expect, test } from 'vitest'
import { settingsOf } from '../../../../runtime/process/engine/model-settings.ts'
import type { Message } from '../../../../runtime/wire/model.ts'

const openai = { provider: 'openai', api: 'chat' } as const
const tools = [{ name: 'add', description: 'Adds', input: {} }]
const user: Message[] = [{ role: 'user', content: 'hi' }]
const ask = { messages: user, options: {}, parameters: undefined }

// Proves: model.options
test('options of a call go over those of the agent, and the nearest word counts', () => {
	const own = { temperature: 0.1, seed: 1, max_tokens: 500, parameters: { top_k: 4 } }
	expect(settingsOf(openai, own, ask, tools)).toEqual({
		options: { temperature: 0.1, seed: 1 },
		parameters: { top_k: 4, max_completion_tokens: 500 },
	})
	const asked = { ...ask, options: { temperature: 1, max_tokens: 50 }, parameters: { seed: 2 } }
	expect(settingsOf(openai, own, asked, tools)).toEqual({
		options: { temperature: 1 },
		parameters: { top_k: 4, seed: 2, max_completion_tokens: 50 },
	})
})

// Proves: model.forced-tool
test('a forced tool of the agent holds until a tool has answered, and where there are tools', () => {
	const own = { tool_choice: 'required', parallel_tool_calls: false } as const
	const choiceOf = (messages: Message[], offered = tools) =>
		settingsOf(openai, own, { ...ask, messages }, offered).options
	expect(choiceOf(user)).toEqual(own)
	expect(choiceOf(user, [])).toEqual({})
	const answered: Message = { role: 'tool', tool_call_id: '1', name: 'add', content: '3' }
	expect(choiceOf([...user, answered])).toEqual({ parallel_tool_calls: false })
})

// Proves: model.options-refused
test.each([
	[{ thinking_tokens: 2000 }, 'thinking_tokens is no option of'],
	[{ tool_choice: { tool: 'other' } }, 'tool_choice is other, and the call does not name that tool'],
] as const)('refuses %j of a call', (options, message) => {
	expect(() => settingsOf(openai, {}, { ...ask, options }, tools)).toThrow(message)
})
