// Every failure is a problem document, whatever is sent.
import { connect } from 'node:net'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Call, TestHost } from '../../kit/host.ts'
import { sharedHost } from '../../kit/shared-host.ts'

let host: TestHost
let token: string

beforeAll(async () => {
	host = await sharedHost()
	token = (await host.account()).token
})

afterAll(async () => {
	await host?.close()
})

const json = { 'content-type': 'application/json' }

// Proves: error.problem-json
test.each<[string, string, Call, number, string]>([
	['an unknown address', '/v1/nothing', {}, 404, 'not_found'],
	['another method', '/v1/account', { method: 'DELETE' }, 405, 'invalid_request'],
	['no JSON', '/v1/tokens', { body: '{"name":', headers: json }, 400, 'invalid_request'],
	['an empty body', '/v1/tokens', { method: 'POST', headers: json }, 400, 'invalid_request'],
	[
		'another media type',
		'/v1/tokens',
		{ body: 'name=x', headers: { 'content-type': 'text/csv' } },
		400,
		'invalid_request',
	],
	['a wrong type', '/v1/tokens', { json: { name: 7 } }, 400, 'invalid_request'],
	['an unknown member', '/v1/tokens', { json: { name: 'x', colour: 'red' } }, 400, 'invalid_request'],
	[
		'a prototype',
		'/v1/tokens',
		{ body: '{"__proto__":{"name":"x"}}', headers: json },
		400,
		'invalid_request',
	],
	['a bad query', '/v1/account/ledger?limit=0', {}, 400, 'invalid_request'],
	['an unknown parameter', '/v1/account/ledger?colour=red', {}, 400, 'invalid_request'],
	['two megabytes', '/v1/tokens', { json: { name: 'x'.repeat(2_000_000) } }, 413, 'payload_too_large'],
	['a bad escape', '/v1/%zz', {}, 400, 'invalid_request'],
	['a NUL in an address', '/d/a%00b/run', { json: {} }, 400, 'invalid_request'],
	[
		'a time whose year has five digits in UTC',
		'/v1/tokens',
		{ json: { name: 'x', expires_at: '9999-12-31T23:59:59-14:00' } },
		400,
		'invalid_request',
	],
	[
		'a time before the year 1 in UTC',
		'/v1/audit?since=0001-01-01T00:00:00%2B14:00',
		{},
		400,
		'invalid_request',
	],
])('a problem names what is wrong when %s is sent', async (_what, path, call, status, code) => {
	const answer = await host.call(path, { token, ...call })
	expect(answer.headers.get('content-type')).toMatch(/^application\/problem\+json\b/)
	expect(answer.body).toEqual({
		type: `urn:berth:problem:${code}`,
		title: expect.any(String),
		status,
		detail: expect.any(String),
		instance: path.split('?')[0],
		code,
		request_id: expect.stringMatching(/^req_[0-9a-z]{26}$/),
		...(answer.body.errors !== undefined && { errors: expect.any(Array) }),
	})
	expect(answer.status).toBe(status)
})

// Proves: error.fields-named
test('each field at fault is named with its pointer', async () => {
	const { body } = await host.call('/v1/tokens', {
		token,
		json: { name: '', expires_at: 'soon', a: { b: 1 } },
	})
	const paths = (body.errors as { path: string; message: string }[]).map(({ path }) => path)
	expect(paths.sort()).toEqual(['/a', '/expires_at', '/name'])
})

// Proves: error.own-words
test.each<[string, string, Call, string]>([
	[
		'no body',
		'/v1/tokens',
		{ method: 'POST', headers: json },
		'The request: the body is empty; send a JSON object',
	],
	['an empty name', '/v1/tokens', { json: { name: ' ' } }, '/name: must not be empty'],
	['no name', '/v1/tokens', { json: {} }, '/name: is missing'],
	['a number twice', '/v1/account/ledger?limit=1&limit=2', {}, '/limit: was given more than once'],
	['a text twice', '/v1/deployments?name=a&name=b', {}, '/name: was given more than once'],
	['no number', '/v1/account/ledger?limit=x', {}, '/limit: must be a number'],
])('%s is told in words', async (_what, path, call, detail) => {
	expect(await host.call(path, { token, ...call })).toMatchObject({
		status: 400,
		body: { code: 'invalid_request', detail },
	})
})

