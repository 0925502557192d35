import { execFile } from 'node:child_process'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { promisify } from 'node:util'
import { expect, onTestFinished, test } from 'vitest'
import { plainFetch } from '../../../../host/owner/cli/plain-fetch.ts'

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
	const silent = await served(() => {})
	await expect(plainFetch(silent, { signal: AbortSignal.timeout(5) })).rejects.toMatchObject({
		name: 'TimeoutError',
	})
	const given = new Error('given up')
	await expect(plainFetch(silent, { signal: AbortSignal.abort(given) })).rejects.toBe(given)
})

test('loads no built-in fetch', async () => {
	const url = await served((_, response) => void response.end('whole'))
	const program = `const { plainFetch } = await import('./host/owner/cli/plain-fetch.ts')
const said = await (await plainFetch('${url}')).text()
console.log(said, process.moduleLoadList.filter((name) => name.includes('undici')).length)`
	const args = ['--input-type=module', '-e', program]
	expect((await promisify(execFile)(process.execPath, args)).stdout).toBe('whole 0\n')
})
