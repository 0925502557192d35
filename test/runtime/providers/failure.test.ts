import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { callModel, ProviderError } from '../../../runtime/providers/index.ts'
import type { Fault } from '../../support/model-server.ts'
import { type Fixture, interfaces, KEY, startFixture } from './fixture.ts'

let at: Fixture
beforeAll(async () => {
	at = await startFixture()
})
afterAll(() => at.close())

type Code = ProviderError['code']
const soon = { 'retry-after-ms': '1' }
const status = (code: number, more: object = {}): Fault => ({ status: code, headers: soon, ...more })

/** Every way to fail, the code it must end with (contract 8), and how often the provider is asked. */
const failures: [name: string, fault: Fault, code: Code, requests: number][] = [
	['401', status(401), 'provider_auth_failed', 1],
	['403', status(403), 'provider_auth_failed', 1],
	['402', status(402), 'provider_rate_limited', 1],
	['429', status(429), 'provider_rate_limited', 3],
	[
		'429 for an empty purse',
		status(429, { body: { error: { code: 'insufficient_quota' } } }),
		'provider_rate_limited',
		1,
	],
	[
		'429 that asks for no retry',
		{ status: 429, headers: { 'x-should-retry': 'false' } },
		'provider_rate_limited',
		1,
	],
	['408', status(408), 'provider_unavailable', 3],
	['409', status(409), 'provider_unavailable', 3],
	['500', status(500), 'provider_unavailable', 3],
	['503', status(503), 'provider_unavailable', 3],
	['529', status(529), 'provider_unavailable', 3],
	['307', { status: 307, headers: { location: 'http://elsewhere.example/' } }, 'provider_unavailable', 1],
	['400', status(400), 'agent_error', 1],
	['404', status(404), 'agent_error', 1],
	['413', status(413), 'agent_error', 1],
	['422', status(422), 'agent_error', 1],
	['garbage', 'garbage', 'provider_unavailable', 1],
	['half a stream', 'half', 'provider_unavailable', 1],
	['a stream cut off', 'cut', 'provider_unavailable', 1],
	['an error within the stream', 'error', 'provider_unavailable', 1],
	['an empty stream', 'empty', 'provider_unavailable', 1],
	['a connection that is closed', 'reset', 'provider_unavailable', 3],
	['silence', 'silence', 'provider_unavailable', 1],
	['an answer without end', 'huge', 'provider_unavailable', 1],
]

describe.each(interfaces)('$name', (which) => {
	test.concurrent.each(failures)('%s ends as its code', async (name, fault, code, requests) => {
		const model = `${which.name} ${name}`
		at.server.scripts[model] = { text: 'Half of this is never said.', fault }
		const asked = () => at.server.requests.filter((request) => request.body.model === model).length
		const call = callModel(at.request(which, model), at.context({ timeoutMs: 400 }))
		const error = await call.catch((reason: unknown) => reason)
		expect(error).toBeInstanceOf(ProviderError)
		expect({ code: (error as ProviderError).code, requests: asked() }).toEqual({ code, requests })
	})

	test('a passing failure is overcome', async () => {
		const faults: Fault[] = [status(500), 'reset']
		const result = await at.call(which, ({ count }) => ({
			text: 'Now.',
			...(faults[count] && { fault: faults[count] }),
		}))
		expect(result.message.content).toBe('Now.')
	})

	test('the wait that is asked for is kept, and not begun where it is too long', async () => {
		const started = Date.now()
		const wait = (ms: number) => ({ fault: { status: 429, headers: { 'retry-after': String(ms / 1000) } } })
		await at.call(which, ({ count }) => (count === 0 ? wait(300) : { text: 'ok' }))
		expect(Date.now() - started).toBeGreaterThanOrEqual(295)
		const soonDone = at.call(which, wait(5_000), {}, { deadlineAt: Date.now() + 1_000 })
		await expect(soonDone).rejects.toMatchObject({ code: 'provider_rate_limited' })
		expect(Date.now() - started).toBeLessThan(3_000)
	})

	test("the provider's own words reach the owner", async () => {
		const body = { error: { type: 'invalid_request_error', message: 'the model needs a hat' } }
		const call = at.call(which, { fault: { status: 400, body } })
		await expect(call).rejects.toThrow('the provider answered 400: the model needs a hat')
	})

	test('a slow but steady answer is waited for', async () => {
		const result = await at.call(which, { text: 'Slow.', dripMs: 60, chunk: 1 }, {}, { timeoutMs: 300 })
		expect(result.message.content).toBe('Slow.')
	})

	test('the key comes back in no result, delta or error', async () => {
		const seen: string[] = []
		const onDelta = (delta: string) => seen.push(delta)
		const text = `Your key is {{key}} and in base64 ${btoa(`:${KEY}`)}, remember.`
		const result = await at.call(which, { text, chunk: 5 }, {}, { onDelta })
		expect(result.message.content).toMatch(
			/^Your key is \[redacted\] and in base64 \S*\[redacted\]\S*, remember\.$/,
		)
		seen.push(JSON.stringify(result), seen.join(''))
		for (const code of [400, 401, 500]) {
			const fault = { status: code, headers: soon, echo: true }
			const error: Error = await at.call(which, { fault }).then(Object, (reason) => reason)
			expect(error.message).toContain('[redacted]')
			seen.push(error.message, String(error.stack), JSON.stringify(error), String(error.cause))
		}
		const parts = [KEY, KEY.slice(0, 12), encodeURIComponent(KEY), Buffer.from(KEY).toString('hex')]
		for (const part of parts) expect(seen.join('\n')).not.toContain(part)
		expect(seen.join('\n')).not.toContain(btoa(KEY).slice(4, 30))
	})

	test('a key that no header can carry is refused without asking anyone', async () => {
		const before = at.server.requests.length
		const call = at.call(which, { text: 'ok' }, {}, { apiKey: 'sk\r\nx-evil: 1' })
		await expect(call).rejects.toMatchObject({ code: 'provider_auth_failed' })
		expect(at.server.requests.length).toBe(before)
	})

	test('an address that the guard refuses is unavailable', async () => {
		const call = at.call(which, { text: 'ok' }, { base_url: 'http://169.254.169.254' })
		await expect(call).rejects.toMatchObject({ code: 'provider_unavailable', message: /EGRESS_ALLOW/ })
	})
})
