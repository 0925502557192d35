import { once } from 'node:events'
import { type IncomingMessage, request } from 'node:http'
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Database } from '../../../host/db/index.ts'
import { addAccount, type Guard, startGuard } from '../../kit/guard.ts'
import { openTestDatabase } from '../../kit/guard-database.ts'
import { tokensFor } from '../../kit/oauth-clients.ts'

// DNS rebinding: a page's own name is made to point here, and its visitors' browsers call for it. `Host` then holds the
// page's name, and `Origin` its address. MCP's transport demands that `Origin` is checked.

let database: Database
/** At a loopback address, and at a public one. */
let local: Guard
let open: Guard
let accessToken: string

beforeAll(async () => {
	database = await openTestDatabase()
	local = await startGuard(database)
	open = await startGuard(database, {
		baseUrl: 'https://guard.example',
		origins: ['https://app.example', 'vscode-webview://panel'],
	})
	const person = await addAccount(database)
	accessToken = (await tokensFor(local.baseUrl, person)).access_token
})
afterAll(async () => {
	await local?.close()
	await open?.close()
	await database?.close()
})

/** `fetch` sets neither `Host` nor `Origin` as it is told. */
async function ask(guard: Guard, headers: Record<string, string>, method = 'POST') {
	const sent = request(`${guard.baseUrl}/mcp`, {
		method,
		headers: { authorization: `Bearer ${accessToken}`, 'content-type': 'application/json', ...headers },
	})
	sent.end(method === 'POST' ? JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' }) : '')
	const [response] = (await once(sent, 'response')) as [IncomingMessage]
	return { status: response.statusCode, headers: response.headers, body: await text(response) }
}

const refused = 403
const port = () => new URL(local.baseUrl).port

describe('Origin', () => {
	// Proves: guard.origin
	it('is refused where it is not allowed, before the token is looked at, and named', async () => {
		const { status, headers, body } = await ask(local, {
			origin: 'http://evil.example',
			authorization: 'Bearer x',
		})
		expect([status, headers['access-control-allow-origin']]).toEqual([refused, undefined])
		expect(JSON.parse(body)).toEqual({
			jsonrpc: '2.0',
			id: null,
			error: { code: -32000, message: expect.stringMatching(/http:\/\/evil\.example.*GUARD_ORIGINS/) },
		})
	})
	for (const origin of ['https://evil.example', 'http://localhost.evil.example', 'null', 'http://10.0.0.1']) {
		// Proves: guard.origin
		it(`${origin} is refused, preflight too`, async () => {
			for (const guard of [local, open]) {
				expect((await ask(guard, { origin })).status).toBe(refused)
				const preflight = await ask(guard, { origin }, 'OPTIONS')
				expect([preflight.status, preflight.headers['access-control-allow-origin']]).toEqual([
					refused,
					undefined,
				])
			}
		})
	}
	// Proves: guard.origin-allowed
	it('of this computer, with any port, is allowed where the host is at this computer', async () => {
		const origins = ['http://localhost:6274', 'http://127.0.0.1:1', 'https://localhost', 'http://[::1]:3000']
		for (const origin of [local.baseUrl, ...origins]) {
			const { status, headers } = await ask(local, { origin })
			expect([origin, status]).toEqual([origin, 200])
			expect([headers['access-control-allow-origin'], headers.vary]).toEqual([origin, 'Origin'])
		}
		for (const origin of origins) expect((await ask(open, { origin })).status).toBe(refused)
	})
	// Proves: guard.origin-allowed
	it('may be the host’s own or one of the operator’s list, and the preflight says so', async () => {
		for (const origin of ['https://guard.example', 'https://app.example', 'vscode-webview://panel']) {
			const preflight = await ask(
				open,
				{
					origin,
					'access-control-request-method': 'POST',
					'access-control-request-headers': 'authorization, mcp-protocol-version',
				},
				'OPTIONS',
			)
			expect([origin, preflight.status, preflight.headers['access-control-allow-origin']]).toEqual([
				origin,
				204,
				origin,
			])
			expect(preflight.headers['access-control-allow-headers']).toContain('mcp-protocol-version')
			// Allowed, so the token is what is wrong: it is the other guard's.
			expect((await ask(open, { origin })).status).toBe(401)
		}
		for (const origin of ['http://guard.example', 'https://guard.example:444', 'https://app.example.evil'])
			expect([origin, (await ask(open, { origin })).status]).toEqual([origin, refused])
	})
	// Proves: guard.origin-allowed
	it('may be any where the operator says so', async () => {
		const any = await startGuard(database, { origins: ['*'] })
		const { status, headers } = await ask(any, { origin: 'https://inspector.example' }, 'OPTIONS')
		expect([status, headers['access-control-allow-origin']]).toEqual([204, 'https://inspector.example'])
		await any.close()
	})
})

describe('Host', () => {
	// Proves: guard.host-header
	it('is no name but this host’s own', async () => {
		for (const host of ['evil.example', 'evil.example:80', 'x@127.0.0.1', 'localhost.evil.example']) {
			const { status, body } = await ask(local, { host })
			expect([host, status]).toEqual([host, refused])
			expect(JSON.parse(body).error.message).toMatch(/BASE_URL/)
		}
	})
	// Proves: guard.host-header
	it('may be an address or localhost with any port: no page’s name can be made to look like one', async () => {
		const hosts = [`localhost:${port()}`, 'localhost', 'LOCALHOST:1', '127.0.0.1:9', `[::1]:${port()}`]
		for (const host of hosts) expect([host, (await ask(local, { host })).status]).toEqual([host, 200])
	})
	// Proves: guard.host-header
	it('may be BASE_URL’s, with its port or without', async () => {
		for (const host of ['guard.example', 'guard.example:443', 'Guard.Example'])
			expect([host, (await ask(open, { host })).status]).toEqual([host, 401])
	})
	// Proves: guard.host-header
	it('is the proxy’s to check where the operator trusts it', async () => {
		const forwarded = { 'x-forwarded-for': '203.0.113.7' }
		expect((await ask(open, { host: 'upstream', ...forwarded })).status).toBe(401)
		expect((await ask(open, { host: 'upstream', 'x-forwarded-host': 'guard.example' })).status).toBe(401)
		expect((await ask(open, { host: 'upstream', 'x-forwarded-host': 'evil.example' })).status).toBe(refused)
	})
})
