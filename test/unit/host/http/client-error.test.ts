import { once } from 'node:events'
import { createServer, type RequestListener, type Server } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { afterEach, expect, test } from 'vitest'
import { refuseConnection } from '../../../../host/http/client-error.ts'

// What never becomes a request, over raw sockets.

let server: Server | undefined

afterEach(async () => {
	server?.closeAllConnections()
	await new Promise((resolve) => server?.close(resolve))
})

type From = 'connection' | 'request'

/**
 * All that is answered until both sides have closed the connection. `late`: sent when an answer begins; null hangs up.
 * `from`: the server waits for no more than 100 ms after that, and for ever where none is named.
 */
async function said(
	answer: RequestListener,
	first: string,
	late: string | null = '',
	from?: From,
): Promise<string> {
	const open = createServer({ headersTimeout: 0, requestTimeout: 0, connectionsCheckingInterval: 20 }, answer)
	server = open
	if (from) open.once(from, () => Object.assign(open, { headersTimeout: 100, requestTimeout: 100 }))
	server.on('clientError', refuseConnection({ 'x-frame-options': 'DENY' }))
	server.listen(0, '127.0.0.1')
	await once(server, 'listening')
	const socket = connect((server.address() as AddressInfo).port, '127.0.0.1')
	let text = ''
	socket.on('data', (data) => {
		text += data
	})
	socket.once('data', () => (late === null ? socket.end() : socket.write(late)))
	// Of a sender that goes on when the connection is closed.
	socket.on('error', () => {})
	socket.write(first)
	const [own] = await once(server, 'connection')
	await Promise.all([own, socket].map((side) => side.closed || once(side, 'close')))
	return text
}

const read: RequestListener = (request, response) => {
	request.on('end', () => response.end('read')).on('error', () => {})
	request.resume()
}
const post = (url: string, header: string, body = '') =>
	`POST ${url} HTTP/1.1\r\nHost: a\r\n${header}\r\n\r\n${body}`
const chunked = 'Transfer-Encoding: chunked'

type Case = [name: string, first: string, status: number, detail: string, at: string, from?: From]

// Proves: error.slow-connection
test.each<Case>([
	['a head that is not whole', 'GET / HTTP/1.1\r\nHo', 408, 'did not arrive in time', '', 'connection'],
	['a body that is not whole', post('/a?b=c', 'Content-Length: 9', 'abc'), 408, 'in time', '/a', 'request'],
	['a long head', `GET / HTTP/1.1\r\nX: ${'x'.repeat(200_000)}`, 431, '16384', ''],
	['no HTTP', 'hello\r\n\r\n', 400, 'Invalid method', ''],
	['two lengths', post('/', `Content-Length: 1\r\n${chunked}`), 400, 'Transfer-Encoding', ''],
	['a broken chunk', post('/', chunked, 'zz\r\n'), 400, 'chunk size', '/'],
	['a long chunk extension', post('/', chunked, `3;${'a'.repeat(20_000)}`), 413, 'chunk extensions', '/'],
])(
	'%s is answered with a problem, and the connection ends',
	async (_, first, status, detail, instance, from) => {
		const [head = '', body = ''] = (await said(read, first, '', from)).split('\r\n\r\n')
		expect(head).toMatch(new RegExp(`^HTTP/1.1 ${status} [A-Z]`))
		expect(head.split('\r\n')).toEqual(
			expect.arrayContaining([
				'connection: close',
				'content-type: application/problem+json',
				`content-length: ${Buffer.byteLength(body)}`,
				'x-frame-options: DENY',
			]),
		)
		const request_id = expect.stringMatching(/^req_[0-9a-z]{26}$/)
		expect(JSON.parse(body)).toMatchObject({
			status,
			instance,
			request_id,
			detail: expect.stringContaining(detail),
		})
	},
)

test('an answer that has begun is cut off, and nothing is written into it', async () => {
	const begun: RequestListener = (_, response) => {
		response.writeHead(200, { 'content-length': '50' }).write('begun')
	}
	const text = await said(begun, post('/', chunked), 'zz\r\n')
	expect(text).toMatch(/^HTTP\/1\.1 200 /)
	expect(text.split('\r\n\r\n')[1]).toBe('begun')
})

const early: RequestListener = (_, response) => response.writeHead(413).end('too large')

// Proves: error.slow-connection
test.each<[string, string | null, From?]>([
	['does not end in time', '', 'request'],
	['goes on with a broken chunk', 'zz\r\n'],
	['ends within its body', null],
])('a request that is answered already and %s gets no second answer', async (_, late, from) => {
	const text = await said(early, post('/', chunked, '3\r\nabc\r\n'), late, from)
	expect(text.match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 413'])
	expect(text).toContain('too large')
})

const get = (url: string) => `GET ${url} HTTP/1.1\r\nHost: a\r\n\r\n`

// Proves: error.slow-connection
test.each([1, 2])(
	'garbage behind %i whole requests ends the connection once they are answered',
	async (whole) => {
		const asked: string[] = []
		const answer: RequestListener = ({ url = '' }, response) => {
			asked.push(url)
			server?.once('clientError', () => response.end(url))
		}
		const first = ['/a', '/b'].slice(0, whole)
		const text = await said(answer, `${first.map(get).join('')}hello\r\n\r\n${get('/c')}`, get('/d'))
		const statuses = text.match(/HTTP\/1\.1 \d+/g)
		expect(statuses).toEqual([...first.map(() => 'HTTP/1.1 200'), 'HTTP/1.1 400'])
		expect(asked).toEqual(first)
	},
)

test('who hangs up within the head of the next request gets no answer to the one before', async () => {
	const hangUp: RequestListener = (_, response) => response.writeProcessing()
	expect(await said(hangUp, `${get('/run')}GET /`, null)).toBe('HTTP/1.1 102 Processing\r\n\r\n')
})

test('a request that becomes whole after it was refused is not begun', async () => {
	let requests = 0
	const text = await said(() => requests++, 'GET / HTTP/1.1\r\nHo', 'st: a\r\n\r\n', 'connection')
	expect(text).toMatch(/^HTTP\/1\.1 408 /)
	expect(requests).toBe(0)
})
