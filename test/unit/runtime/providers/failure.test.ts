import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Egress } from '../../../../runtime/egress/index.ts'
import { callModel, ProviderError } from '../../../../runtime/process/providers/index.ts'
import type { Fault } from '../../../kit/model-server.ts'
import { type Fixture, type Interface, interfaces, KEY, startFixture } from './fixture.ts'

let at: Fixture
beforeAll(async () => {
	at = await startFixture()
})
afterAll(() => at.close())

/** A server that says just this. */
const answering = (type: string, body: string, status = 200) =>
	({
		stream: (async (_url, _request, { onHead, onChunk }) => {
			const head = { status, headers: { 'content-type': type } }
			onHead?.(head)
			onChunk(Buffer.from(body))
			return head
		}) satisfies Egress['stream'],
	}) as unknown as Egress

type Code = ProviderError['code']
const line = (data: object) => `data: ${JSON.stringify(data)}\n\n`

/** The same error in the spellings that an interface has for it, after the answer has begun. */
function inStream({ name }: Interface, error: object): string[] {
	if (name === 'openai chat') return [line({ choices: [] }) + line({ error })]
	const event = `event: error\n${line({ type: 'error', error })}`
	if (name === 'anthropic messages') return [line({ type: 'message_start', message: {} }) + event]
	const begun = line({ type: 'response.created', response: {} })
	return [begun + event, begun + line({ type: 'response.failed', response: { status: 'failed', error } })]
}

const soon = { 'retry-after-ms': '1' }
const status = (code: number, more: object = {}): Fault => ({ status: code, headers: soon, ...more })

/** Every way to fail, the code it must end with, and whether the call may be made again. */
const failures: [name: string, fault: Fault, code: Code, passing: boolean][] = [
	['401', status(401), 'provider_auth_failed', false],
	['403', status(403), 'provider_auth_failed', false],
	['402', status(402), 'provider_rate_limited', false],
	['429', status(429), 'provider_rate_limited', true],
	[
		'429 for an empty purse',
		status(429, { body: { error: { code: 'insufficient_quota' } } }),
		'provider_rate_limited',
		false,
	],
	[
		'400 for an empty purse',
		status(400, {
			body: {
				type: 'error',
				error: {
					type: 'invalid_request_error',
					message: 'Your credit balance is too low to access the API. Please go to Plans & Billing.',
				},
			},
		}),
		'provider_rate_limited',
		false,
	],
	[
		'400 for a limit that its owner has set',
		status(400, {
			body: {
				error: {
					type: 'invalid_request_error',
					message: 'You have reached your specified API usage limits. You will regain access on 2026-12-01.',
				},
			},
		}),
		'provider_rate_limited',
		false,
	],
	[
		'429 that asks for no retry',
		{ status: 429, headers: { 'x-should-retry': 'false' } },
		'provider_rate_limited',
		false,
	],
	['408', status(408), 'provider_unavailable', true],
	['409', status(409), 'provider_unavailable', true],
	['500', status(500), 'provider_unavailable', true],
	['503', status(503), 'provider_unavailable', true],
	['529', status(529), 'provider_unavailable', true],
	['307', { status: 307, headers: { location: 'http://elsewhere.example/' } }, 'provider_unavailable', false],
	['400', status(400), 'agent_error', false],
	['404', status(404), 'agent_error', false],
	['413', status(413), 'agent_error', false],
	['422', status(422), 'agent_error', false],
	['garbage', 'garbage', 'provider_unavailable', false],
	['half a stream', 'half', 'provider_unavailable', true],
	['a stream cut off', 'cut', 'provider_unavailable', true],
	['an error within the stream', 'error', 'provider_unavailable', true],
	['an empty stream', 'empty', 'provider_unavailable', true],
	['a connection that is closed', 'reset', 'provider_unavailable', true],
	['silence', 'silence', 'provider_unavailable', true],
	['an answer without end', 'huge', 'provider_unavailable', false],
]

