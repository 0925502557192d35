/** What a model or a compatible server got wrong in a call, and a provider would refuse in every later request. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { wires } from '../../../../runtime/process/providers/call.ts'
import type { Message } from '../../../../runtime/wire/model.ts'
import { type Fixture, type Interface, interfaces, startFixture } from './fixture.ts'

let at: Fixture
beforeAll(async () => {
	at = await startFixture()
})
afterAll(() => at.close())

const tools = [{ name: 'add', description: 'Adds', input: { type: 'object' } }]
const user: Message = { role: 'user', content: 'hi' }
type Made = { id: string; name?: string; input?: unknown; input_error?: string }
const made = (...calls: Made[]): Message => ({
	role: 'assistant',
	content: '',
	tool_calls: calls.map((call) => ({ name: 'add', input: {}, ...call })),
})
const result = (tool_call_id: string, content: string): Message => ({
	role: 'tool',
	tool_call_id,
	name: 'add',
	content,
})

/** With the reasoning that an answer of `responses` and `messages` is kept for, item by item. */
function kept(message: Message): Message {
	const { tool_calls: calls = [] } = message as Extract<Message, { role: 'assistant' }>
	const items = calls.map(({ id, name, input }) => ({
		...{ type: 'function_call', call_id: id, name },
		arguments: typeof input === 'string' ? input : JSON.stringify(input),
	}))
	const blocks = calls.map(({ id, name, input }) => ({ type: 'tool_use', id, name, input }))
	const provider = {
		items: [{ type: 'reasoning', id: 'rs', encrypted_content: 'x', summary: [] }, ...items],
		blocks: [{ type: 'thinking', thinking: 'Hm.', signature: 's' }, ...blocks],
	}
	return { ...message, provider } as Message
}

interface Sent {
	calls: { id: string; name: string; input: unknown }[]
	results: { id: string; content: unknown }[]
}

type Loose = Record<string, unknown>

/** Calls and results of a request's body, in whichever interface. */
function read(body: Loose): Sent {
	const sent: Sent = { calls: [], results: [] }
	const call = (id: unknown, name: unknown, input: unknown) =>
		sent.calls.push({ id: String(id), name: String(name), input })
	const turns = (body.messages ?? body.input) as Loose[]
	const blocks = turns.flatMap((turn) => (Array.isArray(turn.content) ? (turn.content as Loose[]) : []))
	for (const item of [...turns, ...blocks]) {
		for (const { id, function: of } of (item.tool_calls ?? []) as { id: string; function: Loose }[])
			call(id, of.name, JSON.parse(String(of.arguments)))
		if (item.type === 'function_call') call(item.call_id, item.name, JSON.parse(String(item.arguments)))
		if (item.type === 'tool_use') call(item.id, item.name, item.input)
		const answered = item.tool_call_id ?? item.call_id ?? item.tool_use_id
		if (item.role === 'tool' || item.type === 'function_call_output' || item.type === 'tool_result')
			sent.results.push({ id: String(answered), content: item.content ?? item.output })
	}
	return sent
}

async function sent(which: Interface, messages: Message[]): Promise<Sent> {
	await at.call(which, { text: 'ok' }, { tools, messages })
	return read(at.sent())
}

const official = ({ provider, api }: Interface, messages: Message[]) => {
	const name = api ?? 'messages'
	const request = { ...at.request({ name, provider, ...(api && { api }) }, 'm'), messages }
	delete request.base_url
	return read(wires[name].body(request))
}

const forms: [string, (message: Message) => Message][] = [
	['an answer', (message) => message],
	['an answer that is kept', kept],
]

