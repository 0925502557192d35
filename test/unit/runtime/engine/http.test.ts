import { expect, test } from 'vitest'
import {
	type BodyReader,
	type Egress,
	EgressError,
	type EgressRequest,
	type ResponseHead,
} from '../../../../runtime/egress/index.ts'
import { takeResponse } from '../../../../runtime/process/engine/limits.ts'
import type { Run } from '../../../../runtime/process/engine/run.ts'
import type { Entry } from '../../../../runtime/wire/journal.ts'
import { digestOf } from '../../../../runtime/wire/recorded-effect.ts'
import { type Program, still, type World, type WorldOptions, world, YAML } from '../../../kit/engine/fakes.ts'

// `ctx.http` as the engine makes of it requests, entries of the journal, and replies.

const HTTP = `${YAML}http:
  https://api.example.com:
    methods: [GET, POST]
    headers: { Authorization: 'Bearer {{secret.crm}}', X-Api: '2' }
  https://pay.example.com: { methods: [POST], idempotent: true }
`
const SECRET = 'sk-http:crm'

interface Sent extends EgressRequest {
	url: string
}
type Answer = (sent: Sent, n: number) => Partial<ResponseHead> & { body?: string | Buffer }

/** An egress that answers, and keeps what was sent. */
function origins(answer: Answer = () => ({})) {
	const sent: Sent[] = []
	const stream = async (url: string | URL, request: EgressRequest, reader: BodyReader) => {
		sent.push({ ...request, url: String(url) })
		const { status = 200, headers = {}, body = '' } = answer(sent.at(-1) as Sent, sent.length)
		reader.onHead?.({ status, headers })
		reader.onChunk(Buffer.from(body))
		return { status, headers }
	}
	return { sent, egress: { stream } as unknown as Egress }
}

/** What a program gets of one request: the reply, or the refusal. */
async function asked(args: object, answer?: Answer, more: Partial<WorldOptions> = {}) {
	const { sent, egress } = origins(answer)
	const at = world({
		yaml: HTTP,
		program: async (guest) => {
			try {
				return JSON.stringify(await guest.effect('http', args))
			} catch (error) {
				return JSON.stringify({ ...(error as object), message: (error as Error).message })
			}
		},
		services: { egress },
		...more,
	})
	const end = await at.begin()
	const output = end.outcome.status === 'succeeded' ? JSON.parse(JSON.parse(end.outcome.output)) : null
	return { ...at, ...end, sent, output }
}
const get = (more: object = {}) => ({ url: 'https://api.example.com/a?b=c', ...more })
const types = (entries: Entry[]) => entries.map(({ type }) => type)

// Proves: http.secret-placed, http.events
test('a request goes out with the headers of agent.yaml, the secret in them, and is an event', async () => {
	const { sent, output, entries, usage } = await asked(
		{ ...get(), method: 'post', headers: { 'X-Mine': '1' }, body: 'hello' },
		() => ({ status: 201, headers: { 'content-type': 'text/plain', 'set-cookie': ['a=b'] }, body: 'made' }),
	)
	expect(sent).toMatchObject([
		{
			url: 'https://api.example.com/a?b=c',
			method: 'POST',
			body: 'hello',
			headers: {
				authorization: `Bearer ${SECRET}`,
				'x-api': '2',
				'x-mine': '1',
				'accept-encoding': 'identity',
				'content-type': 'text/plain;charset=UTF-8',
			},
		},
	])
	expect(sent[0]?.headers).not.toHaveProperty('idempotency-key')
	expect(output).toEqual({ status: 201, headers: { 'content-type': 'text/plain' }, text: 'made' })
	expect(entries.slice(1, 3)).toMatchObject([
		{
			type: 'http.started',
			data: { call: 1, method: 'POST', url: 'https://api.example.com/a?b=c', body: 'hello' },
		},
		{ type: 'http.completed', data: { call: 1, status: 201, bytes: 4, body: 'made' } },
	])
	expect(usage.http_calls).toBe(1)
	expect(JSON.stringify(entries)).not.toContain(SECRET)
})

// Proves: http.secret-echoed
test('a secret that comes back is taken out of headers, text and bytes', async () => {
	const { output } = await asked(get(), () => ({
		headers: { 'x-echo': `Bearer ${SECRET}` },
		body: JSON.stringify({ raw: SECRET, hex: Buffer.from(SECRET).toString('hex') }),
	}))
	expect(output.headers).toEqual({ 'x-echo': 'Bearer [redacted]' })
	expect(JSON.parse(output.text)).toEqual({ raw: '[redacted]', hex: '[redacted]' })
	const bytes = await asked(get(), () => ({ body: Buffer.from(`\xff${SECRET}\xfe`, 'latin1') }))
	expect(Buffer.from(bytes.output.base64, 'base64').toString('latin1')).toBe('\xff[redacted]\xfe')
})

