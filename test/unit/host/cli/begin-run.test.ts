import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, it, onTestFinished } from 'vitest'
import { beginRun } from '../../../../host/owner/cli/begin-run.ts'
import { createIo } from '../../../../host/owner/cli/io.ts'
import { plainFetch } from '../../../../host/owner/cli/plain-fetch.ts'
import { createClient, type Deployment } from '../../../../host/owner/client/index.ts'

// A call of `berth run` begins one run, and says so where it cannot know.

interface Begun {
	url: string
	keys: unknown[]
	begin(call?: { idempotencyKey?: string; repeatForMs?: number }): Promise<unknown>
	notes: string[]
}

async function started(listener: (attempt: number, ...args: Parameters<RequestListener>) => void) {
	const keys: unknown[] = []
	const notes: string[] = []
	const server = createServer((request, response) => {
		keys.push(request.headers['idempotency-key'])
		listener(keys.length, request, response)
	})
	await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
	onTestFinished(() => {
		server.closeAllConnections()
		server.close()
	})
	const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
	const io = { ...createIo({}), note: (text: string) => void notes.push(text) }
	const client = createClient({ baseUrl: url, token: 't', fetch: plainFetch })
	const to = { name: 'poet', url: `${url}/d/x` } as Deployment
	const begin: Begun['begin'] = (call = {}) => beginRun(io, client, to, { inputs: {}, ...call })
	return { url, keys, begin, notes, server }
}

const usage = { input_tokens: 0, cached_input_tokens: 0, output_tokens: 0, model_calls: 0, tool_calls: 0 }
const run = {
	...{
		id: 'run_1',
		deployment: 'dep_1',
		version: 1,
		status: 'queued',
		inputs: {},
		output: null,
		error: null,
	},
	...{ citations: [], usage: { ...usage, failed_tool_calls: 0, http_calls: 0, web_searches: 0, usd: 0 } },
	...{ created_at: '2026-01-01T00:00:00.000Z', started_at: null, completed_at: null, expires_at: null },
}

// Proves: cli.run-kept
it('a call whose connection breaks is made again with the same key, and past a proxy without a host', async () => {
	const { begin, keys, notes } = await started((attempt, request, response) => {
		if (attempt < 3) return void request.socket.destroy()
		if (attempt === 3) return void response.writeHead(502).end('<html>')
		response.writeHead(202, { 'content-type': 'application/json' }).end(JSON.stringify(run))
	})
	expect(await begin()).toMatchObject({ id: 'run_1' })
	expect(keys).toHaveLength(4)
	expect(new Set(keys).size).toBe(1)
	expect(keys[0]).toMatch(/^[0-9a-f-]{36}$/)
	expect(notes).toEqual([expect.stringMatching(/cannot be reached \(ECONNRESET\); trying again$/)])
})

// Proves: cli.run-kept
it('at the end of its patience it says that a run may have begun, and which key begins no second one', async () => {
	const { begin } = await started((_, request) => void request.socket.destroy())
	await expect(begin({ idempotencyKey: 'mine', repeatForMs: 0 })).rejects.toMatchObject({
		code: 'unreachable',
		message: expect.stringMatching(
			/A run may have begun: see berth runs poet, or repeat the command with --idempotency-key mine,/,
		),
	})
})

// Proves: cli.run-kept
it.each([
	['the call', true],
	['the connection', false],
])('a host that refuses %s is told at once', async (_, listens) => {
	const { begin, keys, notes, server } = await started((_attempt, _request, response) => {
		response.writeHead(503, { 'content-type': 'application/problem+json' })
		response.end('{"code":"unavailable","detail":"Not now."}')
	})
	if (!listens) await new Promise((resolve) => server.close(resolve))
	const told = listens ? /^Not now\.$/ : /\(ECONNREFUSED\)$/
	await expect(begin()).rejects.toMatchObject({ message: expect.stringMatching(told) })
	expect(keys).toHaveLength(listens ? 1 : 0)
	expect(notes).toEqual([])
})
