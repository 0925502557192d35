import { createServer, type RequestListener, type Server } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import { setImmediate } from 'node:timers/promises'
import { afterEach, describe, expect, test } from 'vitest'
import {
	createEgress,
	createFetch,
	type Egress,
	EgressError,
	type EgressOptions,
} from '../../../../runtime/egress/index.ts'

const bounds = { headersMs: 5_000, idleBodyMs: 5_000, maxBytes: 1024 * 1024 }
const get = { ...bounds, method: 'GET' as const, headers: {} }

const stops: (() => Promise<unknown>)[] = []
afterEach(async () => {
	for (const stop of stops.splice(0).reverse()) await stop()
})

async function listen(onRequest: RequestListener, host = '127.0.0.1') {
	const sockets = new Set<Socket>()
	const server: Server = createServer(onRequest)
	server.on('connection', (socket) => sockets.add(socket))
	await new Promise<void>((resolve) => server.listen(0, host, resolve))
	const { port } = server.address() as AddressInfo
	stops.push(async () => {
		server.closeAllConnections()
		await new Promise((resolve) => server.close(resolve))
	})
	return { port, sockets, server, url: `http://127.0.0.1:${port}` }
}

function egressWith(options: Partial<EgressOptions> = {}): Egress {
	const egress = createEgress({ allow: [], ...options })
	stops.push(() => egress.close())
	return egress
}

const codeOf = (call: Promise<unknown>): Promise<string> => call.then(() => 'ok', codeOfError)
const codeOfError = (error: unknown) => (error instanceof EgressError ? error.code : `${error}`)

