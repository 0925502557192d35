import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { isPublicOrigin } from '../../../../host/credentials/client-document.ts'
import { noteCredential } from '../../../../host/credentials/credentials.ts'
import { beginConnect } from '../../../../host/owner/client/index.ts'
import { type Running, run, until, withDatabase } from '../../../kit/agent.ts'
import { startHost, type TestAccount, type TestHost } from '../../../kit/host.ts'
import { type ModelServer, startModelServer } from '../../../kit/model-server.ts'
import { sharedHost } from '../../../kit/shared-host.ts'
import { connectorOf, deployWith } from './agent.ts'
import { allowAt, startAuthorization, startProtected } from './authorization.ts'
import { connectBy } from './command.ts'

// What `berth connect` does where a server asks for more: a wider scope, a known client, another sign-in.

let host: TestHost
let models: ModelServer
let account: TestAccount
let env: Record<string, string>

beforeAll(async () => {
	models = await startModelServer({
		m: [{ calls: [{ name: 'charge', input: { key: 'a' } }] }, { text: 'done' }],
	})
	host = await sharedHost()
	account = await host.account({ plan: 'team' })
	env = { BERTH_URL: host.url, BERTH_TOKEN: account.token, XDG_CONFIG_HOME: '/nonexistent' }
})
afterAll(async () => {
	await host?.close()
	await models?.close()
})

async function started() {
	const connector = await startProtected()
	onTestFinished(connector.close)
	const tools = ['echo', 'charge']
	const at = await deployWith(host, account, { connector: connector.mcp.url, tools, models })
	return { ...connector, connector, at }
}
const connect = async (at: Running, ...args: string[]) => {
	const done = await connectBy(env, at.name, allowAt, args)
	expect(done, done.stderr).toMatchObject({ code: 0 })
	return done
}
/** What the model was told of its call. */
const lastAnswer = () => JSON.stringify(models.requests.at(-1)?.body)
const credentialOf = async (at: Running) => {
	const { body } = await host.call<Running>(`/v1/deployments/${at.id}`, { token: account.token })
	return connectorOf(body)
}

