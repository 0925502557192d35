import { createServer } from 'node:http'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Database } from '../../../host/db/index.ts'
import { openBrowser } from '../../kit/browser.ts'
import { addAccount, type Guard, startGuard } from '../../kit/guard.ts'
import { openTestDatabase } from '../../kit/guard-database.ts'
import {
	authorize,
	authorizeUrl,
	call,
	connect,
	memoryAuth,
	pkce,
	post,
	redirect,
	register,
	signIn,
	token,
	tokensFor,
} from '../../kit/oauth-clients.ts'

let database: Database
let guard: Guard
let base: string
let person: Awaited<ReturnType<typeof addAccount>>

const documentUrl = 'https://client.example/oauth.json'

beforeAll(async () => {
	database = await openTestDatabase()
	guard = await startGuard(database, { fetch: clientDocument as typeof fetch })
	base = guard.baseUrl
	person = await addAccount(database)
})
afterAll(async () => {
	await guard?.close()
	await database?.close()
})

async function clientDocument(url: string) {
	expect(String(url)).toBe(documentUrl)
	const redirect_uris = ['http://127.0.0.1/callback']
	return Response.json({ client_id: documentUrl, client_name: 'Documented', redirect_uris, odd: [1] })
}

/** A code for a new client, and what is needed to exchange it. */
async function codeFor(more: Record<string, string> = {}) {
	const { client_id } = await register(base)
	const { verifier, challenge } = pkce()
	const answer = await authorize(authorizeUrl(base, client_id, challenge, more), person)
	const code = answer.searchParams.get('code') ?? ''
	const grant = {
		grant_type: 'authorization_code',
		client_id,
		code,
		code_verifier: verifier,
		redirect_uri: redirect,
	}
	return { answer, grant }
}

function refresh(client_id: string, refresh_token: string, more: Record<string, string> = {}) {
	return token(base, { grant_type: 'refresh_token', client_id, refresh_token, ...more })
}

async function usable(accessToken: string): Promise<boolean> {
	const response = await post(base, accessToken, { jsonrpc: '2.0', id: 1, method: 'tools/list' })
	return response.status === 200
}

describe('discovery', () => {
	// Proves: guard-oauth.resource-metadata, guard-oauth.scopes
	it('the resource metadata has exactly its five fields and three scopes', async () => {
		const response = await fetch(`${base}/.well-known/oauth-protected-resource/mcp`)
		expect(response.headers.get('content-type')).toContain('application/json')
		expect(response.headers.get('access-control-allow-origin')).toBe('*')
		expect(await response.json()).toEqual({
			resource: `${base}/mcp`,
			authorization_servers: [base],
			scopes_supported: ['guard:verify', 'guard:screen', 'guard:find'],
			bearer_methods_supported: ['header'],
			resource_name: 'Guard',
		})
	})
	// Proves: guard-oauth.server-metadata
	it('the server metadata names the fixed paths and the protected resources', async () => {
		const response = await fetch(`${base}/.well-known/oauth-authorization-server`)
		expect(await response.json()).toMatchObject({
			issuer: base,
			authorization_endpoint: `${base}/authorize`,
			token_endpoint: `${base}/token`,
			registration_endpoint: `${base}/register`,
			protected_resources: [`${base}/mcp`, `${base}/v1`],
			code_challenge_methods_supported: ['S256'],
			authorization_response_iss_parameter_supported: true,
			client_id_metadata_document_supported: true,
		})
	})
	for (const method of ['POST', 'GET', 'HEAD', 'DELETE']) {
		// Proves: guard-oauth.challenge
		it(`${method} /mcp without a token gets the fixed challenge`, async () => {
			const response = await fetch(`${base}/mcp`, { method, ...(method === 'POST' && { body: '{}' }) })
			expect(response.status).toBe(401)
			expect(response.headers.get('www-authenticate')).toBe(
				`Bearer realm="OAuth", resource_metadata="${base}/.well-known/oauth-protected-resource/mcp", scope="guard:verify guard:screen guard:find"`,
			)
		})
	}
	// Proves: guard-oauth.cors
	it('browsers may call /token, /revoke and /register from anywhere', async () => {
		for (const path of ['/token', '/revoke', '/register']) {
			const response = await fetch(`${base}${path}`, {
				method: 'OPTIONS',
				headers: {
					origin: 'https://inspector.example',
					'access-control-request-method': 'POST',
					'access-control-request-headers': 'authorization, content-type, mcp-protocol-version',
				},
			})
			expect([path, response.status]).toEqual([path, 204])
			expect(['*', 'https://inspector.example']).toContain(
				response.headers.get('access-control-allow-origin'),
			)
			expect(response.headers.get('access-control-allow-headers')).toContain('mcp-protocol-version')
		}
	})
})