describe('the guard', () => {
	// Proves: egress.not-public-refused
	test('refuses every spelling of an address that is not public, and nothing reaches the listener', async () => {
		let requests = 0
		const { port, sockets } = await listen((_request, response) => {
			requests++
			response.end('reached')
		})
		const egress = egressWith()
		const forms = [
			`http://127.0.0.1:${port}/`,
			`http://127.1:${port}/`,
			`http://127.0.0.1.:${port}/`,
			`http://2130706433:${port}/`,
			`http://0x7f000001:${port}/`,
			`http://0x7f.1:${port}/`,
			`http://0177.0.0.1:${port}/`,
			`http://017700000001:${port}/`,
			`http://127.0.0.1:${port}`,
			`http://0.0.0.0:${port}/`,
			`http://0:${port}/`,
			`http://[::1]:${port}/`,
			`http://[::]:${port}/`,
			`http://[::ffff:127.0.0.1]:${port}/`,
			`http://[::ffff:7f00:1]:${port}/`,
			`http://[64:ff9b::127.0.0.1]:${port}/`,
			`http://[2002:7f00:1::]:${port}/`,
			`http://[::127.0.0.1]:${port}/`,
			`http://localhost:${port}/`,
			`http://LOCALHOST:${port}/`,
			`http://user:password@127.0.0.1:${port}/`,
			'http://169.254.169.254/latest/meta-data/',
			'http://[fe80::1%25lo]/',
			`http://[fe80::1]:${port}/`,
			'http://10.0.0.1/',
			'http://[fd00::1]/',
			'file:///etc/passwd',
			'ftp://127.0.0.1/',
			'data:text/plain,x',
			'no url',
		]
		const codes = await Promise.all(forms.map((form) => codeOf(egress.text(form, get))))
		expect(Object.fromEntries(forms.map((form, i) => [form, codes[i]]))).toEqual(
			Object.fromEntries(forms.map((form) => [form, 'egress_refused'])),
		)
		// Where the resolver knows it at all.
		expect(await codeOf(egress.text(`http://localhost.:${port}/`, get))).toMatch(
			/^egress_(refused|unreachable)$/,
		)
		expect({ requests, sockets: sockets.size }).toEqual({ requests: 0, sockets: 0 })
	})

	// Proves: egress.allowed-port
	test('lets through exactly the port that is allowed', async () => {
		const open = await listen((_request, response) => response.end('open'))
		const shut = await listen((_request, response) => response.end('shut'))
		const egress = egressWith({ allow: [`127.0.0.1:${open.port}`] })
		expect((await egress.text(open.url, get)).text).toBe('open')
		expect(await codeOf(egress.text(shut.url, get))).toBe('egress_refused')
	})

	// Proves: egress.checked-is-connected
	test('connects to the address it checked when a name answers otherwise the second time', async () => {
		const { port, sockets } = await listen((_request, response) => response.end('reached'))
		const answers = ['192.0.2.1', '127.0.0.1', '127.0.0.1']
		const asked: string[] = []
		const egress = egressWith({
			allow: ['192.0.2.1'],
			connectMs: 300,
			lookup: async (host) => {
				asked.push(host)
				return [{ address: answers[asked.length - 1] ?? '127.0.0.1', family: 4 }]
			},
		})
		const url = `http://rebind.example:${port}/`
		const first = await codeOf(egress.text(url, { ...get, headersMs: 400 }))
		expect(['egress_unreachable', 'egress_timeout']).toContain(first)
		expect(asked).toEqual(['rebind.example'])
		expect(await codeOf(egress.text(url, get))).toBe('egress_refused')
		expect(sockets.size).toBe(0)
	})

	// Proves: egress.mixed-names
	test('drops the private addresses of a name that has both kinds, and refuses where none is left', async () => {
		const { port, sockets } = await listen((_request, response) => response.end('reached'))
		const both = egressWith({
			allow: ['192.0.2.1'],
			connectMs: 300,
			lookup: async () => [
				{ address: '127.0.0.1', family: 4 },
				{ address: '192.0.2.1', family: 4 },
			],
		})
		expect(await codeOf(both.text(`http://both.example:${port}/`, { ...get, headersMs: 400 }))).not.toBe('ok')
		const mapped = egressWith({ lookup: async () => [{ address: '::ffff:127.0.0.1', family: 6 }] })
		expect(await codeOf(mapped.text(`http://mapped.example:${port}/`, get))).toBe('egress_refused')
		expect(sockets.size).toBe(0)
	})

	// Proves: connect.no-redirect, egress.no-redirect
	test('returns a redirect as it is and sends the credential nowhere else', async () => {
		const seen: string[] = []
		const target = await listen((request, response) => {
			seen.push(String(request.headers.authorization))
			response.end('leaked')
		})
		const source = await listen((_request, response) => {
			response.writeHead(307, { location: target.url }).end()
		})
		const egress = egressWith({ allow: ['127.0.0.1'] })
		const headers = { authorization: 'Bearer secret' }
		expect((await egress.text(source.url, { ...get, headers })).status).toBe(307)
		const fetched = await egress.fetch(source.url, { headers, redirect: 'follow' })
		expect([fetched.status, fetched.headers.get('location')]).toEqual([307, target.url])
		expect(seen).toEqual([])
	})

	test('keeps its connections: a second one only where the first is still closing its answer', async () => {
		const { url, sockets } = await listen((_request, response) => response.end('x'))
		const egress = egressWith({ allow: ['127.0.0.1'] })
		for (let i = 0; i < 20; i++) await egress.text(url, get)
		expect(sockets.size).toBeLessThanOrEqual(2)
	})

	// Proves: egress.kept-where-repeatable
	test('keeps connections of repeatable requests for longer, and those for such requests alone', async () => {
		const { url, sockets, server } = await listen((_request, response) => response.end('x'))
		// Says no time of its own, as model servers behind proxies do.
		server.keepAliveTimeout = 0
		const egress = egressWith({ allow: ['127.0.0.1'], keepAliveMs: 50, keepRepeatableMs: 60_000 })
		const states = () => [...sockets].map((socket) => (socket.destroyed ? 'closed' : 'open'))
		await egress.text(url, { ...get, repeatable: true })
		await egress.text(url, get)
		await expect.poll(states).toEqual(['open', 'closed'])
		await egress.text(url, { ...get, repeatable: true })
		expect(states()).toEqual(['open', 'closed'])
		await egress.text(url, { ...get, repeatable: false })
		expect(sockets.size).toBe(3)
	})

	// Proves: egress.stale-connection
	test('makes a repeatable request once more where a kept connection ends under it, and no other', async () => {
		const asked: string[] = []
		const { url } = await listen((request, response) => {
			asked.push(String(request.url))
			const first = asked.filter((path) => path === request.url).length === 1
			if (request.url === '/late') response.write('x')
			const ends = ['/late', '/never'].includes(String(request.url)) || (request.url === '/once' && first)
			if (ends) request.socket.end()
			else response.end('said')
		})
		const tried = async (paths: string[], repeatable: boolean) => {
			const egress = egressWith({ allow: ['127.0.0.1'] })
			asked.length = 0
			const said: string[] = []
			for (const path of paths) {
				said.push(await egress.text(url + path, { ...get, repeatable }).then(({ text }) => text, codeOfError))
				// The connection closes this answer in the same turn; before, the next request would take another.
				await setImmediate()
			}
			return [said.at(-1), asked.length]
		}
		expect(await tried(['/', '/once'], true)).toEqual(['said', 3])
		expect(await tried(['/', '/once'], false)).toEqual(['egress_broken', 2])
		// Of a new connection the server said so, not its time for idle ones.
		expect(await tried(['/once'], true)).toEqual(['egress_broken', 1])
		expect(await tried(['/', '/late'], true)).toEqual(['egress_broken', 2])
		expect(await tried(['/', '/never'], true)).toEqual(['egress_broken', 3])
	})
})

