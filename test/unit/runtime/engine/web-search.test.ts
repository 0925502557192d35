import { afterEach, expect, test } from 'vitest'
import { setPrices } from '../../../../runtime/prices/index.ts'
import { type ModelResult, ProviderError } from '../../../../runtime/process/providers/index.ts'
import type { BudgetCalls } from '../../../../runtime/wire/budgets.ts'
import type { Citation } from '../../../../runtime/wire/model.ts'
import { fakeBudgets } from '../../../kit/engine/fake-budgets.ts'
import { answer, FakeHost, type Guest, type WorldOptions, world } from '../../../kit/engine/fakes.ts'

// A provider's web search under the limits of a run, in its journal, and in what the run answers.

const yaml = (settings: string, more = '') =>
	`name: a\nmodel: { provider: anthropic, name: claude-opus-5, retry_seconds: 1, web_search: ${settings} }\n${more}`
const ask = (guest: Guest, options: object = {}) =>
	guest.effect('model', { messages: [{ role: 'user', content: 'hi' }], tools: [], ...options }) as Promise<{
		message: { content: string }
	}>
const said: WorldOptions['program'] = async (guest) => (await ask(guest)).message.content
const cited: Citation = {
	...{ type: 'url_citation', url: 'https://a.example/', title: 'A', cited_text: 'in 1889' },
	...{ start_index: 3, end_index: 7 },
}
const used = (web_searches: number) => ({
	...{ input_tokens: 1000, cached_input_tokens: 0, output_tokens: 100, web_searches },
})
const found: Partial<ModelResult> = {
	citations: [cited],
	searches: [{ action: 'search', query: 'opening', found: ['https://a.example/'] }],
	usage: used(2),
}
const half = answer('', { usage: used(1), paused: [{ type: 'server_tool_use', id: 's' }] })
/** Of claude-opus-5 and two searches. */
const usdOf = (calls: number, searches: number) =>
	(calls * (1000 * 5 + 100 * 25)) / 1e6 + (searches * 10) / 1000

afterEach(() => setPrices({ openai: {}, anthropic: {} }))

// Proves: search.citations, search.counted
test('an answer is told with its citations and searches, and is replayed with them', async () => {
	const options: WorldOptions = {
		yaml: yaml('true'),
		program: said,
		model: async () => answer('In 1889.', found),
	}
	const { begin, requests } = world(options)
	const { entries, outcome, usage } = await begin()
	expect(requests).toMatchObject([{ options: { web_search: true } }])
	expect(usage).toMatchObject({ web_searches: 2, usd: usdOf(1, 2) })
	expect(outcome).toEqual({
		status: 'succeeded',
		output: '"In 1889."',
		citations: JSON.stringify([cited]),
	})
	const dataOf = (wanted: string) => entries.find(({ type }) => type === wanted)?.data
	expect(dataOf('model.completed')).toMatchObject({
		...{ citations: [cited], searches: found.searches },
		usage: { web_searches: 2, usd: usdOf(1, 2) },
	})
	expect(dataOf('run.completed')).toMatchObject({ output: 'In 1889.', citations: [cited] })
	const again = world({ ...options, model: undefined as never })
	const committed = entries.filter(({ type }) => type !== 'run.completed')
	const second = await again.begin({ journal: committed, attempt: 2, epoch: 2 })
	expect(second.outcome).toEqual(outcome)
	expect(second.usage).toEqual(usage)
	expect(again.requests).toEqual([])
})

// Proves: search.citations
test('an output is cited where it is the answer: as a value without positions, and not where it is another text', async () => {
	const outputOf = async (text: string, program: WorldOptions['program']) => {
		const { begin } = world({
			yaml: yaml('true', 'output: {}\n'),
			program,
			model: async () => answer(text, found),
		})
		const { outcome } = await begin()
		return outcome.status === 'succeeded' ? outcome.citations : outcome
	}
	const { start_index: _, end_index: __, ...unplaced } = cited
	const value = async (guest: Guest) =>
		JSON.parse((await ask(guest)).message.content.replace(/^```json|```$/g, ''))
	expect(await outputOf('{"year": 1889}', value)).toBe(JSON.stringify([unplaced]))
	expect(await outputOf('```json\n{"year": 1889}\n```', value)).toBe(JSON.stringify([unplaced]))
	expect(await outputOf('In 1889.', async (guest) => `${await said(guest)}!`)).toBeUndefined()
})

// Proves: search.paused
test('a paused answer is continued as one call and one step, under the limits, and is summed', async () => {
	const parts = [half, half, answer('In 1889.', found)]
	const { begin, requests } = world({
		yaml: yaml('{ max_uses: 4 }', 'limits: { steps: 1 }\n'),
		program: said,
		model: async () => parts.shift() as ModelResult,
	})
	const { entries, outcome, usage } = await begin()
	expect(outcome).toMatchObject({ status: 'succeeded', output: '"In 1889."' })
	expect(requests.map(({ paused, searched }) => [paused, searched])).toEqual([
		[undefined, undefined],
		[half.paused, 1],
		[half.paused, 2],
	])
	expect(entries.filter(({ type }) => type === 'model.started')).toHaveLength(1)
	const [completed] = entries.filter(({ type }) => type === 'model.completed')
	const sum = { input_tokens: 3000, output_tokens: 300, web_searches: 4 }
	expect(completed?.data.usage).toMatchObject(sum)
	expect(JSON.parse(completed?.result ?? '').usage).toEqual({ input_tokens: 3000, output_tokens: 300 })
	expect(usage).toMatchObject({ ...sum, model_calls: 1, usd: usdOf(3, 4) })
})

