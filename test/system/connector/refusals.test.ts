import { once } from 'node:events'
import { request } from 'node:http'
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Database } from '../../../host/db/index.ts'
import { openBrowser } from '../../kit/browser.ts'
import { addAccount, type Guard, startGuard } from '../../kit/guard.ts'
import { openTestDatabase } from '../../kit/guard-database.ts'
import { authorizeUrl, pkce, post, redirect, register, tokensFor } from '../../kit/oauth-clients.ts'

// What anyone can send without signing in is answered by its rule, never with a failure of ours.

let database: Database
let guard: Guard
let base: string
let person: Awaited<ReturnType<typeof addAccount>>
/** What the client document holds beside its name and address. */
let documented: Record<string, unknown> = {}

const documentUrl = 'https://client.example/oauth.json'

beforeAll(async () => {
	database = await openTestDatabase()
	const fetch = async () =>
		Response.json({ client_id: documentUrl, redirect_uris: ['http://127.0.0.1/callback'], ...documented })
	guard = await startGuard(database, { fetch })
	base = guard.baseUrl
	person = await addAccount(database)
})
afterAll(async () => {
	await guard?.close()
	await database?.close()
})

async function tryRegister(body: string | Record<string, unknown>) {
	const response = await fetch(`${base}/register`, {
		method: 'POST',
		headers: { 'content-type': 'application/json', origin: 'https://inspector.example' },
		body: typeof body === 'string' ? body : JSON.stringify({ redirect_uris: [redirect], ...body }),
	})
	expect(response.headers.get('access-control-allow-origin')).toBe('*')
	const { error } = (await response.json()) as { error?: string }
	return [response.status, error]
}

describe('text that cannot be stored (RFC 7591 §3.2.2, RFC 6749 §4.1.2.1 and §5.2)', () => {
	const deep = '['.repeat(7_000) + ']'.repeat(7_000)
	const registrations = {
		'NUL in the name': { client_name: 'a\0b' },
		'a lone surrogate in the name': { client_name: 'a\ud800' },
		'NUL in a redirect': { redirect_uris: [`${redirect}/\0`] },
		'NUL deep in an unknown field': { x_vendor: { a: [{ b: 'c\0' }] } },
		'a lone surrogate as a field’s name': { x_vendor: { '\udc00': 1 } },
		'an identifier that is not text': `{"redirect_uris":["${redirect}"],"client_id":${deep}}`,
	}
	for (const [name, body] of Object.entries(registrations)) {
		// Proves: guard-oauth.registration-errors
		it(`${name} is no client’s metadata`, async () => {
			expect(await tryRegister(body)).toEqual([400, 'invalid_client_metadata'])
		})
	}
	// Proves: guard-oauth.lenient-registration
	it('whole characters beyond the first plane are text', async () => {
		expect((await register(base, { client_name: 'Client 🦊' })).client_name).toBe('Client 🦊')
	})
	// Proves: guard-oauth.registration-errors
	it('an update with NUL is refused like a registration', async () => {
		const made = await register(base)
		const response = await fetch(made.registration_client_uri as string, {
			method: 'PUT',
			headers: {
				'content-type': 'application/json',
				authorization: `Bearer ${made.registration_access_token}`,
			},
			body: JSON.stringify({ client_id: made.client_id, redirect_uris: [redirect], client_name: '\0' }),
		})
		expect([response.status, await response.json()]).toEqual([
			400,
			expect.objectContaining({ error: 'invalid_client_metadata' }),
		])
	})
	// Proves: guard-oauth.refused-on-page
	it('/authorize shows an error page when any parameter holds NUL, known or not', async () => {
		const { client_id } = await register(base)
		for (const name of ['state', 'client_id', 'redirect_uri', 'login_hint', 'resource', 'scope', 'odd']) {
			const url = authorizeUrl(base, client_id, pkce().challenge, { [name]: 'a\0b' })
			const page = await openBrowser().open(url)
			expect([name, page.status, page.url.origin]).toEqual([name, 400, base])
			expect(page.text).toContain('NUL')
		}
	})
	for (const path of ['/token', '/revoke']) {
		it(`${path} answers invalid_request when any parameter holds NUL`, async () => {
			const { client_id } = await register(base)
			for (const name of ['client_id', 'token', 'code', 'refresh_token', 'code_verifier', 'odd']) {
				const body = new URLSearchParams({ grant_type: 'refresh_token', token: 'x', refresh_token: 'x' })
				body.set('client_id', client_id)
				body.set(name, 'a\0b')
				const response = await fetch(`${base}${path}`, { method: 'POST', body })
				expect([name, response.status, await response.json()]).toEqual([
					name,
					400,
					{ error: 'invalid_request', error_description: 'a parameter holds a NUL character' },
				])
			}
		})
		it(`${path} answers invalid_request when it cannot be read as a form`, async () => {
			const bodies = [new Blob(['{}'], { type: 'application/json' }), new TextEncoder().encode('token=x')]
			for (const body of [...bodies, undefined]) {
				const response = await fetch(`${base}${path}`, { method: 'POST', body })
				expect([response.status, await response.json()]).toEqual([
					400,
					expect.objectContaining({ error: 'invalid_request' }),
				])
			}
		})
	}
	it('an e-mail with NUL is a wrong e-mail', async () => {
		const { client_id } = await register(base)
		const page = await openBrowser().open(authorizeUrl(base, client_id, pkce().challenge))
		const answer = await page.submit({ email: 'a\0b@x.y', password: 'p\0' })
		expect([answer.status, answer.text.includes('E-mail or password is wrong.')]).toEqual([401, true])
	})
})