describe('registration takes what real clients send', () => {
	// Proves: guard-oauth.registration, guard-oauth.lenient-registration
	it('unknown fields, odd grant types and no method are taken; the answer can be managed', async () => {
		const made = await register(base, {
			token_endpoint_auth_method: undefined,
			client_name: 'Odd client',
			grant_types: ['authorization_code', 'urn:ietf:params:oauth:grant-type:device_code'],
			scope: 'openid profile',
			contacts: ['nobody'],
			logo_uri: '',
			x_vendor: { a: 1 },
		})
		expect(made).toMatchObject({
			token_endpoint_auth_method: 'client_secret_basic',
			grant_types: ['authorization_code', 'refresh_token', 'urn:ietf:params:oauth:grant-type:device_code'],
			registration_client_uri: `${base}/register/${made.client_id}`,
		})
		expect(made.client_secret).toMatch(/^\S{40,}$/)
		const read = await fetch(made.registration_client_uri as string, {
			headers: { authorization: `Bearer ${made.registration_access_token}` },
		})
		expect(await read.json()).toMatchObject({ client_id: made.client_id, client_secret: made.client_secret })
	})
	// Proves: guard-oauth.client-secrets
	it('secrets are kept encrypted and identifiers hashed', async () => {
		const made = await register(base, { token_endpoint_auth_method: 'client_secret_post' })
		const rows = await database.sql`select model, id, payload::text as payload from guard_oauth`
		const stored = JSON.stringify(rows)
		expect(stored).not.toContain(made.client_secret)
		expect(stored).not.toContain(made.registration_access_token)
		expect(stored).toContain('wrapped:')
	})
	const faults = {
		'no redirect': { redirect_uris: undefined },
		'a script as redirect': { redirect_uris: ['javascript:alert(1)'] },
		'an unknown method': { token_endpoint_auth_method: 'magic' },
	}
	for (const [name, metadata] of Object.entries(faults)) {
		// Proves: guard-oauth.registration-errors
		it(`${name} is refused as RFC 7591 says`, async () => {
			const response = await fetch(`${base}/register`, {
				method: 'POST',
				headers: { 'content-type': 'application/json' },
				body: JSON.stringify({ redirect_uris: [redirect], ...metadata }),
			})
			expect(response.status).toBe(400)
			expect(((await response.json()) as { error: string }).error).toMatch(
				/^invalid_(redirect_uri|client_metadata)$/,
			)
		})
	}
	it('what is not JSON is refused', async () => {
		const response = await fetch(`${base}/register`, {
			method: 'POST',
			headers: { 'content-type': 'application/json' },
			body: '{"redirect_uris":',
		})
		expect(response.status).toBe(400)
		expect(await response.json()).toMatchObject({ error: 'invalid_request' })
	})
})