// Proves: http.refused, http.secret-named
test.each<[string, object, string]>([
	['another origin', { url: 'https://api.example.com.evil.example/' }, 'http_origin_refused'],
	['another port', { url: 'https://api.example.com:8443/' }, 'http_origin_refused'],
	['another scheme', { url: 'http://api.example.com/' }, 'http_origin_refused'],
	['another method', get({ method: 'DELETE' }), 'http_method_refused'],
	['a header that agent.yaml sets', get({ headers: { AUTHORIZATION: 'x' } }), 'http_header_refused'],
	['a header that Berth sets', get({ headers: { host: 'x' } }), 'http_header_refused'],
	['a header twice', get({ headers: { a: '1', A: '2' } }), 'http_header_refused'],
	['a secret in the URL', { url: 'https://api.example.com/{{secret.crm}}' }, 'http_secret_refused'],
	['an encoded one', { url: 'https://api.example.com/%7B%7Bsecret.crm}}' }, 'http_secret_refused'],
	['a secret in a header', get({ headers: { a: '{{ secret.crm }}' } }), 'http_secret_refused'],
	['a secret in the body', get({ method: 'POST', body: '{"a":"{{secret.crm}}"}' }), 'http_secret_refused'],
	[
		'a secret in bytes',
		get({ method: 'POST', base64: Buffer.from('{{secret.crm}}').toString('base64') }),
		'http_secret_refused',
	],
	['a user name', { url: 'https://me@api.example.com/' }, 'invalid_request'],
	['no URL', { url: 'api.example.com' }, 'invalid_request'],
	['no address', {}, 'invalid_request'],
	['a body where none goes', get({ body: 'x' }), 'invalid_request'],
	['two bodies', get({ method: 'POST', body: 'x', base64: 'eA==' }), 'invalid_request'],
	['bytes that are none', get({ method: 'POST', base64: '***' }), 'invalid_request'],
	['a line end in a header', get({ headers: { a: 'x\r\nb: c' } }), 'invalid_request'],
	['a time that is none', get({ timeout_ms: 'soon' }), 'invalid_request'],
	['a large body', get({ method: 'POST', body: 'x'.repeat(1024 * 1024 + 1) }), 'http_too_large'],
])('%s is refused by name, and nothing is sent', async (_, args, code) => {
	const { output, sent, entries, usage } = await asked(args)
	expect(output).toMatchObject({ code })
	expect([sent.length, usage.http_calls]).toEqual([0, 0])
	expect(entries[1]).toMatchObject({ type: 'http.completed', ok: false, data: { error: { code } } })
})

// Proves: http.redirect-refused
test('a redirect is refused by name, and its place is not told', async () => {
	const { output, sent } = await asked(get(), () => ({
		status: 302,
		headers: { location: `https://evil.example/?${SECRET}` },
	}))
	expect(output).toMatchObject({
		code: 'http_redirect_refused',
		message: expect.stringMatching(/answered 302, a redirect to another origin\./),
	})
	expect(sent).toHaveLength(1)
	expect((await asked(get(), () => ({ status: 304 }))).output).toMatchObject({ status: 304 })
})

// Proves: http.bounds
test('what the guard refuses, what is too large and what does not come is told by name', async () => {
	const failing = async (code: ConstructorParameters<typeof EgressError>[0]) =>
		(
			await asked(get(), () => {
				throw new EgressError(code, 'a reason')
			})
		).output
	expect(await failing('egress_refused')).toMatchObject({ code: 'http_address_refused' })
	expect(await failing('egress_too_large')).toMatchObject({
		code: 'http_too_large',
		message: expect.stringContaining('1024 KiB'),
	})
	for (const code of ['egress_unreachable', 'egress_timeout', 'egress_broken'] as const)
		expect(await failing(code)).toMatchObject({ code: 'http_unavailable' })
})

// Proves: http.bounds
test('requests have a count, and responses a size together', async () => {
	const many: Program = async (guest) => {
		for (;;) await guest.effect('http', get()).catch(() => undefined)
	}
	const yaml = `${HTTP}limits: { http_calls: 3 }\n`
	const counted = await asked({}, undefined, { program: many, yaml })
	expect(counted.outcome).toMatchObject({ error: { code: 'http_limit_reached' } })
	expect(counted.sent).toHaveLength(3)
	// What earlier attempts made counts.
	const entry = (n: number): Entry => ({
		...{
			seq: n + 1,
			at: Date.now(),
			type: 'http.started',
			effect: n,
			digest: digestOf('http', JSON.stringify(get())),
		},
		data: { method: 'GET', url: 'https://api.example.com/', repeatable: true },
	})
	const started: Entry = { seq: 1, at: Date.now(), type: 'run.started', data: {} }
	const { egress, sent } = origins()
	const again = world({ yaml, program: many, services: { egress } })
	const resumed = await again.begin({ attempt: 2, journal: [started, entry(1), entry(2)] })
	expect(resumed.outcome).toMatchObject({ error: { code: 'http_limit_reached' } })
	// Those of before were begun and not answered: they are made again.
	expect([sent.length, resumed.usage.http_calls]).toEqual([3, 5])
	const full = { httpChars: 64 * 1024 * 1024 - 2 } as Run
	expect(() => takeResponse(full, '12')).not.toThrow()
	expect(() => takeResponse(full, '3')).toThrow(/over 64 MiB together/)
})