// Proves: connect.missing-scope, connect.scope-withheld
test('a tool that needs another scope fails with that in words, and berth connect asks for it besides', async () => {
	const { mcp, server, at } = await started()
	mcp.options.needs = { charge: 'pay:write' }
	await connect(at)
	expect(await credentialOf(at)).toMatchObject({ state: 'ready', scope: 'read', missing_scope: null })

	const first = await run(host, at)
	expect(first.body).toMatchObject({ status: 'succeeded', output: 'done', usage: { failed_tool_calls: 1 } })
	// In our own words alone: programs and models read it.
	expect(lastAnswer()).toContain(
		'charge was not executed: the sign-in does not allow this (insufficient_scope)',
	)
	expect(lastAnswer()).not.toContain('pay:write')
	let needy = { state: 'needs_sign_in', missing_scope: 'pay:write', version: 1 }
	const told = await until(async () => (await credentialOf(at)).state !== 'ready' && credentialOf(at))
	expect(told).toMatchObject({
		...needy,
		last_error: `${mcp.url} asks for a scope that the sign-in does not have: pay:write`,
	})
	// Other runs go on, and another scope that is missing is told beside it.
	mcp.options.needs = { charge: 'read pay:read pay:read' }
	expect((await run(host, at)).body).toMatchObject({ status: 'succeeded', usage: { failed_tool_calls: 1 } })
	await expect.poll(async () => (await credentialOf(at)).missing_scope).toBe('pay:write pay:read')
	mcp.options.needs = { charge: 'pay:write' }
	const { m } = models.scripts
	models.scripts.m = [{ calls: [{ name: 'echo', input: { text: 'hi' } }] }, { text: 'done' }]
	expect((await run(host, at)).body).toMatchObject({ status: 'succeeded', usage: { failed_tool_calls: 0 } })
	models.scripts.m = m as typeof models.scripts.m
	needy = { ...needy, missing_scope: 'pay:write pay:read' }
	// What other tools do with it meanwhile, here or on another host, does not hide that.
	const place = { deployment: at.id, name: told.name, version: 1 }
	const used = { ...place, state: 'ready' as const, error: null, used_at: Date.now() + 60_000 }
	await withDatabase(host, ({ sql }) =>
		noteCredential({ sql, deployments: { changed: async () => undefined } }, used),
	)
	expect(await credentialOf(at)).toMatchObject({ ...needy, last_error: expect.stringContaining('pay:read') })
	// A sign-in that no longer works refuses runs before anything is spent, whatever it lacks.
	const dead = { ...place, state: 'needs_sign_in' as const, error: 'refused', used_at: Date.now() + 70_000 }
	await withDatabase(host, ({ sql }) =>
		noteCredential({ sql, deployments: { changed: async () => undefined } }, dead),
	)
	expect(await credentialOf(at)).toMatchObject({ ...needy, last_error: 'refused' })
	const madeCalls = models.requests.length
	await expect.poll(async () => (await run(host, at)).status).toBe(409)
	expect(models.requests).toHaveLength(madeCalls)

	server.withheld = ['pay:write', 'pay:read']
	const without = await connect(at)
	expect(without.stderr).toContain(
		`${mcp.url} still does not allow pay:write pay:read: calls that need it fail. Connecting again does not help`,
	)
	server.withheld = []
	expect((await run(host, at)).body).toMatchObject({ usage: { failed_tool_calls: 1 } })
	await expect.poll(async () => (await credentialOf(at)).missing_scope).toBe('pay:write')
	const whole = await connect(at)
	expect(whole.stderr).not.toContain('still')
	const asked = server.asked.filter(({ path }) => path === '/authorize').map(({ form }) => form.scope)
	expect(asked).toEqual(['read', 'read pay:write pay:read', 'read pay:write'])
	const made = { state: 'ready', version: 3, last_error: null, missing_scope: null }
	expect(await credentialOf(at)).toMatchObject({ ...made, scope: 'read pay:write' })
	expect((await run(host, at)).body.status).toBe('succeeded')
	expect(mcp.calls.map(({ tool }) => tool)).toEqual(['echo', 'charge'])
})

// Proves: connect.scope-refused
test('a scope that the sign-in has, or that is not named, is told as what another sign-in does not mend', async () => {
	const { mcp, at } = await started()
	await connect(at)
	mcp.options.scopeOf = () => 'another'
	for (const [needed, said, told] of [
		[
			'read',
			'signing in again does not help',
			'want of a scope that the sign-in has: read. Signing in again',
		],
		['', 'does not name it; ask who runs it', 'does not name it. Ask who runs it'],
		['x'.repeat(501), 'does not name it; ask who runs it', 'does not name it. Ask who runs it'],
	] as const) {
		mcp.options.needs = { charge: needed }
		expect((await run(host, at)).body).toMatchObject({ status: 'succeeded', usage: { failed_tool_calls: 1 } })
		expect(lastAnswer()).toContain(said)
		const last_error = expect.stringContaining(told)
		await expect
			.poll(() => credentialOf(at))
			.toMatchObject({ state: 'ready', missing_scope: null, last_error })
	}
	expect(mcp.calls).toEqual([])
})

// Proves: connect.missing-scope, connect.scope-refused
test('a server that puts commas between the names of scopes is understood', async () => {
	const { mcp, server, at } = await started()
	server.between = ','
	mcp.options.needs = { charge: 'pay:write' }
	await connect(at)
	expect((await run(host, at)).body).toMatchObject({ usage: { failed_tool_calls: 1 } })
	await expect.poll(async () => (await credentialOf(at)).missing_scope).toBe('pay:write')
	expect((await connect(at)).stderr).not.toContain('still does not allow')
	expect(await credentialOf(at)).toMatchObject({ state: 'ready', scope: 'read pay:write' })
	// What it has is turned away: the next call refreshes.
	server.tokens.clear()
	mcp.options.scopeOf = () => 'another'
	expect((await run(host, at)).body).toMatchObject({ usage: { failed_tool_calls: 1 } })
	expect(lastAnswer()).toContain('signing in again does not help')
})

