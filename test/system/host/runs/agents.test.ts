import {
	Client as ClientV2,
	StreamableHTTPClientTransport as TransportV2,
} from '@modelcontextprotocol/client'
import { Client as ClientV1 } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport as TransportV1 } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import type { Run } from '../../../../host/api/runs.ts'
import { bundleOf, deploy, type Running, run, until } from '../../../kit/agent.ts'
import { openBrowser } from '../../../kit/browser.ts'
import { startHost, type TestAccount, type TestHost } from '../../../kit/host.ts'
import { type ModelServer, startModelServer } from '../../../kit/model-server.ts'
import {
	authorizeUrl,
	memoryAuth,
	type Person,
	pkce,
	register,
	signIn,
	connect as signInClient,
	tokensFor,
} from '../../../kit/oauth-clients.ts'
import { put } from '../connect/agent.ts'

// An agent is an MCP server, and another agent requires it.

let host: TestHost
let models: ModelServer
let account: TestAccount
const password = 'a long enough password'
let owner: Person
/** Twice a number; or an error, or an answer that takes its time. */
let twice: Running
/** Calls `twice` as its connector. */
let caller: Running
/** Says how long the text in a file is, and answers with a file of that. */
let reader: Running

beforeAll(async () => {
	models = await startModelServer({
		m: ({ count }) => ({ text: 'At last.', delayMs: count === 0 ? 1500 : 60_000 }),
	})
	host = await startHost({
		egressAllow: ['127.0.0.1'],
		env: { HOST_LEASE_SECONDS: '3', SHUTDOWN_SECONDS: '1' },
	})
	account = await host.account({ plan: 'team', password })
	owner = { email: account.email, password }
	const model = `{ provider: openai, name: m, base_url: "${models.openaiUrl}" }`
	const agent = (yaml: string, body: string) =>
		bundleOf({
			model,
			yaml,
			files: {
				'agent.ts': `import { agent } from 'berth'\nexport default agent(async (inputs: any, ctx) => { ${body} })\n`,
			},
		})
	const inputs =
		'inputs: { type: object, properties: { n: { type: integer }, how: { type: string } }, required: [n] }\n'
	twice = await deploy(
		host,
		account,
		await agent(
			`description: Twice a number\n${inputs}output: { type: object, required: [twice], properties: { twice: { type: integer } } }\n`,
			`if (inputs.how === 'fail') throw new Error('It went wrong.')
			ctx.log('counting')
			if (inputs.how === 'slow') await ctx.model('Think.')
			return { twice: 2 * inputs.n }`,
		),
		'twice',
	)
	const requires = `requires: [{ connector: "${twice.url}/mcp", scopes: [], auth: bearer, kind: connector, tools: [twice] }]\n`
	const tools = `tools: { "${twice.url}/mcp/twice": { idempotent: true } }\n`
	caller = await deploy(
		host,
		account,
		await agent(
			`${inputs}${requires}${tools}`,
			`const odd = JSON.parse('{"n":1,"__proto__":{"a":1}}')
			return JSON.stringify(await ctx.tools.call('twice', inputs.how === 'odd' ? odd : inputs))`,
		),
		'caller',
	)
	expect((await put(host, caller, account.token, { token: twice.run_key })).status).toBe(200)
	reader = await deploy(
		host,
		account,
		await agent(
			`inputs: { type: object, properties: { note: { type: file }, more: { type: array, items: { type: file } } } }
output: { type: object, required: [length, copy], properties: { length: { type: integer }, copy: { type: file } } }
`,
			`const text = await ctx.files.text(inputs.note)
			return { length: text.length, copy: await ctx.files.create('copy.txt', 'text/plain', text) }`,
		),
		'reader',
	)
})
afterAll(async () => {
	await host?.close()
	await models?.close()
})

const headersOf = (token: string) => ({ requestInit: { headers: { authorization: `Bearer ${token}` } } })
const addressOf = (at: Running) => new URL(`${at.url}/mcp`)
async function v1(at: Running, token = at.run_key) {
	const client = new ClientV1({ name: 'test', version: '1' })
	await client.connect(new TransportV1(addressOf(at), headersOf(token)) as never)
	onTestFinished(() => client.close())
	return client
}
async function v2(at: Running, token = at.run_key) {
	const client = new ClientV2({ name: 'test', version: '1' }, { versionNegotiation: { mode: 'auto' } })
	await client.connect(new TransportV2(addressOf(at), headersOf(token)))
	onTestFinished(() => client.close())
	return client
}
const read = async (at: Running, id: unknown) =>
	(await host.call<Run>(`${at.url}/runs/${id}`, { token: at.run_key })).body