// Proves: error.hidden-in-name
test.each(['a\u202eb', 'a\u200bb', 'a\u2066b', 'a\u0007b'])(
	'a name with what is not seen is refused',
	async (name) => {
		expect(await host.call('/v1/tokens', { token, json: { name } })).toMatchObject({
			status: 400,
			body: { detail: '/name: holds a control or invisible character' },
		})
	},
)

// Proves: error.content-encoding
test.each(['/v1/tokens', '/v1/session', '/d/none/run', '/d/none/files', '/mcp', '/token', '/register'])(
	'%s takes no body with a Content-Encoding',
	async (path) => {
		const send = (encoding: string, type = 'application/json') =>
			fetch(host.url + path, {
				method: 'POST',
				headers: { authorization: `Bearer ${token}`, 'content-type': type, 'content-encoding': encoding },
				body: '{}',
			})
		expect((await send('identity')).status).not.toBe(415)
		const refused = await send('gzip')
		// The guard's own addresses ask for another token first.
		if (path === '/mcp') return expect(refused.status).toBe(401)
		expect([refused.status, await refused.text()]).toEqual([
			415,
			expect.stringContaining('send it uncompressed'),
		])
		if (path.startsWith('/v1/tokens'))
			expect(
				(await fetch(host.url + path, { method: 'POST', headers: { 'content-encoding': 'gzip' } })).status,
			).toBe(401)
	},
)

// Proves: error.method-not-allowed
test('an address that takes another method says which', async () => {
	const answer = await host.call('/v1/tokens', { token, method: 'PUT', json: {} })
	expect(answer.headers.get('allow')).toBe('GET, POST')
})

// Proves: error.no-foreign-origin
test('a page of another origin may not read answers of the API', async () => {
	const headers = { origin: 'https://evil.example' }
	const answer = await host.call('/v1/account', { token, headers })
	expect([answer.status, answer.headers.get('access-control-allow-origin')]).toEqual([200, null])
})

test.each(['/healthz', '/nothing', '/%zz'])(
	'answers of the API are not sniffed, framed, referred or stored: %s',
	async (path) => {
		const { headers } = await host.call(path)
		expect(Object.fromEntries(headers)).toMatchObject({
			'x-content-type-options': 'nosniff',
			'referrer-policy': 'no-referrer',
			'x-frame-options': 'DENY',
			'cache-control': 'no-store',
		})
	},
)

/** All that is answered to these bytes until the connection ends. `late`: sent when an answer begins. */
async function said(bytes: string, late = ''): Promise<string> {
	const { hostname, port } = new URL(host.url)
	const socket = connect(Number(port), hostname)
	return await new Promise<string>((resolve, reject) => {
		let text = ''
		socket.setTimeout(10_000, () => reject(new Error('left open')))
		socket.on('data', (chunk) => {
			text += chunk
		})
		socket.once('data', () => socket.write(late))
		socket.on('close', () => resolve(text))
		socket.on('error', reject)
		socket.write(bytes)
	})
}