describe('our own origin', () => {
	async function withOwn(allow: string[]) {
		const seen: string[] = []
		const host = await listen((request, response) => {
			seen.push(`${request.headers.host}${request.url}`)
			response.end('own')
		})
		const own = {
			origin: 'https://berth.example',
			place: 'https://eu.berth.example:8443',
			listener: host.url,
			paths: ['/mcp', '/token'],
			pattern: '^/d/[a-z]+/mcp$',
		}
		return { egress: egressWith({ allow, own }), seen, port: host.port }
	}

	// Proves: connect.own-listener, egress.own-origin-paths
	test('is answered by the own listener under its public name for the listed paths only', async () => {
		const { egress, seen } = await withOwn([])
		expect((await egress.text('https://berth.example/mcp?x=1', get)).text).toBe('own')
		expect((await egress.fetch('https://berth.example/token')).status).toBe(200)
		expect((await egress.text('https://berth.example/d/agent/mcp', get)).text).toBe('own')
		expect((await egress.text('https://eu.berth.example.:8443/d/agent/mcp', get)).text).toBe('own')
		expect(await codeOf(egress.text('https://eu.berth.example:8443/v1/account', get))).toBe('egress_refused')
		const others = [
			'/v1/account',
			'/mcp/',
			'/mcp/../v1',
			'/MCP',
			'/mcp%2f',
			'/',
			'/d/a/run',
			'/d/a/mcp/x',
			'/d/a/b/mcp',
		]
		for (const path of others) {
			expect([path, await codeOf(egress.text(`https://berth.example${path}`, get))]).toEqual([
				path,
				'egress_refused',
			])
		}
		expect(await codeOf(egress.text('https://berth.example./v1/account', get))).toBe('egress_refused')
		expect(seen).toEqual([
			'berth.example/mcp?x=1',
			'berth.example/token',
			'berth.example/d/agent/mcp',
			'eu.berth.example:8443/d/agent/mcp',
		])
	})

	// Proves: egress.own-origin-shut
	test('stays shut beside those paths whatever the allow list says', async () => {
		const { egress, seen, port } = await withOwn([
			'127.0.0.0/8',
			'::/0',
			'berth.example',
			'localhost',
			'0.0.0.0/0',
		])
		const others = [
			'https://berth.example/v1/account',
			`http://127.0.0.1:${port}/v1/account`,
			`http://127.0.0.9:${port}/mcp`,
			`http://localhost:${port}/v1/account`,
			`http://[::ffff:127.0.0.1]:${port}/mcp`,
			`http://0.0.0.0:${port}/mcp`,
		]
		for (const url of others) {
			expect([url, await codeOf(egress.text(url, get))]).toEqual([url, 'egress_refused'])
		}
		expect(seen).toEqual([])
	})
})

