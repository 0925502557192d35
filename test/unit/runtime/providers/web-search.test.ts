import Anthropic from '@anthropic-ai/sdk'
import OpenAI from 'openai'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { ModelSettings } from '../../../../bundles/index.ts'
import type { Message } from '../../../../runtime/wire/model.ts'
import type { Turn } from '../../../kit/model-server.ts'
import { type Fixture, type Interface, interfaces, KEY, startFixture } from './fixture.ts'

// The providers' own web search: what each interface is sent, what is read of its answer, and what goes back.

let at: Fixture
beforeAll(async () => {
	at = await startFixture()
})
afterAll(() => at.close())

const [responses, chat, messages] = interfaces as [Interface, Interface, Interface]
const where = { city: 'Köln', country: 'DE', timezone: 'Europe/Berlin' }
const on: ModelSettings = { web_search: true }
const page = { url: 'https://a.example/tower', title: 'Tower' }
const found: Turn = {
	preamble: 'Let me look.',
	text: 'It opened in 1889, and is open.',
	searches: [
		{ query: 'tower opening', found: [page, { url: 'https://b.example/', title: 'B' }] },
		{ query: 'tower hours', error: 'max_uses_exceeded' },
	],
	cites: [{ quote: '1889', ...page, cited_text: 'was opened in 1889' }],
}
const ask: Message = { role: 'user', content: 'When did it open?' }

// Proves: search.sent
test.each<[Interface, ModelSettings['web_search'], object]>([
	[
		messages,
		{ max_uses: 2, blocked_domains: ['b.example'], user_location: where },
		{
			tools: [
				{
					...{ type: 'web_search_20250305', name: 'web_search', max_uses: 2 },
					blocked_domains: ['b.example'],
					user_location: { type: 'approximate', ...where },
				},
			],
		},
	],
	[messages, true, { tools: [{ type: 'web_search_20250305', name: 'web_search', max_uses: 5 }] }],
	[
		responses,
		{ max_uses: 2, allowed_domains: ['a.example'], user_location: where },
		{
			max_tool_calls: 2,
			tools: [
				{
					type: 'web_search',
					filters: { allowed_domains: ['a.example'] },
					user_location: { type: 'approximate', ...where },
				},
			],
		},
	],
	[responses, true, { max_tool_calls: 5, tools: [{ type: 'web_search' }] }],
	[
		chat,
		{ user_location: where },
		{ web_search_options: { user_location: { type: 'approximate', approximate: where } } },
	],
	[chat, true, { web_search_options: {} }],
])('$name is asked to search as %j', async (which, web_search, body) => {
	await at.call(which, { text: 'ok' }, { options: { web_search: web_search as boolean } })
	expect(at.sent()).toMatchObject(body)
	await at.call(which, { text: 'ok' }, { options: { web_search: false } })
	expect(JSON.stringify(at.sent())).not.toMatch(/web_search|max_tool_calls/)
})

// Proves: search.citations, search.counted
test('citations, searches and their number are read of each interface', async () => {
	const citation = { type: 'url_citation', url: page.url, title: 'Tower' }
	const usage = { input_tokens: 20, cached_input_tokens: 0, output_tokens: 10 }
	const deltas: string[] = []
	const onDelta = (text: string) => deltas.push(text)

	const anthropic = await at.call(messages, found, { options: on }, { onDelta })
	const content = 'Let me look.\n\nIt opened in 1889, and is open.'
	expect(anthropic.message.content).toBe(content)
	expect(deltas.join('')).toBe(content)
	const cited_text = 'was opened in 1889'
	expect(anthropic.citations).toEqual([{ ...citation, cited_text, start_index: 27, end_index: 31 }])
	expect(content.slice(27, 31)).toBe('1889')
	const urls = [page.url, 'https://b.example/']
	expect(anthropic.searches).toEqual([
		{ action: 'search', query: 'tower opening', found: urls },
		{ action: 'search', query: 'tower hours', error: 'max_uses_exceeded' },
	])
	expect(anthropic.usage).toEqual({ ...usage, web_searches: 1 })

	const openai = await at.call(responses, found, { options: on })
	expect(openai.citations).toEqual([{ ...citation, start_index: 13, end_index: 17 }])
	expect(openai.searches).toEqual([
		{ action: 'search', query: 'tower opening', found: urls },
		{ action: 'search', query: 'tower hours', error: 'failed' },
	])
	expect(openai.usage).toEqual({ ...usage, web_searches: 1 })

	const model = await at.call(chat, found, { options: on })
	expect(model.citations).toEqual([{ ...citation, start_index: 13, end_index: 17 }])
	expect(model.usage).toEqual({ ...usage, web_searches: 1 })
})

