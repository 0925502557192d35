import { once } from 'node:events'
import { request } from 'node:http'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { TestAccount, TestHost } from '../../kit/host.ts'
import { sharedHost } from '../../kit/shared-host.ts'

// What is not well formed answers 400 and names the place, never a 500. Who brings no credential is told so before
// anything of the body is read.

let host: TestHost
let account: TestAccount

beforeAll(async () => {
	host = await sharedHost()
	account = await host.account()
})
afterAll(() => host.close())

// Proves: error.nul-in-address
test.each([
	'/d/%00',
	'/d/a%00b/runs',
	'/v1/deployments?cursor=%00',
	'/v1/deployments?name=%00',
	'/v1/runs?status=live&cursor=%00',
	'/v1/account/ledger?cursor=zzz',
])('%s answers 400 and names what is at fault', async (path) => {
	const { status, body } = await host.call(path, { token: account.token })
	expect(status).toBe(400)
	expect(body).toMatchObject({ code: 'invalid_request', errors: [{ path: expect.stringMatching(/^\//) }] })
})

// Proves: error.unstorable-text
test.each(['a\0b', 'half \ud800 pair'])(
	'a text that cannot be stored (%j) is refused with its pointer',
	async (name) => {
		const { status, body } = await host.call('/v1/tokens', { token: account.token, json: { name } })
		expect(status).toBe(400)
		expect(body).toMatchObject({ code: 'invalid_request', errors: [{ path: '/name' }] })
	},
)

test('a token that would have ended already is refused', async () => {
	const json = { name: 'late', expires_at: '2020-01-01T00:00:00Z' }
	const { status, body } = await host.call('/v1/tokens', { token: account.token, json })
	expect(status).toBe(400)
	expect(body).toMatchObject({ errors: [{ path: '/expires_at' }] })
})

// Proves: error.unauthenticated-first
test.each(['/v1/tokens', '/d/no-such/run', '/v1/deployments'])(
	'%s without a credential answers 401 before its body is looked at',
	async (path) => {
		const headers = { 'content-type': 'application/json' }
		const { status, headers: answered } = await host.call(path, { body: '{"no json', headers })
		expect(status).toBe(401)
		expect(answered.get('www-authenticate')).toMatch(/^Bearer/)
	},
)

// Proves: error.prototype-json
test.each(['{"name":"x","__proto__":{"a":1}}', '{"name":"x","constructor":{"prototype":{}}}'])(
	'JSON that would change what objects are is refused for that, and not as no JSON: %s',
	async (body) => {
		const headers = { 'content-type': 'application/json' }
		const answer = await host.call('/v1/tokens', { token: account.token, body, headers })
		expect(answer.status).toBe(400)
		expect(answer.body.detail).toMatch(/^A member of the body is named `__proto__`, or is a `constructor`/)
		const broken = await host.call('/v1/tokens', { token: account.token, body: `${body}}`, headers })
		expect(broken.body.detail).toMatch(/not valid JSON/)
	},
)

// Proves: error.unknown-member
test.each([
	'/v1/deployments/dep_x/start',
	'/v1/deployments/dep_x/stop',
	'/v1/deployments/dep_x/cancel',
	'/v1/deployments/dep_x/versions/1/activate',
	'/v1/deployments/dep_x/endpoints/end_x/ping',
	'/v1/deployments/dep_x/deliveries/dlv_x/redeliver',
	'/v1/runs/run_x/replay',
	'/d/no-such/runs/run_x/cancel',
])('a member that %s does not know is refused', async (path) => {
	const { status, body } = await host.call(path, { token: account.token, json: { force: true } })
	expect(status).toBe(400)
	expect(body).toMatchObject({ code: 'invalid_request', errors: [{ path: '/force' }] })
	for (const call of [{ method: 'POST' }, { json: {} }])
		expect((await host.call(path, { token: account.token, ...call })).status).toBe(404)
})

// Proves: error.body-utf8
test('a body that is not UTF-8 is refused, not mended', async () => {
	const body = new Uint8Array([...Buffer.from('{"name":"'), 0xc3, 0x28, ...Buffer.from('"}')])
	const headers = { 'content-type': 'application/json' }
	const answer = await host.call('/v1/tokens', { token: account.token, body, headers })
	expect(answer.status).toBe(400)
	expect(answer.body).toMatchObject({ code: 'invalid_request', detail: 'The body is not UTF-8.' })
})

// Proves: error.payload-too-large
test('a body that is too large answers 413 and names the limit', async () => {
	const json = { name: 'x'.repeat(1024 * 1024) }
	const { status, body } = await host.call('/v1/tokens', { token: account.token, json })
	expect(status).toBe(413)
	expect(body).toMatchObject({ code: 'payload_too_large', detail: expect.stringContaining('1048576 bytes') })
})

test('whoever still sends a body that is refused reads the answer, not a broken pipe', async () => {
	const body = Buffer.alloc(20 * 1024 * 1024, 'x')
	for (let n = 0; n < 10; n++) {
		for (const [credential, expected] of [
			[{ authorization: `Bearer ${account.token}` }, 413],
			[{}, 401],
			[{ authorization: `Bearer ${changed(account.token)}` }, 401],
		] as const) {
			const call = request(`${host.url}/v1/tokens`, {
				method: 'POST',
				headers: { ...credential, 'content-type': 'application/json' },
			})
			call.end(body)
			const [response] = await once(call, 'response')
			response.resume()
			expect(response.statusCode).toBe(expected)
			await once(response, 'end')
		}
	}
})

// Proves: error.no-store
test('an answer that shows a secret once is kept by no cache', async () => {
	const { status, headers } = await host.call('/v1/tokens', { token: account.token, json: { name: 'one' } })
	expect(status).toBe(201)
	expect(headers.get('cache-control')).toBe('no-store')
})

test.each([101, 2_000, 12_000])(
	'an address with %i letters in its place is like any that is nowhere',
	async (letters) => {
		const long = 'a'.repeat(letters)
		for (const path of [
			`/d/${long}`,
			`/d/x/credentials/${long}`,
			`/d/x/runs/${long}`,
			`/v1/deployments/${long}`,
		]) {
			expect((await host.call(path)).status).toBe(401)
			expect((await host.call(path, { token: account.token })).status).toBe(404)
		}
		expect((await host.call(`/${long}`)).status).toBe(404)
		expect(host.logs().filter((line) => line.includes('request failed'))).toEqual([])
	},
)

const jsonPosts = [
	'/v1/tokens',
	'/v1/deployments/dep_x/start',
	'/v1/session',
	'/d/no-such/run',
	'/v1/admin/accounts',
]

// Proves: error.json-object-only
test.each(jsonPosts)('%s takes no JSON but an object', async (path) => {
	const token = path.includes('/admin/') ? host.operator : account.token
	for (const body of ['null', '[]', '"text"', '1', 'true']) {
		const answer = await host.call(path, { token, body, headers: { 'content-type': 'application/json' } })
		expect(answer.status, body).toBe(400)
		expect(answer.body).toMatchObject({ code: 'invalid_request', detail: 'The body must be a JSON object.' })
	}
})

/** Its last letter is another one. */
const changed = (token: string) => `${token.slice(0, -1)}${token.endsWith('x') ? 'y' : 'x'}`

// Proves: error.unauthenticated-first
test.each([
	'/v1/tokens',
	'/v1/deployments',
	'/d/no-such/run',
	'/v1/admin/accounts',
	'/d/no-such/credentials/provider',
])('%s with a credential that is not valid answers 401 whatever its body is', async (path) => {
	const method = path.includes('credentials') ? 'PUT' : 'POST'
	const bodies = ['{"no json', 'null', '{"unknown": 1}', 'x'.repeat(1_100_000)]
	for (const [body, type] of [...bodies.map((body) => [body, 'application/json']), ['x', 'text/csv']]) {
		for (const token of ['nonsense', changed(account.token)]) {
			const answer = await host.call(path, {
				method,
				token,
				body,
				headers: { 'content-type': type as string },
			})
			expect([answer.status, answer.body.code], `${type} ${body?.slice(0, 20)}`).toEqual([
				401,
				'unauthenticated',
			])
		}
	}
})

// Proves: error.deep-body
test('a body that nests without end is refused, whatever looks at it first', async () => {
	const deep = `${'['.repeat(100_000)}${']'.repeat(100_000)}`
	const body = `{"cron":"* * * * *","inputs":{"x":${deep}}}`
	const headers = { 'content-type': 'application/json', 'idempotency-key': 'deep' }
	for (const path of ['/v1/deployments/dep_x/schedules', '/v1/tokens', '/d/no-such/run']) {
		const { status } = await host.call(path, { token: account.token, body, headers })
		expect([400, 404]).toContain(status)
	}
	const { body: answer } = await host.call('/v1/deployments/dep_x/schedules', {
		token: account.token,
		body,
		headers,
	})
	expect(answer).toMatchObject({ code: 'invalid_request', detail: 'The body is nested over 192 deep.' })
})