const runsOf = async (at: Running) =>
	(await host.call<{ data: Run[] }>(`${at.url}/runs?limit=100`, { token: at.run_key })).body.data
const begun = (how: string, n: number) =>
	until(async () =>
		(await runsOf(twice)).find(
			({ inputs, started_at }) => inputs.how === how && inputs.n === n && started_at !== null,
		),
	)
const end = (at: Running, id: string) =>
	until(async () => {
		const found = await read(at, id)
		return found.completed_at !== null && found
	})

describe('a client with the address alone', () => {
	const path = (at: Running) => `${new URL(at.url).pathname}/mcp`
	const alien = async () => {
		const { email } = await host.account({ password })
		return { email, password }
	}

	// Proves: agent.mcp-oauth
	test.each(['v1', 'v2'] as const)(
		'%s: signs in as the owner, who is told which agent it is',
		async (era) => {
			const client = await signInClient[era](host.url, owner, memoryAuth(), path(twice))
			const result = await client.callTool({ name: 'twice', arguments: { n: 4 } })
			expect(result.structuredContent).toEqual({ twice: 8 })
			await client.close()
			const { client_id } = await register(host.url, { client_name: 'A <b>desk' })
			const { challenge } = pkce()
			const asked = authorizeUrl(host.url, client_id, challenge, { resource: `${twice.url}/mcp/` })
			const page = await signIn(asked, owner, openBrowser())
			expect(page.text).toContain('Allow A <b>desk to run twice?')
			expect(page.text).toContain('Run this agent as you')
			expect(page.text).not.toContain('credits')
			expect(page.html).toContain('<title>Allow access · twice</title>')
			expect(page.html).toContain('<p class="mark">twice</p>')
			// Before the sign-in no agent is named: the page is that of one that is not there.
			const none = authorizeUrl(host.url, client_id, challenge, { resource: `${host.url}/d/none-such/mcp` })
			for (const address of [asked, none])
				expect((await openBrowser().open(address)).html).toContain('<title>Sign in · Berth</title>')
		},
	)

	// Proves: agent.mcp-oauth-owner
	test('only the owner can allow it, and the token opens nothing else', async () => {
		const stranger = await alien()
		for (const resource of [`${twice.url}/mcp`, `${host.url}/d/none-such/mcp`]) {
			const { client_id } = await register(host.url)
			const asked = authorizeUrl(host.url, client_id, pkce().challenge, { resource })
			const page = await signIn(asked, stranger, openBrowser())
			expect(page.status).toBe(403)
			expect(page.text).toContain('This agent is not there, or another account’s')
			expect(page.html).not.toContain('value="allow"')
		}
		// A page that was the owner's is of no use to who signs in after.
		const { client_id } = await register(host.url)
		const asked = authorizeUrl(host.url, client_id, pkce().challenge, { resource: `${twice.url}/mcp` })
		const browser = openBrowser()
		const consent = await signIn(asked, owner, browser)
		const { email, password: secret } = stranger
		const switched = await (await consent.follow('Use another account')).submit({ email, password: secret })
		expect(switched.status).toBe(403)
		const late = await consent.submit({}, 'Allow')
		expect(late.status).toBe(400)
		expect(late.text).toContain('This sign-in has expired')
		const { access_token, scope } = await tokensFor(host.url, owner, { resource: `${twice.url}/mcp` })
		expect(scope).toBe('run')
		const statusAt = async (url: string, method = 'POST') =>
			(
				await fetch(url, {
					method,
					headers: { authorization: `Bearer ${access_token}`, 'content-type': 'application/json' },
					...(method === 'POST' && { body: '{}' }),
				})
			).status
		expect(await statusAt(`${caller.url}/mcp`)).toBe(401)
		expect(await statusAt(`${twice.url}/run`)).toBe(401)
		expect(await statusAt(`${host.url}/mcp`)).toBe(401)
		expect(await statusAt(`${host.url}/v1/account`, 'GET')).toBe(401)
		const guard = await tokensFor(host.url, owner)
		const other = await fetch(`${twice.url}/mcp`, {
			method: 'POST',
			headers: { authorization: `Bearer ${guard.access_token}`, 'content-type': 'application/json' },
			body: '{}',
		})
		expect(other.status).toBe(401)
		const device = await fetch(`${host.url}/device_authorization`, {
			method: 'POST',
			body: new URLSearchParams({ client_id: guard.clientId, resource: `${twice.url}/mcp` }),
		})
		expect(await device.json()).toMatchObject({ error: 'invalid_target' })
	})

	// Proves: agent.mcp-files
	test.each(['v1', 'v2'] as const)(
		'%s: uploads a file where the input schema says, calls with it, and reads the file of the result',
		async (era) => {
			const auth = memoryAuth()
			const client = await signInClient[era](host.url, owner, auth, path(reader))
			const { access_token } = auth.tokens() as { access_token: string }
			const headers = { authorization: `Bearer ${access_token}` }
			const { tools } = await client.listTools()
			const schema = JSON.stringify(tools[0]?.inputSchema)
			expect(schema).not.toContain('{deployment_url}')
			const addresses = [...schema.matchAll(/POST (\S+) answers/g)].map(([, address]) => address as string)
			expect(addresses).toEqual(Array(2).fill(`${reader.url}/files`))
			const uploaded = await fetch(`${addresses[0]}?name=note.txt`, {
				method: 'POST',
				headers: { ...headers, 'content-type': 'text/plain' },
				body: 'four',
			})
			expect(uploaded.status).toBe(201)
			const { file } = (await uploaded.json()) as { file: string }
			const result = await client.callTool({ name: 'reader', arguments: { note: { file } } })
			expect(result.structuredContent).toMatchObject({ length: 4, copy: { name: 'copy.txt' } })
			const { url } = (result.structuredContent as { copy: { url: string } }).copy
			const read = await fetch(url, { headers })
			expect([read.status, await read.text()]).toEqual([200, 'four'])
			await client.close()
			// What another caller has uploaded is none of its own, and other agents' files are none at all.
			const theirs = await fetch(`${reader.url}/files`, {
				method: 'POST',
				headers: { authorization: `Bearer ${reader.run_key}`, 'content-type': 'text/plain' },
				body: 'theirs',
			})
			const foreign = (await theirs.json()) as { url: string }
			expect((await fetch(foreign.url, { headers })).status).toBe(404)
			const other = await fetch(`${twice.url}/files`, { method: 'POST', headers, body: 'x' })
			expect(other.status).toBe(401)
			const wrong = await fetch(`${reader.url}/files?nmae=x`, { method: 'POST', headers, body: 'x' })
			expect([wrong.status, await wrong.text()]).toEqual([400, expect.stringContaining('nmae')])
		},
	)

	// Proves: agent.mcp-batch, agent.mcp-body
	test('that sends a batch, or what is no message, gets a JSON-RPC error', async () => {
		const send = async (body: string | Uint8Array<ArrayBuffer>, more = {}) => {
			const headers = {
				authorization: `Bearer ${twice.run_key}`,
				'content-type': 'application/json',
				accept: 'application/json, text/event-stream',
				'mcp-protocol-version': '2025-03-26',
				...more,
			}
			const answer = await fetch(`${twice.url}/mcp`, { method: 'POST', headers, body })
			return { status: answer.status, body: await answer.json() }
		}
		expect(await send('[{"jsonrpc":"2.0","id":1,"method":"ping"}]')).toEqual({
			status: 400,
			body: {
				jsonrpc: '2.0',
				id: null,
				error: { code: -32600, message: expect.stringContaining('no batches') },
			},
		})
		expect(await send('"ping"')).toMatchObject({
			status: 400,
			body: { jsonrpc: '2.0', id: null, error: { code: expect.any(Number) } },
		})
		const large = `"${'x'.repeat(1024 * 1024)}"`
		for (const [body, status, code, more] of [
			['{"jsonrpc":', 400, -32700],
			['{"__proto__": 1}', 400, -32700],
			[Uint8Array.of(0x22, 0xff, 0x22), 400, -32700],
			[large, 413, -32600],
			['ping', 400, -32700, { 'content-type': 'text/plain' }],
			['ping', 415, -32600, { 'content-encoding': 'gzip' }],
		] as const)
			expect(await send(body, more)).toEqual({
				status,
				body: { jsonrpc: '2.0', id: null, error: { code, message: expect.any(String) } },
			})
		const stranger = await send('{"jsonrpc":', { authorization: 'Bearer none' })
		expect(stranger).toMatchObject({ status: 401, body: { code: 'unauthenticated' } })
	})

	// Proves: agent.mcp-notification
	test('takes a notification with 202 and no body', async () => {
		const answer = await fetch(`${twice.url}/mcp`, {
			method: 'POST',
			headers: { authorization: `Bearer ${twice.run_key}`, 'content-type': 'application/json' },
			body: JSON.stringify({ jsonrpc: '2.0', method: 'notifications/initialized' }),
		})
		expect([answer.status, await answer.text()]).toEqual([202, ''])
	})

	// Proves: agent.mcp-challenge
	test('hears where to sign in, and no more of an agent that is there than of none', async () => {
		const slug = path(twice).split('/')[2] ?? ''
		for (const [name, headers] of [
			[slug, {}],
			['none-such', {}],
			['none-such', { authorization: `Bearer ${'x'.repeat(43)}` }],
			[slug, { authorization: `Bearer ${'x'.repeat(43)}` }],
		] as const) {
			const refused = await fetch(`${host.url}/d/${name}/mcp`, { method: 'POST', headers })
			expect(refused.status).toBe(401)
			const document = `${host.url}/d/${name}/.well-known/oauth-protected-resource/mcp`
			const wrong = 'authorization' in headers ? ', error="invalid_token"' : ''
			expect(refused.headers.get('www-authenticate')).toBe(
				`Bearer realm="OAuth", resource_metadata="${document}", scope="run"${wrong}`,
			)
			const said = {
				resource: `${host.url}/d/${name}/mcp`,
				authorization_servers: [host.url],
				scopes_supported: ['run'],
				bearer_methods_supported: ['header'],
			}
			const well = `${host.url}/.well-known/oauth-protected-resource/d/${name}/mcp`
			for (const url of [document, well]) expect(await (await fetch(url)).json()).toEqual(said)
		}
	})
})