describe('authorization', () => {
	// Proves: guard-oauth.code-pkce, guard-oauth.issuer, guard-oauth.no-scope
	// Proves: guard-oauth.client-authentication
	it('answers with code, state and issuer, and the code buys tokens for all three scopes', async () => {
		const { answer, grant } = await codeFor()
		expect(Object.fromEntries(answer.searchParams)).toMatchObject({ state: 'the-state', iss: base })
		const { status, body } = await token(base, grant)
		expect(status).toBe(200)
		expect(body).toMatchObject({
			token_type: 'Bearer',
			expires_in: 3600,
			scope: 'guard:verify guard:screen guard:find',
		})
		expect(await usable(body.access_token ?? '')).toBe(true)
	})
	const redirects = {
		'another loopback port': [redirect, 'http://127.0.0.1:1/callback'],
		'localhost with a path': ['http://localhost/a/b', 'http://localhost:50123/a/b'],
		'a private-use scheme': ['cursor://anysphere.cursor-retrieval/oauth/callback'],
		'IPv6 loopback': ['http://[::1]:4000/cb'],
		'a web address beside loopback': ['http://127.0.0.1:33418/', 'https://vscode.dev/redirect'],
	}
	for (const [name, [registered = '', asked = registered]] of Object.entries(redirects)) {
		// Proves: guard-oauth.redirects-taken
		it(`${name} is answered, and the pages’ policy lets the browser go there`, async () => {
			const { client_id } = await register(base, {
				redirect_uris: [...new Set([registered, asked.startsWith('https') ? asked : registered])],
			})
			const { verifier, challenge } = pkce()
			const url = authorizeUrl(base, client_id, challenge, { redirect_uri: asked })
			const answer = await authorize(url, person)
			expect(answer.href.startsWith(asked)).toBe(true)
			const code = answer.searchParams.get('code') ?? ''
			const grant = {
				grant_type: 'authorization_code',
				client_id,
				code,
				code_verifier: verifier,
				redirect_uri: asked,
			}
			expect((await token(base, grant)).status).toBe(200)
		})
	}
	// Proves: guard-oauth.unknown-parameters
	it('unknown parameters, scopes and prompts are no obstacle', async () => {
		const { grant } = await codeFor({
			scope: 'openid offline_access guard:find',
			nonce: 'n',
			audience: 'x',
			access_type: 'offline',
			prompt: 'create consent',
			max_age: '5',
		})
		expect((await token(base, grant)).body.scope).toBe('guard:find')
	})
	for (const method of ['client_secret_post', 'client_secret_basic']) {
		// Proves: guard-oauth.client-authentication
		it(`a client with ${method} gets its tokens, and not with a wrong secret`, async () => {
			const { client_id, client_secret = '' } = await register(base, { token_endpoint_auth_method: method })
			const { verifier, challenge } = pkce()
			const answer = await authorize(authorizeUrl(base, client_id, challenge), person)
			const grant = {
				grant_type: 'authorization_code',
				code: answer.searchParams.get('code') ?? '',
				code_verifier: verifier,
				redirect_uri: redirect,
			}
			const send = (secret: string) =>
				method === 'client_secret_post'
					? token(base, { ...grant, client_id, client_secret: secret })
					: token(base, grant, { authorization: `Basic ${btoa(`${client_id}:${secret}`)}` })
			expect(await send(`${client_secret}x`)).toMatchObject({
				status: 401,
				body: { error: 'invalid_client' },
			})
			expect((await send(client_secret)).status).toBe(200)
		})
	}
	// Proves: guard-oauth.metadata-document-client
	it('a client that is a metadata document signs in on any loopback port', async () => {
		const auth = memoryAuth({
			clientMetadataUrl: documentUrl,
			redirectUrl: 'http://127.0.0.1:50999/callback',
		})
		const client = await connect.v2(base, person, auth)
		expect(auth.asked?.searchParams.get('client_id')).toBe(documentUrl)
		expect((await client.listTools()).tools).toHaveLength(6)
		await client.close()
	})
	// Proves: guard-oauth.select-account
	it('the account is asked for again when the client wants that, and can be another', async () => {
		const browser = openBrowser()
		const { client_id } = await register(base)
		const { challenge } = pkce()
		const url = authorizeUrl(base, client_id, challenge, { prompt: 'select_account' })
		await authorize(url, person, browser)
		const other = await addAccount(database)
		const page = await browser.open(url)
		expect(page.html).toContain('type="password"')
		const consent = await page.submit({ email: other.email, password: other.password })
		expect(consent.text).toContain(other.email)
		expect((await consent.submit({}, 'Allow')).url.searchParams.get('code')).toMatch(/^[\w-]{20,}$/)
		const again = await browser.open(authorizeUrl(base, client_id, challenge))
		expect(again.text).toContain(other.email)
		const switched = await again.follow('Use another account')
		expect((await switched.submit({ email: person.email, password: person.password })).text).toContain(
			person.email,
		)
	})
	// Proves: guard-oauth.platform-sign-in
	it('who is signed in at the Platform is not asked for a password', async () => {
		const front = createServer((request, response) => {
			response.setHeader('set-cookie', `test_session=${person.id}; path=/`)
			response.end(request.url)
		})
		await new Promise<void>((listening) => front.listen(0, '127.0.0.1', listening))
		const browser = openBrowser()
		await browser.open(`http://127.0.0.1:${(front.address() as { port: number }).port}/`)
		front.close()
		const { client_id } = await register(base)
		const page = await browser.open(authorizeUrl(base, client_id, pkce().challenge))
		expect(page.text).toContain(person.email)
	})
	it('a sign-in begun on one host goes on at another', async () => {
		const other = await startGuard(database, { baseUrl: base })
		const browser = openBrowser()
		const { client_id } = await register(base)
		const page = await browser.open(authorizeUrl(base, client_id, pkce().challenge))
		const [, path = ''] = /<form[^>]*action="([^"]*)"/.exec(page.html) ?? []
		const [, csrf = ''] = /name="csrf" value="([^"]*)"/.exec(page.html) ?? []
		const cookies = Object.entries(browser.cookies(new URL(path, base)))
		const response = await fetch(`${other.baseUrl}${path}`, {
			method: 'POST',
			redirect: 'manual',
			headers: { cookie: cookies.map(([name, value]) => `${name}=${value}`).join('; '), origin: base },
			body: new URLSearchParams({ csrf, email: person.email, password: person.password }),
		})
		expect(response.status).toBe(303)
		expect((await browser.open(response.headers.get('location') ?? '')).text).toContain('Allow')
		await other.close()
	})
	// Proves: guard-oauth.refused-to-client
	it('a client that is not allowed is told so', async () => {
		const { client_id } = await register(base)
		const page = await signIn(authorizeUrl(base, client_id, pkce().challenge), person, openBrowser())
		const answer = (await page.submit({}, 'Cancel')).url
		expect(Object.fromEntries(answer.searchParams)).toMatchObject({
			error: 'access_denied',
			state: 'the-state',
			iss: base,
		})
	})
})