describe('a call', () => {
	// Proves: egress.bounds
	test('ends as egress_too_large at the bound, and the connection with it', async () => {
		let closed = false
		const { url } = await listen((_request, response) => {
			const timer = setInterval(() => response.write('x'.repeat(64 * 1024)), 1)
			response.on('close', () => {
				closed = true
				clearInterval(timer)
			})
		})
		const egress = egressWith({ allow: ['127.0.0.1'] })
		expect(await codeOf(egress.text(url, { ...get, maxBytes: 200_000 }))).toBe('egress_too_large')
		await expect.poll(() => closed).toBe(true)
	})

	// Proves: egress.bounds
	test('ends as egress_timeout when nothing comes, or nothing more', async () => {
		const silent = await listen(() => {})
		const half = await listen((_request, response) => {
			response.write('half')
		})
		const egress = egressWith({ allow: ['127.0.0.1'] })
		expect(await codeOf(egress.text(silent.url, { ...get, headersMs: 100 }))).toBe('egress_timeout')
		expect(await codeOf(egress.text(half.url, { ...get, idleBodyMs: 100 }))).toBe('egress_timeout')
	})

	test('tells a request that was never sent from one that may have been read', async () => {
		const gone = await listen(() => {})
		await stops.pop()?.()
		const cut = await listen((request) => request.socket.destroy())
		const egress = egressWith({ allow: ['127.0.0.1'] })
		expect(await codeOf(egress.text(gone.url, get))).toBe('egress_unreachable')
		expect(await codeOf(egress.text(cut.url, get))).toBe('egress_broken')
		const unknown = egressWith({ lookup: async () => [] })
		expect(await codeOf(unknown.text('http://nowhere.example/', get))).toBe('egress_unreachable')
		const silent = await listen(() => {})
		const stuck = egressWith({ lookup: () => new Promise(() => {}) })
		const soon = { ...get, headersMs: 50 }
		const late = { code: 'egress_timeout' }
		await expect(stuck.text('http://nowhere.example/', soon)).rejects.toMatchObject({ ...late, unsent: true })
		await expect(egress.text(silent.url, soon)).rejects.toMatchObject({ ...late, unsent: false })
	})

	// Proves: egress.abort, provider.abort
	test('stops the socket at once when its signal is aborted', async () => {
		let closed = false
		const { url } = await listen((_request, response) => {
			response.write('x')
			response.on('close', () => {
				closed = true
			})
		})
		const egress = egressWith({ allow: ['127.0.0.1'] })
		const stop = new AbortController()
		const reason = new Error('cancelled')
		const call = egress.stream(url, { ...get, signal: stop.signal }, { onChunk: () => stop.abort(reason) })
		await expect(call).rejects.toBe(reason)
		await expect.poll(() => closed).toBe(true)
		await expect(egress.text(url, { ...get, signal: stop.signal })).rejects.toBe(reason)
	})

	test('rejects with what its reader throws', async () => {
		const { url } = await listen((_request, response) => response.end('x'))
		const egress = egressWith({ allow: ['127.0.0.1'] })
		const fault = new Error('unreadable')
		const onChunk = () => {
			throw fault
		}
		await expect(egress.stream(url, get, { onChunk })).rejects.toBe(fault)
	})
})

describe('fetch', () => {
	test('sends forms and texts, and streams the answer', async () => {
		const { url } = await listen(async (request, response) => {
			let body = ''
			for await (const chunk of request) body += chunk
			response.writeHead(201, { 'content-type': 'text/plain', 'set-cookie': ['a=1', 'b=2'] })
			response.write(`${request.method} ${request.headers['content-type']} `)
			response.end(body)
		})
		const egress = egressWith({ allow: ['127.0.0.1'] })
		const form = await egress.fetch(url, { method: 'POST', body: new URLSearchParams({ a: 'b c' }) })
		expect(form.status).toBe(201)
		expect(form.headers.getSetCookie()).toEqual(['a=1', 'b=2'])
		expect(await form.text()).toBe('POST application/x-www-form-urlencoded;charset=UTF-8 a=b+c')
		const json = await egress.fetch(
			new Request(url, { method: 'PUT', body: '{}', headers: { 'content-type': 'application/json' } }),
		)
		expect(await json.text()).toBe('PUT application/json {}')
	})

	// Proves: egress.bounds
	test('ends a body that trickles on and on', async () => {
		const { url, port } = await listen((_request, response) => {
			const timer = setInterval(() => response.write('x'), 10)
			response.on('close', () => clearInterval(timer))
		})
		const egress = egressWith({ allow: [`127.0.0.1:${port}`] })
		const fetch = createFetch(egress.stream, { ...bounds, totalMs: 150 })
		const response = await fetch(url)
		await expect(response.text()).rejects.toMatchObject({ name: 'TimeoutError' })
	})

	// Proves: egress.abort
	test('ends the connection when its body is cancelled', async () => {
		let closed = false
		const { url } = await listen((_request, response) => {
			response.write('x')
			response.on('close', () => {
				closed = true
			})
		})
		const egress = egressWith({ allow: ['127.0.0.1'] })
		const response = await egress.fetch(url)
		await response.body?.cancel()
		await expect.poll(() => closed).toBe(true)
	})
})