describe('redirects that no client may have', () => {
	const refused = [
		'http://client.example/cb',
		'http://127.0.0.1.client.example/cb',
		'http://localhost.client.example/cb',
		'http://192.168.0.1/cb',
		'https://user@client.example/cb',
		'https://user:password@client.example/cb',
		'http://user@127.0.0.1/cb',
		'cursor://user@host/cb',
		'https://client.example/cb#part',
		'https://client.example/cb#',
		'cursor://host/cb#part',
		'https://*.client.example/cb',
		'https://*/cb',
		'cursor://*/cb',
		'http://127.0.0.1:*/cb',
		'ws://127.0.0.1/cb',
		'wss://client.example/cb',
		'javascript:alert(1)',
		'JavaScript:alert(1)',
		'java\tscript:alert(1)',
		'data:text/html,x',
		'file:///etc/passwd',
		'ftp://client.example/cb',
		'chrome://settings',
		'Chrome-Extension://abcdef/cb',
		'edge://settings',
		'moz-extension://abcdef/cb',
		'about:blank',
		'blob:https://client.example/1',
		'vbscript:x',
		'view-source:https://client.example/',
		'intent://scan/#Intent;end',
		'ms-settings:privacy',
		'ms-word:ofe|u|https://client.example/',
		'search-ms:query=x',
		'resource://app/cb',
		'/callback',
		'',
	]
	// Proves: guard-oauth.redirects-refused
	it('are refused, alone and beside a good one', async () => {
		for (const uri of refused) {
			const outcomes = [[uri], [redirect, uri], ['https://client.example/cb', uri]]
			for (const redirect_uris of outcomes)
				expect([uri, await tryRegister({ redirect_uris })]).toEqual([uri, [400, 'invalid_redirect_uri']])
		}
		for (const redirect_uris of [[], [1], 'https://client.example/cb', null])
			expect(await tryRegister({ redirect_uris })).toEqual([400, 'invalid_redirect_uri'])
	})
	const kept = [
		'https://client.example/cb?a=1',
		'https://client.example:8443/a/b',
		'https://localhost:3000/cb',
		'http://127.0.0.1/',
		'http://127.0.0.1:49152/a/b',
		'http://[::1]:4000/cb',
		'http://localhost/oauth/callback',
		'cursor://anysphere.cursor-retrieval/oauth/callback',
		'com.example.app:/cb',
		'vscode://publisher.extension/cb',
		'vscode-insiders://publisher.extension/cb',
		'msauth.com.example.app://auth',
		'com.example.app://cb',
	]
	// Proves: guard-oauth.redirects-taken
	it('are none of those that real clients use', async () => {
		for (const uri of kept)
			expect((await register(base, { redirect_uris: [uri] })).redirect_uris).toEqual([uri])
	})
	for (const [name, fields] of Object.entries({
		'an unsafe redirect': { redirect_uris: ['http://127.0.0.1/callback', 'http://client.example/cb'] },
		'NUL in its name': { client_name: 'a\0b' },
	})) {
		// Proves: guard-oauth.metadata-document-client
		it(`a client document with ${name} is no client’s`, async () => {
			documented = fields
			const page = await openBrowser().open(authorizeUrl(base, documentUrl, pkce().challenge))
			expect([page.status, page.url.origin]).toEqual([400, base])
			expect(page.text).toContain(`metadata document, ${documentUrl}, cannot be used`)
		})
	}
})