describe('what is refused', () => {
	const asked = {
		'a redirect that was not registered': [{ redirect_uri: 'https://evil.example/cb' }, 'redirect_uri'],
		'another path on loopback': [{ redirect_uri: 'http://127.0.0.1:49152/other' }, 'redirect_uri'],
		'a client nobody knows': [{ client_id: 'nobody' }, 'client'],
	} as const
	for (const [name, [more, hint]] of Object.entries(asked)) {
		// Proves: guard-oauth.refused-on-page
		it(`${name} ends on a page of ours, never at the redirect`, async () => {
			const { client_id } = await register(base)
			const page = await openBrowser().open(authorizeUrl(base, client_id, pkce().challenge, more))
			expect(page.url.origin).toBe(base)
			expect(page.status).toBe(400)
			expect(page.text).toContain(hint)
		})
	}
	const answered = {
		'no PKCE': [{ code_challenge: '', code_challenge_method: '' }, 'invalid_request'],
		'PKCE in the clear': [{ code_challenge_method: 'plain' }, 'invalid_request'],
		'another resource': [{ resource: 'https://other.example/mcp' }, 'invalid_target'],
		'no code': [{ response_type: 'token' }, 'unsupported_response_type'],
	} as const
	for (const [name, [more, error]] of Object.entries(answered)) {
		// Proves: guard-oauth.refused-to-client
		it(`${name} is answered to the client with ${error}`, async () => {
			const { client_id } = await register(base)
			const { url } = await openBrowser().open(authorizeUrl(base, client_id, pkce().challenge, more))
			expect(url.href.startsWith(redirect)).toBe(true)
			expect(new URLSearchParams(url.search || url.hash.slice(1)).get('error')).toBe(error)
		})
	}
	// Proves: guard-oauth.code-pkce
	it('a wrong verifier buys nothing', async () => {
		const { grant } = await codeFor()
		const { status, body } = await token(base, { ...grant, code_verifier: pkce().verifier })
		expect([status, body.error]).toEqual([400, 'invalid_grant'])
	})
	// Proves: guard-oauth.code-once
	it('a code replayed ends what it had bought', async () => {
		const { grant } = await codeFor()
		const first = await token(base, grant)
		expect(first.status).toBe(200)
		expect(await token(base, grant)).toMatchObject({ status: 400, body: { error: 'invalid_grant' } })
		await expect.poll(() => usable(first.body.access_token ?? '')).toBe(false)
	})
	// Proves: guard-oauth.code-once
	it('of fifty exchanges of one code at once, at most one is answered', async () => {
		const { grant } = await codeFor()
		const outcomes = await Promise.all(Array.from({ length: 50 }, () => token(base, grant)))
		expect(outcomes.filter(({ status }) => status === 200).length).toBeLessThanOrEqual(1)
		expect(new Set(outcomes.map(({ status }) => status))).not.toContain(500)
	})
	// Proves: guard-oauth.one-resource
	it('a token for one resource is none for the other', async () => {
		const api = await tokensFor(base, person, { resource: `${base}/v1` })
		expect(api.scope).toBe('account')
		expect(await guard.connector.verifyAccessToken(api.access_token, `${base}/v1`)).toMatchObject({
			accountId: person.id,
		})
		expect(await usable(api.access_token)).toBe(false)
		const mcp = await tokensFor(base, person)
		expect(await guard.connector.verifyAccessToken(mcp.access_token, `${base}/v1`)).toBeNull()
	})
	// Proves: guard-oauth.expired
	it('an expired token is refused as invalid', async () => {
		const { access_token } = await tokensFor(base, person)
		await database.sql`update guard_oauth set expires_at = now() - interval '1 second' where model = 'AccessToken'`
		const response = await post(base, access_token, { jsonrpc: '2.0', id: 1, method: 'tools/list' })
		expect(response.status).toBe(401)
		expect(response.headers.get('www-authenticate')).toContain('error="invalid_token"')
	})
	// Proves: guard-oauth.insufficient-scope
	it('a call beyond the token’s scope is 403 insufficient_scope; tools without a scope are open to it', async () => {
		const { access_token } = await tokensFor(base, person, { scope: 'guard:find' })
		const response = await post(base, access_token, {
			jsonrpc: '2.0',
			id: 1,
			method: 'tools/call',
			params: { name: 'guard_verify', arguments: {} },
		})
		expect(response.status).toBe(403)
		expect(response.headers.get('www-authenticate')).toMatch(
			/^Bearer .*scope="guard:verify", error="insufficient_scope"/,
		)
		expect((await call(base, access_token, 'guard_noul', { propositions: ['x'] })).isError).toBe(false)
	})
	// Proves: guard-oauth.consent-forgery
	it('consent cannot be given by another site’s form, nor by another browser', async () => {
		const { client_id } = await register(base)
		const browser = openBrowser()
		const page = await signIn(authorizeUrl(base, client_id, pkce().challenge), person, browser)
		const action = new URL(/<form[^>]*action="([^"]*)"/.exec(page.html)?.[1] ?? '', base)
		const csrf = /name="csrf" value="([^"]*)"/.exec(page.html)?.[1] ?? ''
		const cookie = Object.entries(browser.cookies(action))
			.map(([name, value]) => `${name}=${value}`)
			.join('; ')
		const send = (body: Record<string, string>, headers: Record<string, string>) =>
			fetch(action, { method: 'POST', redirect: 'manual', body: new URLSearchParams(body), headers })
		const decision = 'allow'
		expect((await send({ decision }, { cookie, origin: base })).status).toBe(403)
		expect((await send({ decision, csrf: 'guess' }, { cookie })).status).toBe(403)
		expect((await send({ decision, csrf }, { cookie, origin: 'https://evil.example' })).status).toBe(403)
		expect((await send({ decision, csrf }, { cookie, 'sec-fetch-site': 'cross-site' })).status).toBe(403)
		expect((await send({ decision, csrf }, {})).status).toBe(400)
		expect((await send({ decision, csrf }, { cookie: cookie.replace(/=[^;]{6}/g, '=AAAAAA') })).status).toBe(
			400,
		)
		expect((await send({ decision, csrf }, { cookie })).status).toBe(303)
	})
	// Proves: guard-oauth.password-throttled
	it('a wrong password is refused, and too many tries are slowed', async () => {
		const { client_id } = await register(base)
		const stranger = await startGuard(database)
		const url = authorizeUrl(base, client_id, pkce().challenge).href.replaceAll(base, stranger.baseUrl)
		let page = await openBrowser().open(url)
		page = await page.submit({ email: person.email, password: 'wrong' })
		expect([page.status, page.text.includes('E-mail or password is wrong.')]).toEqual([401, true])
		for (let i = 0; i < 6; i++) page = await page.submit({ email: person.email, password: `wrong ${i}` })
		expect([page.status, page.headers.get('retry-after')]).toEqual([429, '7'])
		await stranger.close()
	})
	it('a client’s name is text on the page, whatever it holds', async () => {
		const { client_id } = await register(base, { client_name: '<script>alert(1)</script>"><b>' })
		const page = await openBrowser().open(authorizeUrl(base, client_id, pkce().challenge))
		expect(page.html).not.toContain('<script')
		expect(page.text).toContain('<script>alert(1)</script>')
		expect(page.headers.get('content-security-policy')).toMatch(/^default-src 'none'; style-src 'self'; /)
	})
})

