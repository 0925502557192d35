import { expect, test } from 'vitest'
import {
	answer,
	type Guest,
	type Program,
	type WorldOptions,
	world,
	YAML,
} from '../../../kit/engine/fakes.ts'

// limits.tokens and limits.usd: what calls may use is held before they are made.

const ask = (guest: Guest, more: object = {}) =>
	guest.effect('model', { messages: [{ role: 'user', content: 'hi' }], tools: [], ...more })
const limits = (text: string) => `${YAML}limits: { ${text} }\n`
const forever: Program = async (guest) => {
	for (;;) await ask(guest).catch(() => undefined)
}
const tokens = (input_tokens: number, output_tokens: number) => async () =>
	answer('x', { usage: { input_tokens, cached_input_tokens: 0, output_tokens } })

/** A provider that keeps to the bound it is told, or to `most`; `inFlight` is the most it ever had at once. */
function provider(most: number) {
	const seen = { now: 0, inFlight: 0 }
	const model: WorldOptions['model'] = async ({ messages, parameters }) => {
		seen.inFlight = Math.max(seen.inFlight, ++seen.now)
		await new Promise((resolve) => setTimeout(resolve, Math.random() * 4))
		seen.now--
		const bound = (parameters.max_tokens ?? parameters.max_output_tokens ?? most) as number
		const input_tokens = Math.ceil(JSON.stringify(messages).length / 4)
		return answer('x', {
			usage: { input_tokens, cached_input_tokens: 0, output_tokens: Math.min(most, bound) },
		})
	}
	return { model, seen }
}
const manyAtOnce =
	(n: number, more: object = {}): Program =>
	async (guest) => {
		await Promise.all(Array.from({ length: n }, () => ask(guest, more)))
		return 'done'
	}

// Proves: limit.tokens-together
test.each([
	['tokens: 120000', 'token_limit_reached', 120_000, Number.POSITIVE_INFINITY],
	['usd: 1.2', 'cost_limit_reached', 500_000, 1.2],
])('calls at once do not pass limits.%s together', async (limit, code, tokens, usd) => {
	const { model, seen } = provider(3000)
	const yaml = `name: a\nmodel: { provider: openai, name: gpt-4o }\nlimits: { steps: 1000, ${limit} }\n`
	const { begin } = world({ yaml, model, program: manyAtOnce(100) })
	const { outcome, usage } = await begin()
	expect(outcome).toMatchObject({ error: { code } })
	expect(seen.inFlight).toBeGreaterThan(2)
	const used = usage.input_tokens + usage.output_tokens
	expect(used).toBeLessThanOrEqual(tokens)
	expect(usage.usd).toBeLessThanOrEqual(usd)
	expect(Math.max(used / tokens, (usage.usd ?? 0) / usd)).toBeGreaterThan(0.95)
})

// Proves: limit.tokens-together
test('calls that may use what is not there wait for those under way, and are made once these used less', async () => {
	const { model, seen } = provider(500)
	const { begin } = world({
		yaml: limits('tokens: 30000'),
		model,
		program: manyAtOnce(20, { parameters: { max_tokens: 9000 } }),
	})
	const { outcome, usage } = await begin()
	expect(outcome.status).toBe('succeeded')
	expect([usage.model_calls, usage.output_tokens, seen.inFlight]).toEqual([20, 10_000, 3])
})

// Proves: limit.tokens-together
test('a call that waits for others ends with the run, and is not made', async () => {
	const { begin, engine, requests } = world({
		yaml: limits('tokens: 20000'),
		model: (_, { signal }) =>
			new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason))),
		program: manyAtOnce(3),
	})
	const ended = begin()
	await expect.poll(() => requests.length).toBe(1)
	engine.cancel('run_1', 'it was asked for')
	expect((await ended).outcome.status).toBe('cancelled')
	expect(requests).toHaveLength(1)
})

// Proves: limit.tokens-over
test('a call whose question alone is over what is left is not made', async () => {
	const { begin, requests } = world({
		yaml: limits('tokens: 1000'),
		program: async (guest) =>
			ask(guest, { messages: [{ role: 'user', content: 'four '.repeat(1000) }] }).catch(() => 'caught'),
	})
	expect((await begin()).outcome).toMatchObject({
		error: { code: 'token_limit_reached', message: expect.stringContaining('used 0 of its 1000 tokens') },
	})
	expect(requests).toEqual([])
})

// Proves: limit.tokens-over
test('a run that has used its tokens makes no further call', async () => {
	const { begin, requests } = world({
		yaml: limits('tokens: 1000'),
		model: tokens(300, 100),
		program: forever,
	})
	const { outcome, usage } = await begin()
	expect(outcome).toMatchObject({ error: { code: 'token_limit_reached' } })
	expect([requests.length, usage.input_tokens + usage.output_tokens]).toEqual([3, 1200])
})

/** Of 1,000: what the question itself is taken for is some 35. */
const LEFT = expect.toSatisfy((bound: number) => bound > 950 && bound < 975)