describe.each(interfaces)('$name', (which) => {
	// Proves: provider.failure-codes
	test.concurrent.each(failures)('%s ends as its code', async (name, fault, code, passing) => {
		const model = `${which.name} ${name}`
		at.server.scripts[model] = { text: 'Half of this is never said.', fault }
		const asked = () => at.server.requests.filter((request) => request.body.model === model).length
		// Silence alone is told by its time-out: a busy machine answers later than that, too.
		const call = callModel(
			at.request(which, model),
			at.context(fault === 'silence' ? { timeoutMs: 400 } : {}),
		)
		const error = await call.catch((reason: unknown) => reason)
		expect(error).toBeInstanceOf(ProviderError)
		expect(error).toMatchObject({ code, passing })
		// Twice where the connection was a kept one, which servers close when they have been idle.
		expect(fault === 'reset' ? [1, 2] : [1]).toContain(asked())
	})

	// Proves: provider.retry-after-told
	test('the wait that is asked for is told', async () => {
		const call = at.call(which, { fault: { status: 429, headers: { 'retry-after': '3' } } })
		await expect(call).rejects.toMatchObject({ passing: true, waitMs: 3_000 })
	})

	// Proves: provider.half-answer
	test('of an answer that breaks off, it is told what it has used', async () => {
		const text = 'Eight words that are not all said here.'
		const broken = at.call(which, { text, chunk: 4, fault: 'cut' }, {}, { onDelta: () => undefined })
		const { used } = (await broken.catch((reason: unknown) => reason)) as ProviderError
		expect(used?.input_tokens).toBeGreaterThan(0)
		expect(used?.output_tokens).toBeGreaterThan(0)
		expect(used?.output_tokens).toBeLessThan(text.length)
		const refused = at.call(which, { fault: status(503) })
		await expect(refused).rejects.toMatchObject({ passing: true, used: undefined })
	})

	// Proves: provider.failure-codes
	test("the provider's own words reach the owner", async () => {
		const body = { error: { type: 'invalid_request_error', message: 'the model needs a hat' } }
		const call = at.call(which, { fault: { status: 400, body } })
		await expect(call).rejects.toThrow('the provider answered 400: the model needs a hat')
	})

	// Proves: provider.failure-codes, credential.redacted
	test.each([
		[
			'text/plain; charset=utf-8',
			`no route to \u001b the model\nfor ${KEY}\n`,
			': no route to   the model for [redacted]',
		],
		['', 'upstream is away', ': upstream is away'],
		['text/plain', `${'x'.repeat(970)}${KEY}`, `: ${'x'.repeat(970)}[redacted]`],
		['text/plain', ' ', ''],
		['text/html', '<h1>Bad gateway</h1>', ''],
		['application/json', 'no JSON', ''],
		['text/plain', '{"error":{"message":"in JSON"}}', ': in JSON'],
	])('an error of type %j is told as far as it is words (%#)', async (type, body, told) => {
		const egress = answering(type, body, 502)
		const call = callModel(at.request(which, 'any'), at.context({ egress }))
		const { message } = (await call.catch((reason: unknown) => reason)) as ProviderError
		expect(message).toBe(`the provider answered 502${told}`.slice(0, 1000))
	})

	// Proves: provider.no-stream
	test.each([
		[
			{ error: { message: 'no such deployment', type: 'oops' } },
			'provider_unavailable',
			false,
			/error: no such deployment$/,
		],
		[
			{ error: { message: 'who are you', code: '401' } },
			'provider_auth_failed',
			false,
			/error: who are you$/,
		],
		[{ error: 'slow down', detail: 'x' }, 'provider_unavailable', false, /error: slow down$/],
		[{ error: { message: 'slow', type: 'rate_limit_error' } }, 'provider_rate_limited', true, /error: slow$/],
		[{ error: { message: 'busy', type: 'server_error' } }, 'provider_unavailable', true, /error: busy$/],
		[{ error: { message: 'busy', type: 'overloaded_error' } }, 'provider_unavailable', true, /error: busy$/],
		[{ error: { message: `${'x'.repeat(5000)}` } }, 'provider_unavailable', false, /error: x{500}$/],
		[
			{ id: 'a', object: 'chat.completion', choices: [] },
			'provider_unavailable',
			false,
			/a whole answer in JSON/,
		],
		[{ hello: 1 }, 'provider_unavailable', false, /type application\/json, which is no event stream/],
	])('an answer of 200 with %j in place of a stream says so', async (body, code, passing, message) => {
		const call = at.call(which, { fault: { status: 200, body } })
		await expect(call).rejects.toMatchObject({ code, passing, message: expect.stringMatching(message) })
	})

	// Proves: provider.no-stream
	test('a page of a browser in place of a stream is told by its type', async () => {
		const text = /content of type text\/html, which is no event stream; check base_url/
		await expect(at.call(which, { fault: 'garbage' })).rejects.toThrow(text)
	})

	// Proves: provider.no-stream
	test.each([
		'data: {"error":{"message":"no GPU left"}}\n\n',
		'data: {"error":"no GPU left"}\n\n',
		'event: error\ndata: {"message":"no GPU left"}\n\n',
	])('a stream that begins with an error says what it is: %j', async (sent) => {
		const call = callModel(
			at.request(which, 'any'),
			at.context({ egress: answering('text/event-stream', sent) }),
		)
		await expect(call).rejects.toThrow(/: no GPU left$/)
	})

	// Proves: provider.failure-codes, provider.not-retried
	test.each<[object, Code, passing: boolean, missing?: boolean]>([
		[{ type: 'invalid_request_error', code: null, message: 'no' }, 'agent_error', false],
		[{ type: 'invalid_request_error', code: 'unsupported_value', message: 'no' }, 'agent_error', false],
		[{ type: 'invalid_request_error', code: 'model_not_found', message: 'no' }, 'agent_error', false, true],
		[{ type: 'invalid_request_error', code: 'server_error', message: 'no' }, 'provider_unavailable', true],
		[{ type: 'authentication_error', message: 'no' }, 'provider_auth_failed', false],
		[{ type: 'tokens', code: 'rate_limit_exceeded', message: 'no' }, 'provider_rate_limited', true],
		[{ type: 'x', code: 'insufficient_quota', message: 'no' }, 'provider_rate_limited', false],
		[{ type: 'x', code: 400, message: 'no' }, 'agent_error', false],
		[{ code: 'image_too_large', message: 'no' }, 'agent_error', false],
		[{ type: 'overloaded_error', code: 'constructor', message: 'no' }, 'provider_unavailable', true],
		[{ type: 'invalid_request_error', message: { detail: 'no' } }, 'agent_error', false],
	])(
		'a failure within a stream is known by its code or else by its type: %j',
		async (error, code, passing, missing = false) => {
			const sent = inStream(which, error)
			for (const events of sent) {
				const egress = answering('text/event-stream', events)
				const call = callModel(at.request(which, 'any'), at.context({ egress }))
				await expect(call).rejects.toMatchObject({
					code,
					passing,
					missing,
					message: /failed within its answer: .*no/,
				})
			}
		},
	)

	// Proves: provider.slow-steady
	test('a slow but steady answer is waited for', async () => {
		const result = await at.call(which, { text: 'Slow.', dripMs: 350, chunk: 1 }, {}, { timeoutMs: 1_500 })
		expect(result.message.content).toBe('Slow.')
	})

	// Proves: credential.redacted
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
