import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text as readText } from 'node:stream/consumers'
import { describe, expect, it, onTestFinished } from 'vitest'
import { createClient } from '../../../../host/owner/client/index.ts'

/** A server of a few lines in place of a host. */
async function serve(listener: RequestListener): Promise<string> {
	const server = createServer(listener)
	await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
	onTestFinished(() => {
		server.closeAllConnections()
		server.close()
	})
	return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

// Proves: cli.no-dots
it('never leaves the address of a thing by its name', async () => {
	const asked: string[] = []
	const base = await serve((request, response) => {
		asked.push(`${request.method} ${request.url}`)
		response.writeHead(204).end()
	})
	const client = createClient({ baseUrl: base, token: 't' })
	const at = `${base}/d/a`
	for (const path of ['../memory', '..', 'a/../../runs/r', './a', '%2e%2e/x'])
		await (path.includes('%')
			? client.memory.remove(at, path)
			: expect(client.memory.remove(at, path)).rejects.toMatchObject({ code: 'invalid_request' }))
	await expect(client.deployments.remove('..')).rejects.toMatchObject({ code: 'invalid_request' })
	// Encoded once more, it is a name like any other.
	expect(asked).toEqual(['DELETE /d/a/memory/%252e%252e/x'])
})

// Proves: cli.token-malformed
it('tells a token that can be in no header as malformed, and not its letters', async () => {
	for (const token of ['bpt_a\r\nb', 'bpt_a\n', 'bpt_ł', 'bpt_é', 'a b']) {
		const client = createClient({ baseUrl: 'http://127.0.0.1:9', token })
		const refused = await client.deployments.remove('a').catch((error) => error)
		expect(refused).toMatchObject({ code: 'invalid_request', message: expect.stringContaining('malformed') })
		expect(refused.message).not.toContain('bpt_')
	}
})

const run = {
	expires_at: null,
	id: 'run_1',
	deployment: 'dep_1',
	version: 1,
	status: 'succeeded',
	inputs: {},
	output: 'x',
	citations: [],
	error: null,
	usage: {
		input_tokens: 0,
		cached_input_tokens: 0,
		output_tokens: 0,
		model_calls: 0,
		tool_calls: 0,
		failed_tool_calls: 0,
		http_calls: 0,
		web_searches: 0,
		usd: 0,
	},
	created_at: '2026-01-01T00:00:00.000Z',
	started_at: null,
	completed_at: null,
}

describe('the client', () => {
	it('throws the host’s problem with code, status and members', async () => {
		const baseUrl = await serve((_, response) => {
			response.writeHead(409, { 'content-type': 'application/problem+json' })
			response.end(
				JSON.stringify({
					code: 'running_agent_limit_reached',
					detail: 'Full.',
					status: 409,
					limit: 1,
					slots: [],
				}),
			)
		})
		await expect(createClient({ baseUrl, token: 't' }).deployments.start('dep_1')).rejects.toMatchObject({
			name: 'ApiError',
			status: 409,
			code: 'running_agent_limit_reached',
			message: 'Full.',
			problem: { limit: 1 },
		})
	})

	it('makes a broken POST again with the same Idempotency-Key and the same bytes', async () => {
		const seen: { key: unknown; type: unknown; body: string }[] = []
		const baseUrl = await serve(async (request, response) => {
			const body = await readText(request)
			seen.push({ key: request.headers['idempotency-key'], type: request.headers['content-type'], body })
			if (seen.length === 1) return void request.socket.destroy()
			response
				.writeHead(409, { 'content-type': 'application/problem+json' })
				.end('{"code":"name_taken","detail":"Taken."}')
		})
		const bundle = { bytes: Buffer.from('zip'), fileName: 'a.agent', name: 'a' }
		await expect(createClient({ baseUrl, token: 't' }).deployments.create(bundle)).rejects.toMatchObject({
			code: 'name_taken',
		})
		expect(seen).toHaveLength(2)
		expect(seen[0]).toEqual(seen[1])
		expect(seen[0]?.key).toMatch(/^[0-9a-f-]{36}$/)
	})

	it('does not make a run again that has no Idempotency-Key', async () => {
		let calls = 0
		const baseUrl = await serve((request) => {
			calls++
			request.socket.destroy()
		})
		await expect(createClient({ baseUrl, token: 't' }).runs.run(`${baseUrl}/d/x`, {})).rejects.toMatchObject({
			code: 'unreachable',
		})
		expect(calls).toBe(1)
	})

	it('follows a run over a broken stream, and a proxy that has no host for a moment', async () => {
		const frame = (seq: number, type: string) =>
			`id: ${seq}\nevent: ${type}\ndata: ${JSON.stringify({ seq, run: 'run_1', type, at: run.created_at, data: {} })}\n\n`
		const seen: unknown[] = []
		const baseUrl = await serve((request, response) => {
			seen.push(request.headers['last-event-id'])
			if (seen.length === 3) return void response.writeHead(502).end('<html>')
			response.writeHead(200, {
				'content-type': 'text/event-stream',
				'content-location': `${baseUrl}/d/x/runs/run_1`,
			})
			if (seen.length === 1) return void response.write(': nothing yet\n\n', () => request.socket.destroy())
			if (seen.length === 2) {
				return void response.write(`${frame(1, 'run.started')}id: 2\nevent: lo`, () =>
					request.socket.destroy(),
				)
			}
			response.end(frame(2, 'log') + frame(3, 'run.completed'))
		})
		const types: string[] = []
		for await (const { type } of createClient({ baseUrl, token: 't' }).runs.stream(`${baseUrl}/d/x`, {}))
			types.push(type)
		expect(types).toEqual(['run.started', 'log', 'run.completed'])
		expect(seen).toEqual([undefined, undefined, '1', '1'])
	})

	// Proves: connect.no-redirect
	it('follows no redirect with its token', async () => {
		let elsewhere = 0
		const other = await serve((_, response) => {
			elsewhere++
			response.end('{}')
		})
		const baseUrl = await serve((_, response) => void response.writeHead(307, { location: other }).end())
		await expect(createClient({ baseUrl, token: 't' }).account.get()).rejects.toMatchObject({
			code: 'unreachable',
		})
		expect(elsewhere).toBe(0)
	})

	it('says which call answered with another shape than it knows', async () => {
		const baseUrl = await serve((_, response) => void response.writeHead(200).end('<html>'))
		await expect(createClient({ baseUrl, token: 't' }).account.get()).rejects.toMatchObject({
			code: 'unexpected_answer',
			message: expect.stringContaining('/v1/account'),
		})
	})

	// Proves: cli.another-shape
	it.each([
		['0.2.0', 'the host'],
		['0.0.9', 'the client'],
	])('a client %s names the field, both versions and that %s is to be upgraded', async (ours, side) => {
		const baseUrl = await serve((request, response) => {
			const document = request.url === '/openapi.json' ? { info: { version: '0.1.0' } } : { id: 7 }
			response.writeHead(200).end(JSON.stringify(document))
		})
		const client = createClient({ baseUrl, token: 't', version: async () => ours })
		await expect(client.account.get()).rejects.toMatchObject({
			code: 'unexpected_answer',
			message: `GET ${baseUrl}/v1/account answered with another shape than this client knows: \`id\`: Invalid input: expected string, received number. This client is Berth ${ours}, the host 0.1.0: upgrade ${side}`,
		})
	})

	it('reads the events of a stream, however its bytes are cut', async () => {
		const events = [1, 2].map((seq) => ({
			seq,
			run: 'run_1',
			type: seq === 2 ? 'run.completed' : 'log',
			at: run.created_at,
			data: { text: 'ü\n' },
		}))
		const text = events
			.map((event) => `: keep-alive\n\nid: ${event.seq}\nevent: log\ndata: ${JSON.stringify(event)}\n\n`)
			.join('')
		const baseUrl = await serve(async (_, response) => {
			response.writeHead(200, { 'content-type': 'text/event-stream' })
			for (const byte of Buffer.from(text)) response.write(Buffer.of(byte))
			response.end()
		})
		const read = []
		for await (const event of createClient({ baseUrl, token: 't' }).runs.stream(`${baseUrl}/d/x`, {}))
			read.push(event)
		expect(read).toEqual(events)
	})

	it('goes on after the last event where a stream breaks', async () => {
		const seen: unknown[] = []
		const event = (seq: number, type: string) =>
			`id: ${seq}\ndata: ${JSON.stringify({ seq, run: 'run_1', type, at: run.created_at, data: {} })}\n\n`
		const baseUrl = await serve((request, response) => {
			seen.push(`${request.method} ${request.url} ${request.headers['last-event-id'] ?? ''}`)
			response.writeHead(200, { 'content-type': 'text/event-stream' })
			if (seen.length === 1) response.write(event(1, 'run.started'), () => response.destroy())
			else response.end(event(2, 'run.completed'))
		})
		const types = []
		for await (const { type } of createClient({ baseUrl, token: 't' }).runs.stream(`${baseUrl}/d/x`, {}))
			types.push(type)
		expect(types).toEqual(['run.started', 'run.completed'])
		expect(seen).toEqual(['POST /d/x/run ', 'GET /d/x/runs/run_1/events 1'])
	})

	// Proves: cli.follows-place
	it('makes a call of `/v1` at the place that the host names, once, and none of a deployment', async () => {
		const seen: unknown[] = []
		const place = await serve((request, response) => {
			seen.push(`${request.method} ${request.url} ${request.headers['idempotency-key']}`)
			response.writeHead(409, { 'content-type': 'application/problem+json' })
			response.end(JSON.stringify({ code: 'conflict', detail: 'Not now.' }))
		})
		let named = `${place}/v1/deployments/dep_1/cancel`
		const baseUrl = await serve(async (request, response) => {
			await readText(request)
			seen.push(`asked ${request.headers['idempotency-key']}`)
			response.writeHead(421, { 'content-type': 'application/problem+json' })
			response.end(JSON.stringify({ code: 'wrong_place', detail: 'Elsewhere.', url: named }))
		})
		const client = createClient({ baseUrl, token: 't' })
		await expect(client.deployments.cancel('dep_1')).rejects.toMatchObject({ code: 'conflict' })
		// `fetch` itself makes a call once more on another connection when it is answered 421.
		const made = seen.splice(0) as string[]
		expect(made.at(-1)).toBe(`POST /v1/deployments/dep_1/cancel ${made[0]?.split(' ')[1]}`)
		expect(made.filter((one) => one.startsWith('POST'))).toHaveLength(1)
		// A deployment's address names no other: its host is not the one that the token is for.
		await expect(client.runs.run(`${baseUrl}/d/x`, {})).rejects.toMatchObject({ code: 'wrong_place' })
		named = 'file:///etc/passwd'
		await expect(client.deployments.cancel('dep_1')).rejects.toBeInstanceOf(Error)
		expect(seen.filter((one) => String(one).startsWith('POST'))).toEqual([])
	})

	it('sends the run key in place of its own token where one is given', async () => {
		const seen: unknown[] = []
		const baseUrl = await serve((request, response) => {
			seen.push(request.headers.authorization, request.headers.prefer)
			response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(run))
		})
		await createClient({ baseUrl, token: 'mine' }).runs.run(
			`${baseUrl}/d/x`,
			{},
			{ token: 'brk_x', waitSeconds: 5 },
		)
		expect(seen).toEqual(['Bearer brk_x', 'wait=5'])
	})
})