// Proves: search.citations-kept
test('what a server says that it cites is brought into form', async () => {
	const wild = [
		{ ...page, title: { html: 'Tower' } },
		{ ...page, title: 'T'.repeat(5_000) },
		{ ...page, url: `https://a.example/${'a'.repeat(100_000)}` },
		{ ...page, url: 'javascript:alert(1)' },
		{ ...page, url: 'https://a.example/\nhttps://b.example/' },
		{ ...page, url: 7 },
		// Not in the text: the kit says that it begins at -1.
		{ ...page, quote: 'nowhere' },
		...Array.from({ length: 300 }, () => page),
	].map((cited) => ({ quote: '1889', cited_text: 'c', ...cited }))
	const turn = { ...found, cites: wild } as unknown as Turn
	for (const which of [responses, chat]) {
		const { citations = [] } = await at.call(which, turn, { options: on })
		const known = { type: 'url_citation', ...page }
		const placed = { start_index: 13, end_index: 17 }
		expect(citations.slice(0, 4)).toEqual([
			{ ...known, ...placed, title: null },
			{ ...known, ...placed, title: 'T'.repeat(300) },
			known,
			{ ...known, ...placed },
		])
		expect(citations).toHaveLength(200)
	}
})

// Proves: search.citations-kept
test('a result of a search that is no page is left out, and the answer stands', async () => {
	const searches = [{ query: 'tower', found: [null, page] }]
	for (const which of [messages, responses]) {
		const turn: Turn = { text: 'In 1889.', searches }
		const answer = await at.call(which, turn, { options: on })
		expect(answer.searches).toEqual([{ action: 'search', query: 'tower', found: [page.url] }])
		expect(answer.message.content).toBe('In 1889.')
	}
})

// Proves: search.citations-kept
test('what a server says that it searched is brought into form', async () => {
	const long = `https://a.example/${'a'.repeat(2_000)}`
	const found = [long, 'javascript:alert(1)', ...Array.from({ length: 300 }, () => page.url)]
	const searches = [
		{ query: 'q'.repeat(5_000), found: found.map((url) => ({ url, title: '' })) },
		{ query: 'hours', error: 'e'.repeat(5_000) },
	]
	const answer = await at.call(messages, { text: 'In 1889.', searches } as Turn, { options: on })
	expect(answer.searches).toEqual([
		{ action: 'search', query: 'q'.repeat(1_000), found: Array.from({ length: 100 }, () => page.url) },
		{ action: 'search', query: 'hours', error: 'e'.repeat(100) },
	])
})

// Proves: search.citations-kept
test.each([['abc'], [[{ toString: 1 }]], [[7]], [null]])(
	'searches of an odd server that names %j as its questions are read, and paid',
	async (queries) => {
		const turn: Turn = { text: 'In 1889.', searches: [{ query: 'tower', queries }] }
		const answer = await at.call(responses, turn, { options: on })
		expect(answer.searches).toEqual([{ action: 'search', query: 'tower' }])
		expect(answer.usage).toMatchObject({ web_searches: 1 })
	},
)

// Proves: search.kept
test('a search goes back as it came, as the SDKs read the same bytes', async () => {
	at.server.scripts.kept = found
	const client = new Anthropic({ apiKey: KEY, baseURL: at.server.url, maxRetries: 0 })
	const params = { model: 'kept', max_tokens: 9, messages: [{ role: 'user' as const, content: 'hi' }] }
	const whole = await client.messages.stream(params).finalMessage()
	const plain = whole.content.map((block) => {
		if (block.type !== 'text' || block.citations?.length) return block
		return { type: 'text', text: block.text }
	})
	const first = await at.call(messages, found, { options: on, messages: [ask] })
	const next = [ask, first.message, { role: 'user' as const, content: 'And now?' }]
	await at.call(messages, { text: 'ok' }, { options: on, messages: next })
	const [, said] = at.sent().messages as { content: object[] }[]
	expect(said?.content).toEqual(plain)
	expect(JSON.stringify(said)).toMatch(/"encrypted_content":"sealed:.*"encrypted_index":"index:/)

	// Also where an answer cites what one before it has found.
	const again: Turn = { text: found.text ?? '', cites: found.cites ?? [] }
	const later = await at.call(messages, again, { options: on, messages: next })
	await at.call(messages, { text: 'ok' }, { options: on, messages: [...next, later.message, ask] })
	const [, , , cites] = at.sent().messages as { content: object[] }[]
	expect(JSON.stringify(cites)).toContain(`"encrypted_index":"index:${page.url}"`)

	const openai = new OpenAI({ apiKey: KEY, baseURL: at.server.openaiUrl, maxRetries: 0 })
	const { output } = await openai.responses.stream({ model: 'kept', input: 'hi' }).finalResponse()
	const second = await at.call(responses, found, { options: on, messages: [ask] })
	await at.call(responses, { text: 'ok' }, { options: on, messages: [ask, second.message] })
	const calls = (at.sent().input as { type: string }[]).filter(({ type }) => type === 'web_search_call')
	expect(calls).toHaveLength(2)
	const idless = (items: object[]) => items.map((item) => ({ ...item, id: '' }))
	expect(idless(calls)).toEqual(idless(output.filter(({ type }) => type === 'web_search_call')))
})