describe.each(interfaces)('$name', (which) => {
	describe.each(forms)('%s', (_, form) => {
		// Proves: provider.calls-sent-back
		test.each([
			['add numbers', 'add_numbers'],
			['functions.add', 'functions_add'],
			['add🚢', 'add_'],
			['', 'unnamed'],
			['n'.repeat(300), 'n'.repeat(which.provider === 'anthropic' ? 128 : 64)],
			['add', 'add'],
		])('goes back with the invented name %j as one that is taken', async (name, expected) => {
			const { calls, results } = await sent(which, [user, form(made({ id: 'a', name })), result('a', 'none')])
			expect(calls).toEqual([{ id: 'a', name: expected, input: {} }])
			expect(results).toMatchObject([{ id: 'a' }])
		})

		// Proves: provider.calls-sent-back
		test.each([['{"a":'], ['[1]'], ['"x"'], ['']])(
			'goes back with an object in place of the arguments %j',
			async (input) => {
				const call = made({ id: 'a', input, input_error: 'not an object' })
				const { calls, results } = await sent(which, [user, form(call), result('a', 'not an object')])
				expect(calls).toEqual([{ id: 'a', name: 'add', input: {} }])
				expect(results).toEqual([{ id: 'a', content: 'not an object' }])
			},
		)

		// Proves: provider.calls-sent-back
		test('goes back with ids of their own for calls that had one', async () => {
			const messages = [
				user,
				form(made({ id: 'a' }, { id: 'a' }, { id: 'b' })),
				...[result('a', '1'), result('a', '2'), result('b', '3')],
				form(made({ id: 'b' }, { id: 'a_2' }, { id: '' })),
				...[result('a_2', '5'), result('b', '4'), result('', '6')],
			]
			const { calls, results } = await sent(which, messages)
			const [a, a2, b, again, other, empty] = calls.map(({ id }) => id)
			expect([a, b]).toEqual(['a', 'b'])
			expect(new Set(calls.map(({ id }) => id)).size).toBe(6)
			// Ids that are made have a form that every provider takes.
			for (const id of [a2, again, empty]) expect(id).toMatch(/^[a-zA-Z0-9]{9}$/)
			expect(other).toBe('a_2')
			expect(results.map(({ id, content }) => [id, content])).toEqual([
				...[[a, '1'] as const, [a2, '2'] as const, [b, '3'] as const],
				...[[other, '5'] as const, [again, '4'] as const, [empty, '6'] as const],
			])
			// A longer conversation begins alike, or nothing of it would be found in the provider's cache.
			const before = await sent(which, messages.slice(0, 5))
			expect(before.calls).toEqual(calls.slice(0, 3))
		})

		test('goes back with the id that a compatible server gave, and to its provider with one that is taken', async () => {
			const long = `functions.add:0${'x'.repeat(100)}`
			const messages = [user, form(made({ id: long })), result(long, '1')]
			expect((await sent(which, messages)).calls[0]?.id).toBe(long)
			const { calls, results } = official(which, messages)
			expect(results[0]?.id).toBe(calls[0]?.id)
			if (which.provider === 'anthropic') expect(calls[0]?.id).toMatch(/^[a-zA-Z0-9_-]+$/)
			else expect(calls[0]?.id.length).toBeLessThanOrEqual(64)
		})
	})

	// Proves: provider.calls-sent-back
	test('goes to Mistral with ids of its form alone', () => {
		const messages = [
			user,
			made({ id: 'call_1' }, { id: 'D681PevKs' }, { id: 'call_1' }),
			...[result('call_1', '1'), result('D681PevKs', '2'), result('call_1', '3')],
		]
		const to = (base_url: string) => {
			const { provider, api } = which
			return read(
				wires[api ?? 'messages'].body({
					...at.request({ name: 'm', provider, ...(api && { api }) }, 'm'),
					...{ messages, base_url },
				}),
			)
		}
		const { calls, results } = to('https://api.mistral.ai/v1')
		for (const { id } of calls) expect(id).toMatch(/^[a-zA-Z0-9]{9}$/)
		expect(calls[1]?.id).toBe('D681PevKs')
		expect(new Set(calls.map(({ id }) => id)).size).toBe(3)
		expect(results.map(({ id }) => id)).toEqual(calls.map(({ id }) => id))
		expect(to('https://API.Mistral.AI/v1').calls[0]?.id).toBe(calls[0]?.id)
		expect(to('https://notmistral.ai.example/v1').calls[0]?.id).toBe('call_1')
	})

	test('tells many calls of one id apart in little time', async () => {
		const many = Array.from({ length: 10_000 }, () => made({ id: 'a' }))
		const { calls } = official(which, [user, ...many])
		expect(new Set(calls.map(({ id }) => id)).size).toBe(10_000)
	})
})