// Proves: connect.own-client
test('a server without registration is signed in to by a client of the owner, whose secret goes there alone', async () => {
	const { mcp, server, at } = await started()
	server.metadata.registration_endpoint = undefined
	const without = await connectBy(env, at.name, allowAt)
	expect(without.code).toBe(1)
	expect(without.stderr).toContain('berth connect --client-id ID')
	const { name } = connectorOf(at)
	for (const [method, prove] of [
		['client_secret_basic', { authorization: `Basic ${btoa('my%20client:s%3A1')}` }],
		['client_secret_post', { form: { client_id: 'my client', client_secret: 's:1' } }],
	] as const) {
		server.metadata.token_endpoint_auth_methods_supported = [method]
		const client = ['--client-id', 'my client', '--client-secret-env', 'SECRET']
		const done = await connectBy({ ...env, SECRET: 's:1' }, at.name, allowAt, [
			...client,
			'--all',
			'--connector',
			name,
		])
		expect(done, done.stderr).toMatchObject({ code: 0 })
		expect(server.asked.at(-1)).toMatchObject({ path: '/token', ...prove })
		// What it has is turned away: the next call refreshes.
		server.tokens.clear()
		expect((await run(host, at)).body.status).toBe('succeeded')
		expect(server.asked.at(-1)).toMatchObject({ path: '/token', ...prove })
		expect(server.asked.at(-1)?.form.grant_type).toBe('refresh_token')
	}
	expect(server.asked.map(({ path }) => path)).not.toContain('/register')
	expect(JSON.stringify([mcp.requests, host.logs()])).not.toContain('s:1')
})

// Proves: connect.other-server
test('a connector with another authorization server is sent no token of the old one, until it is connected anew', async () => {
	const { mcp, server, connector, at } = await started()
	await connect(at)
	const next = await startAuthorization()
	onTestFinished(next.close)
	connector.server = next
	const answer = await run(host, at)
	expect(answer).toMatchObject({ status: 409, body: { code: 'connector_not_connected' } })
	expect(await credentialOf(at)).toMatchObject({
		state: 'needs_sign_in',
		last_error: expect.stringContaining(`it was ${server.issuer}, and is now ${next.issuer}`),
	})
	// Neither server saw the refresh token.
	expect([...server.asked, ...next.asked].filter(({ form }) => form.refresh_token)).toEqual([])
	const before = mcp.requests.length
	await run(host, at)
	expect(mcp.requests).toHaveLength(before)
	await connect(at)
	expect((await run(host, at)).body.status).toBe('succeeded')
})

// Proves: connect.client-document
test('a host with a public address has a client document, which stands for a registration where it is read', async () => {
	expect((await host.call('/oauth/client.json')).status).toBe(404)
	const publicHost = await startHost({ env: { BASE_URL: 'https://berth.example.com' } })
	onTestFinished(() => publicHost.close())
	const at = publicHost.url
	const document = await (await fetch(`${at}/oauth/client.json`)).json()
	const id = 'https://berth.example.com/oauth/client.json'
	const redirect_uris = ['http://127.0.0.1/callback']
	expect(document).toMatchObject({ client_id: id, redirect_uris, token_endpoint_auth_method: 'none' })
	const { mcp, server, close } = await startProtected()
	onTestFinished(close)
	const clientAt = async (where: string) => {
		const { url } = await beginConnect(mcp.url, 'http://127.0.0.1:5000/callback', { scopes: [], host: where })
		return new URL(url).searchParams.get('client_id')
	}
	expect(await clientAt(at)).toBe('registered')
	server.metadata.client_id_metadata_document_supported = true
	expect(await clientAt(at)).toBe(id)
	expect(await clientAt(host.url)).toBe('registered')
})

// Proves: connect.client-document
test.each([
	['https://berth.example.com', true],
	['http://berth.example.com', false],
	['https://10.0.0.1', false],
	['https://[::1]', false],
	['https://berth.internal', false],
	['https://localhost', false],
])('%s is public: %s', (url, is) => {
	expect(isPublicOrigin(url)).toBe(is)
})