describe('/mcp with little in the headers', () => {
	/** `fetch` would add an `Accept` of its own. */
	async function list(accessToken: string, accept: string | undefined, modern: boolean) {
		const sent = request(`${base}/mcp`, {
			method: 'POST',
			headers: {
				authorization: `Bearer ${accessToken}`,
				'content-type': 'application/json',
				...(accept !== undefined && { accept }),
				...(modern && { 'mcp-protocol-version': '2026-07-28', 'mcp-method': 'tools/list' }),
			},
		})
		const _meta = {
			'io.modelcontextprotocol/protocolVersion': '2026-07-28',
			'io.modelcontextprotocol/clientInfo': { name: 'bare', version: '1' },
			'io.modelcontextprotocol/clientCapabilities': {},
		}
		const params = modern ? { params: { _meta } } : {}
		sent.end(JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list', ...params }))
		const [response] = await once(sent, 'response')
		return { status: response.statusCode, type: response.headers['content-type'], body: await text(response) }
	}
	// Proves: guard.both-eras
	it('answers JSON when the caller takes anything, JSON, or does not say, in both eras', async () => {
		const { access_token } = await tokensFor(base, person)
		for (const modern of [false, true]) {
			for (const accept of [undefined, '*/*', 'application/json', 'application/*;q=0.8, text/html']) {
				const { status, type, body } = await list(access_token, accept, modern)
				expect([modern, accept, status, type]).toEqual([
					modern,
					accept,
					200,
					expect.stringMatching(/^application\/json/),
				])
				expect(JSON.parse(body).result.tools).toHaveLength(6)
			}
		}
		expect((await list(access_token, 'text/html', false)).status).toBe(406)
	})
	for (const method of ['PUT', 'PATCH']) {
		// Proves: guard-oauth.challenge
		it(`${method} is challenged like POST without a token, and not allowed with one`, async () => {
			const challenged = await fetch(`${base}/mcp`, { method: 'POST', body: '{}' })
			const bare = await fetch(`${base}/mcp`, { method, body: '{}' })
			expect([bare.status, bare.headers.get('www-authenticate'), await bare.text()]).toEqual([
				401,
				challenged.headers.get('www-authenticate'),
				await challenged.text(),
			])
			const { access_token } = await tokensFor(base, person)
			const headers = { authorization: `Bearer ${access_token}` }
			const known = await fetch(`${base}/mcp`, { method, headers, body: '{}' })
			expect([known.status, known.headers.get('allow')]).toEqual([405, 'POST'])
			expect((await post(base, access_token, { jsonrpc: '2.0', id: 1, method: 'tools/list' })).status).toBe(
				200,
			)
		})
	}
})
