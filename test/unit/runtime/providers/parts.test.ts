import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { providerOrigin } from '../../../../bundles/index.ts'
import { createSseParser } from '../../../../runtime/egress/index.ts'
import { askedWaitMs } from '../../../../runtime/lib/retry.ts'
import { priceOf } from '../../../../runtime/prices/index.ts'
import { probeProvider } from '../../../../runtime/process/providers/index.ts'
import { type Fixture, interfaces, startFixture } from './fixture.ts'

describe('server-sent events', () => {
	const text =
		'\uFEFF: comment\n\nevent: a\ndata: {"x":1}\n\ndata:one\r\ndata: two\r\n\r\nid: 7\nretry: 5\n\ndata: grüße 🚢\nevent:b\n\ndata: never ended'

	// Proves: provider.event-stream-read
	test.each([1, 2, 3, 5, 8, 1000])('are read whole from chunks of %i bytes', (size) => {
		const bytes = Buffer.from(text)
		const events: string[][] = []
		const parser = createSseParser((data, event) => events.push([event, data]))
		for (let at = 0; at < bytes.length; at += size) parser.push(bytes.subarray(at, at + size))
		expect(events).toEqual([
			['a', '{"x":1}'],
			['', 'one\ntwo'],
			['b', 'grüße 🚢'],
		])
	})
})

describe('Retry-After', () => {
	const now = Date.parse('2026-11-21T10:00:00Z')
	// Proves: provider.retry-after-told
	test.each([
		[{ 'retry-after': '3' }, 3_000],
		[{ 'retry-after': '0.5' }, 500],
		[{ 'retry-after': 'Sat, 21 Nov 2026 10:00:09 GMT' }, 9_000],
		[{ 'retry-after': 'Sat, 21 Nov 2026 09:00:00 GMT' }, 0],
		[{ 'retry-after-ms': '120', 'retry-after': '9' }, 120],
		[{ 'retry-after': 'soon' }, undefined],
		[{}, undefined],
	])('%j is %s ms', (headers, ms) => {
		expect(askedWaitMs(headers, now)).toBe(ms)
	})
})

// Proves: budget.list-prices
describe('a price', () => {
	const usage = { input_tokens: 100_000, cached_input_tokens: 60_000, output_tokens: 10_000 }
	test.each([
		['openai', 'gpt-6-sol', 0.192],
		['openai', 'gpt-5-mini-2025-08-07', 0.0315],
		['anthropic', 'claude-opus-5-5', 0.372],
		['anthropic', 'claude-haiku-4-5-20251001', 0.096],
	] as const)('of %s %s', (provider, model, usd) => {
		expect(priceOf(provider, model, usage)).toBeCloseTo(usd, 10)
	})

	// Proves: budget.list-prices
	test('counts what was written to the cache and the tariff of long inputs', () => {
		expect(
			priceOf('anthropic', 'claude-haiku-4-5', { ...usage, cache_write_input_tokens: 20_000 }),
		).toBeCloseTo(0.101, 10)
		const long = { input_tokens: 300_000, cached_input_tokens: 0, output_tokens: 10_000 }
		expect(priceOf('openai', 'gpt-6-sol', long)).toBeCloseTo(1.35, 10)
	})

	// Proves: budget.list-prices
	test('is unknown for a model that has the name of what every object has', () => {
		for (const model of ['constructor', 'toString', '__proto__', 'hasOwnProperty'])
			expect(priceOf('openai', model, usage)).toBeNull()
	})

	// Proves: budget.list-prices
	test('is unknown for a model that is not listed, however it begins', () => {
		expect(priceOf('openai', 'gpt-6-sol-pro', usage)).toBeNull()
		expect(priceOf('openai', 'llama-4', usage)).toBeNull()
		expect(priceOf('anthropic', 'gpt-6-sol', usage)).toBeNull()
	})
})

// Proves: provider.key-goes-home
test.each([
	[{ provider: 'openai' }, 'https://api.openai.com'],
	[{ provider: 'anthropic' }, 'https://api.anthropic.com'],
	[{ provider: 'openai', base_url: 'http://LLM.internal:8000/v1/' }, 'http://llm.internal:8000'],
	[{ provider: 'anthropic', base_url: 'https://gateway.example/anthropic/v1' }, 'https://gateway.example'],
] as const)('the key of %j goes to %s', (address, origin) => {
	expect(providerOrigin(address)).toBe(origin)
})

describe('the provider, asked once at start,', () => {
	let at: Fixture
	beforeAll(async () => {
		at = await startFixture()
	})
	afterAll(() => at.close())

	// Proves: provider.key-checked-at-start
	test.each(interfaces)('takes a key or rejects it: $name', async (which) => {
		const request = at.request(which, 'any')
		expect(await probeProvider(request, at.context())).toMatchObject({ status: 'ok' })
		const wrong = await probeProvider(request, at.context({ apiKey: 'sk-wrong-0123456789' }))
		expect(wrong).toEqual({ status: 'rejected', detail: 'the provider answered 401: invalid key' })
		expect(await probeProvider(request, at.context({ apiKey: 'no\nheader' }))).toMatchObject({
			status: 'rejected',
		})
	})

	// Proves: provider.key-checked-at-start
	test.each(interfaces)('is out of reach, which says nothing against the key: $name', async (which) => {
		const request = at.request(which, 'any', { base_url: 'http://127.0.0.1:1' })
		expect(await probeProvider(request, at.context())).toMatchObject({ status: 'unreachable' })
	})
})
