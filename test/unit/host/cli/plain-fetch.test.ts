import { execFile } from 'node:child_process'
import { createServer, type RequestListener } from 'node:http'
import { type AddressInfo, createServer as createTcpServer, type Socket } from 'node:net'
import { text } from 'node:stream/consumers'
import { promisify } from 'node:util'
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib'
import { expect, onTestFinished, test } from 'vitest'
import { version } from '../../../../host/lib/root.ts'
import { plainFetch } from '../../../../host/owner/cli/plain-fetch.ts'
import { createClient } from '../../../../host/owner/client/index.ts'

async function served(answer: RequestListener): Promise<string> {
	const server = createServer(answer)
	await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
	onTestFinished(() => {
		server.closeAllConnections()
		server.close()
	})
	return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
}

test.each([
	['GET', undefined, undefined],
	['POST', undefined, '0'],
	['POST', '{"a":"ä"}', '10'],
	['DELETE', new TextEncoder().encode('x').buffer, '1'],
])('sends %s with %j as it is, and gives back what the client reads', async (method, body, length) => {
	const url = await served(async (request, response) => {
		const sent = [request.method, request.headers['content-length'], request.headers.accept]
		response.writeHead(201, { 'X-Body': encodeURIComponent(await text(request)) }).end(JSON.stringify(sent))
	})
	const answer = await plainFetch(url, {
		method,
		body: body ?? null,
		headers: { Accept: 'application/json' },
	})
	expect([answer.status, answer.ok, answer.url]).toEqual([201, true, url])
	expect(await answer.json()).toEqual([method, length ?? null, 'application/json'])
	const read = typeof body === 'string' ? body : body ? 'x' : ''
	expect([answer.headers.get('X-Body'), answer.headers.get('x-none')]).toEqual([
		encodeURIComponent(read),
		null,
	])
})

/** Answers each request with these bytes, and keeps the connection open. */
async function saying(bytes: string): Promise<string> {
	const open = new Set<Socket>()
	const server = createTcpServer((socket) => {
		open.add(socket.on('error', () => undefined))
		socket.once('data', () => socket.write(bytes))
	})
	await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
	onTestFinished(() => {
		for (const socket of open) socket.destroy()
		server.close()
	})
	return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

test('names itself, and asks for an answer that is not encoded', async () => {
	const url = await served(({ headers }, response) => {
		response.end(JSON.stringify([headers['user-agent'], headers['accept-encoding']]))
	})
	expect(await (await plainFetch(url)).json()).toEqual([`berth/${version}`, 'identity'])
})

test.each([
	['gzip', gzipSync],
	['X-GZIP', gzipSync],
	['deflate', deflateSync],
	['br', brotliCompressSync],
	['identity', Buffer.from],
] as [string, (text: string) => Buffer][])(
	'reads an answer that a proxy encodes as %s',
	async (name, encode) => {
		const url = await served((_, response) => {
			response.writeHead(200, { 'content-encoding': name }).end(encode('{"a":"ä"}'))
		})
		expect(await (await plainFetch(url)).json()).toEqual({ a: 'ä' })
	},
)

test('an encoding that it cannot read is named; an answer without a body has none', async () => {
	const url = await served(({ method }, response) => {
		response.writeHead(200, { 'content-encoding': 'zstd' }).end(method === 'GET' ? 'x' : '')
	})
	expect(await (await plainFetch(url, { method: 'POST' })).text()).toBe('')
	await expect(createClient({ baseUrl: url, fetch: plainFetch }).account.get()).rejects.toMatchObject({
		message: expect.stringContaining('its answer is encoded as zstd, which was not asked for'),
	})
})

test('reads JSON that begins with a byte order mark', async () => {
	const url = await served((_, response) => void response.end('\ufeff{"a":1}'))
	expect(await (await plainFetch(url)).json()).toEqual({ a: 1 })
})

test.each(['Connection: Upgrade\r\nUpgrade: websocket\r\n', ''])(
	'an answer with 101 and %j is that of a wrong host, and leaves no connection',
	async (headers) => {
		const url = await saying(`HTTP/1.1 101 Switching Protocols\r\n${headers}\r\n`)
		const program = `const { plainFetch } = await import('./host/owner/cli/plain-fetch.ts')
const { createClient } = await import('./host/owner/client/index.ts')
console.log(await createClient({ baseUrl: '${url}', fetch: plainFetch }).account.get().catch(({ message }) => message))`
		const args = ['--input-type=module', '-e', program]
		const { stdout } = await promisify(execFile)(process.execPath, args)
		expect(stdout).toBe(`${url}/v1/account answered 101 without a problem document\n`)
	},
)

test.each([
	['HTTP/1.1 103 Early Hints\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n'],
	['HTTP/1.1 200 OK\r\nConnection: Upgrade\r\nUpgrade: h2c\r\nContent-Length: 2\r\n\r\n'],
])('takes the answer in %j', async (head) => {
	expect(await (await plainFetch(await saying(`${head}ok`))).text()).toBe('ok')
})

test.each([
	['SSH-2.0-none\r\n\r\n', 'HPE_INVALID_CONSTANT'],
	['HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nno chunk\r\n', 'ECONNRESET'],
])('fails at once where %j comes', async (bytes, code) => {
	await expect(plainFetch(await saying(bytes))).rejects.toMatchObject({ cause: { code } })
})

test('a signal ends a call whose body does not come', async () => {
	const url = await saying('HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhalf')
	const name = 'TimeoutError'
	await expect(plainFetch(url, { signal: AbortSignal.timeout(50) })).rejects.toMatchObject({ name })
})

test('follows no redirect, and calls no address with a password', async () => {
	const asked: (string | undefined)[] = []
	const url = await served((request, response) => {
		asked.push(request.url)
		response.writeHead(307, { location: '/elsewhere' }).end()
	})
	const init = { headers: { Authorization: 'Bearer t' } }
	expect(await plainFetch(url, init)).toMatchObject({ status: 307, ok: false })
	await expect(plainFetch(url.replace('//', '//user:word@'), init)).rejects.toThrow(TypeError)
	expect(asked).toEqual(['/'])
})

test('fails as the built-in fetch does: a broken connection as its cause, a signal by its reason', async () => {
	const url = await served((_, response) => {
		response.writeHead(200, { 'content-length': '9' }).write('half')
		setTimeout(() => response.destroy(), 5)
	})
	const broken = await plainFetch(url).catch((error: unknown) => error)
	expect(broken).toBeInstanceOf(TypeError)
	expect(broken).toMatchObject({ cause: { code: 'ECONNRESET' } })
	const closed = await served(({ socket }) => void socket.end())
	await expect(plainFetch(closed)).rejects.toMatchObject({ cause: { code: 'ECONNRESET' } })
	const silent = await served(() => {})
	await expect(plainFetch(silent, { signal: AbortSignal.timeout(5) })).rejects.toMatchObject({
		name: 'TimeoutError',
	})
	const given = new Error('given up')
	await expect(plainFetch(silent, { signal: AbortSignal.abort(given) })).rejects.toBe(given)
})

test('loads neither the built-in fetch nor what decodes', async () => {
	const url = await served((_, response) => void response.end('whole'))
	const program = `const { plainFetch } = await import('./host/owner/cli/plain-fetch.ts')
const said = await (await plainFetch('${url}')).text()
console.log(said, process.moduleLoadList.filter((name) => /undici|zlib/.test(name)).length)`
	const args = ['--input-type=module', '-e', program]
	expect((await promisify(execFile)(process.execPath, args)).stdout).toBe('whole 0\n')
})