describe.each([
	['of the initialize era', v1],
	['of 2026-07-28', v2],
] as const)('a client %s', (era, connect) => {
	// Proves: agent.mcp
	test('finds one tool, calls it, and reads the run that it began', async () => {
		const client = await connect(twice)
		const { tools } = await client.listTools()
		expect(tools).toMatchObject([
			{
				name: 'twice',
				description: 'Twice a number',
				inputSchema: { required: ['n'] },
				outputSchema: { required: ['twice'] },
				annotations: { readOnlyHint: false, idempotentHint: false },
			},
		])
		const steps: unknown[] = []
		const result = await client.callTool({ name: 'twice', arguments: { n: 21 } }, ...watched(era, steps))
		expect(result.structuredContent).toEqual({ twice: 42 })
		expect(steps.length).toBeGreaterThan(0)
		expect(await read(twice, result._meta?.['berth/run'])).toMatchObject({
			status: 'succeeded',
			output: { twice: 42 },
		})
	})

	// Proves: agent.mcp-failure
	test('reads a failure and a refusal as the result', async () => {
		const client = await connect(twice)
		const wrong = await client.callTool({ name: 'twice', arguments: { n: 1, how: 'fail' } })
		expect(wrong).toMatchObject({ isError: true, _meta: { 'berth/code': 'agent_error' } })
		expect(JSON.stringify(wrong.content)).toContain('It went wrong.')
		const unfit = await client.callTool({ name: 'twice', arguments: { n: 'many' } })
		expect(unfit).toMatchObject({ isError: true, _meta: { 'berth/code': 'inputs_invalid' } })
		await expect(client.callTool({ name: 'other', arguments: {} })).rejects.toThrow('There is no tool other')
	})

	// Proves: agent.mcp-cancelled
	test('cancels the run with its call', async () => {
		const client = await connect(twice)
		await busy()
		const n = era === 'of 2026-07-28' ? 3 : 2
		const stop = new AbortController()
		const call = client.callTool(
			{ name: 'twice', arguments: { n, how: 'slow' } },
			...options(era, { signal: stop.signal }),
		)
		const refused = expect(call).rejects.toThrow()
		const { id } = await begun('slow', n)
		stop.abort()
		await refused
		expect(await end(twice, id)).toMatchObject({ status: 'cancelled' })
	})
})