// Proves: error.slow-connection
test.each([
	['no HTTP', 'NONSENSE\r\n\r\n', 400],
	['a CONNECT', 'CONNECT example.com:443 HTTP/1.1\r\nHost: example.com:443\r\n\r\n', 405],
	['a head over 16 KiB', `GET /healthz HTTP/1.1\r\nHost: a\r\nX: ${'x'.repeat(20_000)}\r\n\r\n`, 431],
	...['GET /healthz', 'POST /mcp', 'POST /token', 'POST /v1/tokens', 'POST /d/a/run', 'GET /nothing'].flatMap(
		(what): [string, string, number][] => [
			[`${what} without a Host header`, `${what} HTTP/1.1\r\n\r\n`, 400],
			[`${what} with two Host headers`, `${what} HTTP/1.1\r\nHost: a\r\nhOST: a\r\n\r\n`, 400],
		],
	),
])('a connection that sends %s gets a problem and is closed', async (_what, bytes, status) => {
	const [head = '', body = ''] = (await said(bytes)).split('\r\n\r\n')
	expect(head).toMatch(new RegExp(`^HTTP/1.1 ${status} `))
	expect(head.toLowerCase().split('\r\n')).toEqual(
		expect.arrayContaining([
			'connection: close',
			expect.stringMatching(/^content-type: application\/problem\+json\b/),
			'x-content-type-options: nosniff',
		]),
	)
	expect(JSON.parse(body)).toMatchObject({ status, code: expect.any(String), request_id: expect.any(String) })
})

test.each(['[]', 'null', '{"a'])(
	'a connection that asks to be closed is, when its body is %s',
	async (body) => {
		const headers = `Host: a\r\nAuthorization: Bearer ${token}\r\nContent-Type: application/json\r\nConnection: close`
		// Resolves when the host has closed it.
		const answer = await said(
			`POST /v1/tokens HTTP/1.1\r\n${headers}\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
		)
		expect(answer).toMatch(/^HTTP\/1.1 400 [\s\S]*\r\nconnection: close\r\n/i)
	},
)

// Proves: error.slow-connection
test.each([
	['has no token', '', 401],
	['is too large', 'Authorization: Bearer TOKEN\r\n', 413],
])('a request that %s is answered once, however its body goes on', async (_, header, status) => {
	const head = 'POST /v1/tokens HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\n'
	const chunk = `200000\r\n${'x'.repeat(0x20_00_00)}\r\n`
	const rest = `${header.replace('TOKEN', token)}Transfer-Encoding: chunked\r\n\r\n${chunk}`
	const text = await said(`${head}${rest}`, 'zz\r\n')
	expect(text.match(/HTTP\/1\.1 \d+/g)).toEqual([`HTTP/1.1 ${status}`])
})

test.each(['text/plain', 'application/x-www-form-urlencoded', 'application/xml'])(
	'a body of %s is refused by its type',
	async (type) => {
		const answer = await fetch(`${host.url}/v1/tokens`, {
			method: 'POST',
			headers: { authorization: `Bearer ${token}`, 'content-type': type },
			body: '{"name": "a"}',
		})
		expect([answer.status, ((await answer.json()) as { detail: string }).detail]).toEqual([
			400,
			'The body must be application/json; its Content-Type says something else.',
		])
	},
)

test('an expectation that nobody knows is ignored', async () => {
	const head = 'GET /healthz HTTP/1.1\r\nHost: a\r\nConnection: close\r\nExpect: a-miracle\r\n\r\n'
	expect(await said(head)).toMatch(/^HTTP\/1\.1 200 /)
})

// Proves: openapi.own-schemas
test('the OpenAPI document describes the routes by their own schemas', async () => {
	const { body } = await host.call<{
		openapi: string
		paths: Record<
			string,
			Record<string, { security?: unknown; requestBody?: unknown; parameters?: { name: string }[] }>
		>
		components: { schemas: Record<string, unknown> }
	}>('/openapi.json')
	expect(body.openapi).toBe('3.1.0')
	expect(body.paths['/v1/tokens']?.post).toMatchObject({
		security: [{ token: [] }],
		requestBody: {
			content: { 'application/json': { schema: { $ref: '#/components/schemas/CreateToken' } } },
		},
	})
	expect(body.paths['/v1/tokens']?.post?.parameters?.map(({ name }) => name)).toContain('Idempotency-Key')
	expect(body.paths['/v1/deployments/{id}']?.get?.parameters?.map(({ name }) => name)).toContain('id')
	const refs = JSON.stringify(body).match(/#\/components\/schemas\/(\w+)/g) ?? []
	const missing = refs
		.map((ref) => ref.split('/').at(-1) as string)
		.filter((name) => !(name in body.components.schemas))
	expect(missing).toEqual([])
})