// Proves: http.write-ahead
test('a request that is not safe waits for the journal, and one that is repeatable does not', async () => {
	const order: string[] = []
	const { egress } = origins(() => {
		order.push('sent')
		return {}
	})
	const at = (url: string, method: string) =>
		world({
			yaml: HTTP,
			program: async (guest) => {
				await guest.effect('http', { url, method })
				return 'done'
			},
			services: { ...still, egress },
		})
	const unsafe = at('https://api.example.com/', 'POST')
	unsafe.host.onCommit = (entries) => void order.push(...types(entries))
	expect((await unsafe.begin()).outcome.status).toBe('succeeded')
	expect(order).toEqual(['run.started', 'http.started', 'sent', 'http.completed', 'run.completed'])
	for (const [url, method] of [
		['https://api.example.com/', 'GET'],
		['https://pay.example.com/', 'POST'],
	] as const) {
		const { begin, host } = at(url, method)
		await begin()
		expect(host.commits).toHaveLength(1)
	}
})

// Proves: http.outcome-unknown
test('a request whose outcome nobody knows ends the run, unless it is repeatable', async () => {
	const broken = (url: string, method: string) =>
		asked({ url, method }, (_, n) => {
			if (n === 1) throw new EgressError('egress_broken', 'a reason')
			return { body: 'the second time' }
		})
	const repeated = await asked(get(), () => {
		throw Object.assign(new EgressError('egress_broken', 'a reason'), { repeated: true })
	})
	expect(repeated.sent).toHaveLength(1)
	const unsafe = await broken('https://api.example.com/', 'POST')
	expect(unsafe.outcome).toMatchObject({
		error: { code: 'outcome_unknown', message: expect.stringContaining('POST https://api.example.com') },
	})
	expect(unsafe.sent).toHaveLength(1)
	const unsent = await asked(get({ method: 'POST' }), () => {
		throw new EgressError('egress_timeout', 'a reason', { unsent: true })
	})
	expect(unsent.output).toMatchObject({ code: 'http_unavailable' })
	const safe = await broken('https://api.example.com/', 'GET')
	expect([safe.sent.length, safe.output.text]).toEqual([2, 'the second time'])
})

// Proves: http.secret-sealed
test('without its secret no run begins', async () => {
	const { outcome, sandboxes, sent } = await asked(get(), undefined, { missing: ['http:crm'] })
	expect(outcome).toMatchObject({
		error: {
			code: 'credentials_missing',
			message: expect.stringContaining('crm for https://api.example.com'),
		},
	})
	expect([sandboxes.jobs.length, sent.length]).toEqual([0, 0])
})

/** Reads, pays side by side with a reading, and orders; each answer goes into what is asked next. */
const rich: Program = async (guest) => {
	const ask = async (method: string, url: string, body?: string) =>
		((await guest.effect('http', { method, url, ...(body && { body }) })) as { text: string }).text
	const first = await ask('GET', 'https://api.example.com/first')
	const pair = await Promise.all([
		ask('POST', 'https://pay.example.com/pay', first),
		ask('GET', `https://api.example.com/${first.length}`),
	])
	const refused = await ask('DELETE', 'https://api.example.com/').catch(
		(error: { code: string }) => error.code,
	)
	return [first, ...pair, refused, await ask('POST', 'https://api.example.com/order', pair.join())].join('|')
}
const answering: Answer = ({ method, url, body = '' }) => ({
	body: `${method} ${new URL(url).pathname} ${body}`,
})
const keyOf = ({ headers }: Sent) => headers['idempotency-key']

// Proves: http.replayed, http.idempotency-key, http.outcome-unknown
test('a run cut at any entry of its journal goes on to the same output, and no answered request is made again', async () => {
	const calm = origins(answering)
	const options = (egress: Egress): WorldOptions => ({ yaml: HTTP, program: rich, services: { egress } })
	const { outcome, entries } = await world(options(calm.egress)).begin()
	expect(outcome.status).toBe('succeeded')
	const [paid] = calm.sent.filter(keyOf)
	expect([calm.sent.length, paid && keyOf(paid)]).toEqual([4, 'run_1-2'])
	const journal = entries.slice(0, -1)
	expect(journal).toHaveLength(10)
	for (let cut = 0; cut <= journal.length; cut++) {
		const prefix = journal.slice(0, cut)
		const again = origins(answering)
		const resumed = await (world(options(again.egress)) as World).begin({
			attempt: 2,
			epoch: 2,
			journal: prefix,
		})
		const open = prefix.at(-1)
		if (open?.type === 'http.started' && String(open.data.url).endsWith('/order')) {
			expect(resumed.outcome, `cut at ${cut}`).toMatchObject({ error: { code: 'outcome_unknown' } })
			expect(again.sent).toEqual([])
			continue
		}
		const answered = prefix.filter(({ type, ok }) => type === 'http.completed' && ok).length
		expect(resumed.outcome, `cut at ${cut}`).toEqual(outcome)
		expect(again.sent.length, `cut at ${cut}`).toBe(4 - answered)
		for (const one of again.sent.filter(keyOf)) expect(keyOf(one)).toBe('run_1-2')
	}
})