/** From here on the model takes a minute. */
async function busy(): Promise<void> {
	models.scripts.m = { text: 'Never.', delayMs: 60_000 }
}
/** v1 takes a schema of the result before the options. */
const options = (era: string, given: object) =>
	(era === 'of 2026-07-28' ? [given] : [undefined, given]) as [never]
const watched = (era: string, steps: unknown[]) =>
	options(era, { onprogress: (step: unknown) => void steps.push(step) })

// Proves: agent.mcp-key
test('a run key without the scope `run`, of another deployment, or none, is refused', async () => {
	const made = await host.call<{ run_key: string }>(`/v1/deployments/${twice.id}/keys`, {
		token: account.token,
		json: { name: 'reader', scopes: ['read'] },
	})
	expect(made.status).toBe(201)
	const ask = (token?: string) =>
		host.call(`${twice.url}/mcp`, {
			...(token && { token }),
			json: { jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} },
		})
	expect((await ask(made.body.run_key)).status).toBe(403)
	expect((await ask(caller.run_key)).status).toBe(404)
	expect((await ask()).status).toBe(401)
	expect((await host.call(`${twice.url}/mcp`, { token: twice.run_key })).status).toBe(405)
})

// Proves: agent.mcp-once
test('a call made again with its idempotency key attaches to its run', async () => {
	const client = await v2(twice)
	const call = (n: number) =>
		client.callTool({ name: 'twice', arguments: { n }, _meta: { 'berth/idempotency-key': 'k' } })
	const [one, two] = [await call(5), await call(5)]
	expect(two.structuredContent).toEqual({ twice: 10 })
	expect(two._meta?.['berth/run']).toBe(one._meta?.['berth/run'])
	expect(await call(6)).toMatchObject({ _meta: { 'berth/code': 'idempotency_key_reused' } })
	const empty = { name: 'twice', arguments: { n: 5 }, _meta: { 'berth/idempotency-key': '' } }
	expect(await client.callTool(empty)).toMatchObject({ _meta: { 'berth/code': 'invalid_request' } })
})