// Proves: search.paused
test('a paused answer goes on from what it said, and is one answer', async () => {
	const half: Turn = {
		preamble: 'Let me look.',
		searches: [{ query: 'tower opening', id: 'srvtoolu_1' }],
		pause: true,
	}
	const rest: Turn = {
		text: 'It opened in 1889.',
		searches: [{ id: 'srvtoolu_1', found: [page] }],
		cites: [{ quote: '1889', ...page, cited_text: 'opened in 1889' }],
	}
	const deltas: string[] = []
	const context = { onDelta: (text: string) => deltas.push(text) }
	const paused = await at.call(messages, half, { options: on, messages: [ask] }, context)
	expect(paused.paused).toHaveLength(2)
	const options: ModelSettings = { web_search: { max_uses: 3 } }
	const more = { options, messages: [ask], paused: paused.paused ?? [], searched: 2 }
	const whole = await at.call(messages, rest, more, context)
	const body = at.sent() as { messages: { role: string; content: object[] }[]; tools: object[] }
	expect(body.tools).toMatchObject([{ max_uses: 1 }])
	expect(body.messages.map(({ role }) => role)).toEqual(['user', 'assistant'])
	expect(body.messages[1]?.content).toMatchObject([
		{ type: 'text', text: 'Let me look.' },
		{ type: 'server_tool_use', id: 'srvtoolu_1', input: { query: 'tower opening' } },
	])
	expect(JSON.stringify(body.messages[1])).not.toContain('cache_control')
	expect(whole.paused).toBeUndefined()
	expect(whole.message.content).toBe('Let me look.\n\nIt opened in 1889.')
	expect(deltas.join('')).toBe(whole.message.content)
	expect(whole.searches).toEqual([{ action: 'search', query: 'tower opening', found: [page.url] }])
	expect(whole.citations?.map(({ start_index }) => start_index)).toEqual([27])
	const { blocks } = whole.message.provider as { blocks: { type: string }[] }
	expect(blocks.map(({ type }) => type)).toEqual([
		...['text', 'server_tool_use', 'web_search_tool_result', 'text', 'text', 'text'],
	])
})

// Proves: search.value
test('a value has nothing of what was said before the search, and its schema is asked for in words', async () => {
	const output = { type: 'object', properties: { year: { type: 'number' } } }
	const turn: Turn = { ...found, text: '{"year":1889}', cites: [] }
	const { message } = await at.call(messages, turn, { options: on, output })
	expect(message.content).toBe('{"year":1889}')
	expect(at.sent().output_config).toBeUndefined()
	expect(JSON.stringify(at.sent().system)).toContain('nothing but a JSON value')
	await at.call(messages, turn, { options: { ...on, strict: true }, output })
	expect(at.sent().output_config).toMatchObject({ format: { type: 'json_schema' } })
})

// Proves: search.refused
test('a tool of the name of Anthropic’s search is told, and the refusal of an option names it', async () => {
	const tools = [{ name: 'web_search', description: 'Ours', input: { type: 'object' } }]
	await expect(at.call(messages, { text: 'ok' }, { options: on, tools })).rejects.toMatchObject({
		code: 'agent_error',
		message: expect.stringContaining('a tool of the agent is named web_search'),
	})
	const error = { message: 'Web search options not supported with this model.', param: 'web_search_options' }
	const refused = at.call(chat, { fault: { status: 400, body: { error } } }, { options: on })
	await expect(refused).rejects.toMatchObject({
		message: `the provider answered 400: ${error.message} (the option \`web_search\` of the model)`,
	})
})

// Proves: search.files
test('files are documents that Anthropic cites, by their place among them', async () => {
	const file = (id: string, name: string, type: string, text: string) => {
		const bytes = Buffer.from(text)
		return [id, { file: id, name, type, size: bytes.length, sha256: '', bytes }] as const
	}
	const files = new Map([
		file('file_1', 'list.csv', 'text/csv', 'item,price\n'),
		file('file_2', 'bill.pdf', 'application/pdf', '%PDF-1.7\n'),
	])
	const shown = [{ ...ask, files: [...files.values()].map(({ bytes: _, ...info }) => info) }]
	const cites = [{ quote: 'three', title: 'bill.pdf', cited_text: 'tea: 3', document: 1, page: 2 }]
	const turn: Turn = { text: 'Tea costs three.', cites }
	const { citations } = await at.call(messages, turn, {
		...{ options: { citations: true }, files, messages: shown },
	})
	const [{ content }] = at.sent().messages as [{ content: { type: string }[] }]
	expect(content.filter(({ type }) => type === 'document')).toMatchObject([
		{
			title: 'list.csv',
			source: { type: 'text', media_type: 'text/plain', data: 'item,price\n' },
			citations: { enabled: true },
		},
		{ title: 'bill.pdf', source: { media_type: 'application/pdf' }, citations: { enabled: true } },
	])
	expect(citations).toEqual([
		{
			...{ type: 'file_citation', file: 'file_2', title: 'bill.pdf', cited_text: 'tea: 3' },
			...{ start_index: 10, end_index: 15, start_page_number: 2, end_page_number: 3 },
		},
	])
	await expect(
		at.call(messages, turn, {
			options: { citations: true, strict: true },
			output: { type: 'object', properties: {} },
		}),
	).rejects.toMatchObject({ message: 'strict is set, but Anthropic guarantees no schema beside `citations`' })
})