describe('refresh tokens rotate', () => {
	// Proves: guard-oauth.refresh-repeat
	it('the client that lost the answer gets the same one within 30 s; another client gets nothing', async () => {
		const { refresh_token, clientId } = await tokensFor(base, person)
		const first = await refresh(clientId, refresh_token)
		expect(first.status).toBe(200)
		expect(first.body.refresh_token).not.toBe(refresh_token)
		const second = await refresh(clientId, refresh_token)
		const pair = ({ body }: typeof first) => [body.access_token, body.refresh_token]
		expect(pair(second)).toEqual(pair(first))
		const { client_id: thief } = await register(base)
		expect(await refresh(thief, refresh_token)).toMatchObject({
			status: 400,
			body: { error: 'invalid_grant' },
		})
		expect((await refresh(clientId, first.body.refresh_token ?? '')).status).toBe(200)
	})
	// Proves: guard-oauth.refresh-race
	it('fifty refreshes at once are one rotation', async () => {
		const { refresh_token, clientId } = await tokensFor(base, person)
		const outcomes = await Promise.all(Array.from({ length: 50 }, () => refresh(clientId, refresh_token)))
		expect(new Set(outcomes.map(({ status }) => status))).toEqual(new Set([200]))
		expect(new Set(outcomes.map(({ body }) => body.refresh_token)).size).toBe(1)
		const [stored] = await database.sql`
			select count(*)::int as n from guard_oauth
			where model = 'RefreshToken' and payload->>'clientId' = ${clientId}`
		expect(stored?.n).toBe(2)
	})
	// Proves: guard-oauth.refresh-reuse
	it('reuse after 30 s ends the whole family', async () => {
		const { refresh_token, clientId } = await tokensFor(base, person)
		const { body } = await refresh(clientId, refresh_token)
		expect(await usable(body.access_token ?? '')).toBe(true)
		await database.sql`
			update guard_oauth set consumed_at = now() - interval '31 seconds'
			where model = 'RefreshToken' and consumed_at is not null`
		expect(await refresh(clientId, refresh_token)).toMatchObject({
			status: 400,
			body: { error: 'invalid_grant' },
		})
		expect((await refresh(clientId, body.refresh_token ?? '')).status).toBe(400)
		await expect.poll(() => usable(body.access_token ?? '')).toBe(false)
	})
	// Proves: guard-oauth.revocation
	it('revoking reaches another host within a second', async () => {
		const other = await startGuard(database, { baseUrl: base })
		const { access_token, clientId } = await tokensFor(base, person)
		const list = { jsonrpc: '2.0', id: 1, method: 'tools/list' }
		expect((await post(other.baseUrl, access_token, list)).status).toBe(200)
		const gone = await fetch(`${base}/revoke`, {
			method: 'POST',
			body: new URLSearchParams({ token: access_token, client_id: clientId }),
		})
		expect(gone.status).toBe(200)
		const [grants] = await database.sql`
			select count(*)::int as n from guard_oauth where model = 'Grant' and payload->>'clientId' = ${clientId}`
		expect(grants?.n).toBe(0)
		await expect
			.poll(async () => (await post(other.baseUrl, access_token, list)).status, {
				timeout: 10_000,
			})
			.toBe(401)
		await other.close()
	})
})