describe('an agent that requires another', () => {
	// Proves: agent.requires
	test('calls it by its address, with a run key of its own', async () => {
		const answer = await run(host, caller, { n: 4 })
		expect(answer.body.error).toBeNull()
		expect(JSON.parse(String(answer.body.output))).toMatchObject({ ok: true, structured: { twice: 8 } })
		const wrong = await run(host, caller, { n: 4, how: 'fail' })
		expect(JSON.parse(String(wrong.body.output))).toMatchObject({
			ok: false,
			output: 'agent_error: It went wrong.',
		})
	})

	// Proves: agent.depth
	// Proves: agent.mcp
	test('has a failed call where the other takes no request of what it wrote', async () => {
		const { body } = await run(host, caller, { n: 1, how: 'odd' })
		expect(body).toMatchObject({ status: 'succeeded' })
		expect(JSON.parse(String(body.output))).toMatchObject({
			ok: false,
			output: expect.stringContaining('400'),
		})
	})

	test('is refused where the agents above it are too many', async () => {
		const client = await v2(caller)
		const call = (depth: number) =>
			client.callTool({ name: 'caller', arguments: { n: 1 }, _meta: { 'berth/depth': depth } })
		const text = async (depth: number) => JSON.stringify((await call(depth)).content)
		expect(await text(7)).toContain('\\"ok\\":true')
		expect(await text(8)).toContain('8 deep')
		expect(await call(9)).toMatchObject({ isError: true, _meta: { 'berth/code': 'invalid_request' } })
		expect(await call(-1)).toMatchObject({ isError: true, _meta: { 'berth/code': 'invalid_request' } })
	})

	// Proves: agent.cancelled-with-caller
	test('ends it when it is cancelled itself', async () => {
		await busy()
		const { id } = (await run(host, caller, { n: 11, how: 'slow' }, { prefer: 'respond-async' })).body
		const callee = await begun('slow', 11)
		await host.call(`${caller.url}/runs/${id}/cancel`, { method: 'POST', token: caller.run_key })
		expect(await end(twice, callee.id)).toMatchObject({ status: 'cancelled' })
	})

	// Proves: agent.killed
	test.each([
		['SIGKILL', 12],
		['SIGTERM', 13],
	] as const)('finds its call under way after the host had a %s, and replays alike', async (signal, n) => {
		await busy()
		const { id } = (await run(host, caller, { n, how: 'slow' }, { prefer: 'respond-async' })).body
		const callee = await begun('slow', n)
		models.scripts.m = { text: 'At last.' }
		await host.kill(signal)
		host = await host.again()
		const ended = await end(caller, id)
		expect(ended.error).toBeNull()
		expect(JSON.parse(String(ended.output))).toMatchObject({ ok: true, structured: { twice: 2 * n } })
		expect((await runsOf(twice)).filter(({ inputs }) => inputs.n === n).map((one) => one.id)).toEqual([
			callee.id,
		])
		const replayed = await host.call(`/v1/runs/${id}/replay`, { method: 'POST', token: account.token })
		expect(replayed.body).toMatchObject({ same: true })
	})
})