// Proves: search.paused
test('a continuation that fails begins the answer anew, and one that never ends is given up', async () => {
	const parts: (ModelResult | ProviderError)[] = [
		half,
		new ProviderError('provider_unavailable', 'overloaded', { passing: true, used: used(0) }),
		answer('In 1889.', found),
	]
	const failing = world({
		yaml: yaml('true'),
		program: said,
		model: async () => {
			const part = parts.shift()
			if (part instanceof ProviderError) throw part
			return part as ModelResult
		},
	})
	const { entries, usage } = await failing.begin()
	expect(failing.requests.map(({ paused }) => paused !== undefined)).toEqual([false, true, false])
	// What the void attempt has cost is all of its parts.
	const [retrying] = entries.filter(({ type }) => type === 'model.retrying')
	expect(retrying?.data.usage).toMatchObject({ input_tokens: 2000, web_searches: 1 })
	expect(usage).toMatchObject({ input_tokens: 3000, web_searches: 3, model_calls: 2, usd: usdOf(3, 3) })
	const endless = world({ yaml: yaml('true'), program: said, model: async () => half })
	const { outcome } = await endless.begin()
	expect(outcome).toMatchObject({
		error: {
			code: 'provider_unavailable',
			message: 'the provider has paused its answer again after 10 continuations',
		},
	})
	expect(endless.requests).toHaveLength(11)
})

// Proves: search.limited
test('limits.usd and budgets hold the price of searches, and an unknown one makes no call', async () => {
	const ended = async (text: string, host = new FakeHost()) => {
		const { begin, requests } = world({
			yaml: text,
			program: said,
			model: async () => answer('x', found),
			host,
		})
		const { outcome } = await begin({ budget: host !== undefined && 'budgets' in host })
		return [outcome.status === 'failed' ? outcome.error : outcome.status, requests.length] as const
	}
	// A hundred searches are a dollar.
	const [tooFew, none] = await ended(yaml('{ max_uses: 100 }', 'limits: { usd: 1 }\n'))
	const said100 = 'does not cover another call, for which 100 searches are held (max_uses of web_search).'
	expect([tooFew, none]).toMatchObject([
		{ code: 'cost_limit_reached', message: expect.stringContaining(said100) },
		0,
	])
	expect(await ended(yaml('{ max_uses: 10 }', 'limits: { usd: 1 }\n'))).toEqual(['succeeded', 1])
	setPrices({ openai: { odd: { input: 1, cached: 1, output: 1 } }, anthropic: {} })
	const odd = (more: string) => `name: a\nmodel: { provider: openai, name: odd${more} }\nlimits: { usd: 1 }\n`
	expect(await ended(odd(', web_search: true'))).toMatchObject([
		{
			code: 'cost_limit_reached',
			message: expect.stringContaining('The price of a web search of odd is not known'),
		},
		0,
	])
	setPrices({ openai: { odd: { input: 1, cached: 1, output: 1, search: 5 } }, anthropic: {} })
	expect(await ended(odd(', web_search: true'))).toEqual(['succeeded', 1])

	const asked: Parameters<BudgetCalls['budget.reserve']>[0][] = []
	const settled: Parameters<BudgetCalls['budget.settle']>[0][] = []
	const host = Object.assign(new FakeHost(), { budgets: true })
	const { call } = host
	host.call = (async (method: string, args: never) => {
		if (method === 'budget.reserve') asked.push(args)
		if (method === 'budget.settle') settled.push(args)
		const budgets = fakeBudgets() as Record<string, (args: never) => unknown>
		return budgets[method] ? budgets[method](args) : call.call(host, method as never, args)
	}) as typeof host.call
	expect(await ended(yaml('{ max_uses: 3 }'), host)).toEqual(['succeeded', 1])
	expect(asked[0]?.usd?.input).toBeGreaterThan(0.03)
	expect(settled[0]?.usd).toBeCloseTo(usdOf(1, 2), 12)
})

// Proves: search.opt-in
test('a call may leave the search out, and never turn it on', async () => {
	const off = world({
		yaml: yaml('true'),
		program: (guest) => ask(guest, { options: { web_search: false } }),
	})
	await off.begin()
	expect(off.requests).toMatchObject([{ options: { web_search: false } }])
	const plain = 'name: a\nmodel: { provider: anthropic, name: m }\n'
	for (const web_search of [true, { max_uses: 1 }]) {
		const on = world({ yaml: plain, program: (guest) => ask(guest, { options: { web_search } }) })
		expect((await on.begin()).outcome).toMatchObject({
			error: { code: 'agent_error', message: expect.stringContaining('only agent.yaml turns it on') },
		})
		expect(on.requests).toEqual([])
	}
})