// Proves: limit.output-bound
test.each([
	['responses', 'openai, name: m', {}, { max_output_tokens: LEFT }],
	[
		'responses with a bound of its own',
		'openai, name: m',
		{ max_output_tokens: 7 },
		{ max_output_tokens: 7 },
	],
	['chat', 'openai, name: m, api: chat', {}, { max_completion_tokens: LEFT }],
	['a compatible server', 'openai, name: m, base_url: "http://127.0.0.1:1"', {}, { max_tokens: LEFT }],
	['messages', 'anthropic, name: m', { max_tokens: 5000 }, { max_tokens: LEFT }],
])('the answer is bounded by the tokens that are left (%s)', async (_, model, parameters, bound) => {
	const { begin, requests } = world({
		yaml: `name: a\nmodel: { provider: ${model} }\nlimits: { tokens: 1000 }\n`,
		program: async (guest) => {
			await ask(guest, { parameters })
			return 'done'
		},
	})
	await begin()
	expect(requests[0]?.parameters).toEqual(bound)
})

const chat = 'openai, name: m, base_url: "http://127.0.0.1:1"'

// Proves: limit.output-bound
test.each([
	['responses', 'openai, name: m', { max_tokens: 20_000 }, 'max_output_tokens'],
	['chat', 'openai, name: m, api: chat', { max_tokens: 20_000 }, 'max_completion_tokens'],
	['a compatible server', chat, { max_output_tokens: 20_000 }, 'max_tokens'],
	[
		'a compatible server whose owner writes the newer name',
		`${chat}, parameters: { max_completion_tokens: 30000 }`,
		{ max_tokens: 20_000 },
		'max_completion_tokens',
	],
	['messages', 'anthropic, name: m', { max_completion_tokens: 20_000 }, 'max_tokens'],
	[
		'the smaller of two',
		'openai, name: m',
		{ max_tokens: 30_000, max_output_tokens: 20_000 },
		'max_output_tokens',
	],
])(
	'a bound goes out under the one name that its interface reads (%s)',
	async (_, model, parameters, name) => {
		const sent = async (tokens: number) => {
			const yaml = `name: a\nmodel: { provider: ${model} }\nlimits: { tokens: ${tokens} }\n`
			const { begin, requests } = world({
				yaml,
				program: async (guest) => void (await ask(guest, { parameters })),
			})
			await begin()
			return requests[0]?.parameters
		}
		expect(await sent(500_000)).toEqual({ [name]: 20_000 })
		expect(await sent(1000)).toEqual({ [name]: LEFT })
	},
)

// Proves: limit.bad-output-bound
test.each([-1, 0, 2.5, '20000', null])(
	'a bound that is no count, %j, is refused, and no call is made',
	async (bound) => {
		for (const name of ['max_tokens', 'max_output_tokens', 'max_completion_tokens']) {
			const { begin, requests } = world({
				program: async (guest) => ask(guest, { parameters: { [name]: bound } }),
			})
			expect((await begin()).outcome).toMatchObject({
				error: {
					code: 'agent_error',
					message: expect.stringContaining(`${name} must be a whole number from 1 on`),
				},
			})
			expect(requests).toEqual([])
		}
	},
)

// Proves: limit.unknown-price
test.each([
	[undefined, true],
	['default', true],
	['flex', true],
	['priority', false],
	['scale', false],
])('limits.usd with service_tier %s: the list price holds, %s', async (service_tier, goes) => {
	const { begin, requests } = world({
		yaml: 'name: a\nmodel: { provider: openai, name: gpt-4o }\nlimits: { usd: 1 }\n',
		program: async (guest) => {
			await ask(guest, service_tier ? { parameters: { service_tier } } : {})
			return 'done'
		},
	})
	const { outcome } = await begin()
	expect(requests).toHaveLength(goes ? 1 : 0)
	expect(outcome).toMatchObject(goes ? { status: 'succeeded' } : { error: { code: 'cost_limit_reached' } })
})

// Proves: limit.output-bound
test('a run with many tokens left leaves the bound to the provider', async () => {
	const { begin, requests } = world({
		program: async (guest) => {
			await ask(guest)
			return 'done'
		},
	})
	await begin()
	expect(requests[0]?.parameters).toEqual({})
})

// Proves: limit.dollars
test('a run that has cost its dollars makes no further call', async () => {
	const yaml = 'name: a\nmodel: { provider: openai, name: gpt-4o }\nlimits: { usd: 0.01 }\n'
	const { begin, requests } = world({ yaml, model: tokens(2000, 100), program: forever })
	const { outcome, usage } = await begin()
	expect(outcome).toMatchObject({ error: { code: 'cost_limit_reached' } })
	expect(requests.length).toBeGreaterThan(0)
	expect(usage.usd).toBeGreaterThanOrEqual(0.01)
	expect(usage.usd).toBeLessThan(0.02)
})

// Proves: limit.unknown-price
test('a dollar limit on a model whose price nobody knows lets no call through', async () => {
	const { begin, requests } = world({ yaml: limits('usd: 1'), program: forever })
	const { outcome } = await begin()
	expect(outcome).toMatchObject({
		error: { code: 'cost_limit_reached', message: expect.stringContaining('price of m') },
	})
	expect(requests).toEqual([])
})
