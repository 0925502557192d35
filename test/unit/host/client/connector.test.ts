import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { describe, expect, onTestFinished, test } from 'vitest'
import { beginConnect } from '../../../../host/owner/client/index.ts'

// The discovery of `berth connect` (RFC 9728, RFC 8414, MCP) against servers that are old, odd, or lie.

const REDIRECT = 'http://127.0.0.1:5000/callback'

type Documents = Record<string, object | undefined>

/** A connector at `/tools/mcp` and its authorization server; `change` bends what a good one says. */
async function server(change: (documents: Documents, origin: string) => void = () => {}, challenge = '') {
	const seen: string[] = []
	const documents: Documents = {}
	const http = createServer((request, response) => {
		seen.push(`${request.method} ${request.url}`)
		if (request.method === 'POST' && request.url === '/tools/mcp') {
			return void response.writeHead(401, { 'www-authenticate': challenge || 'Bearer' }).end()
		}
		const document = documents[request.url ?? '']
		const status = !document ? 404 : request.method === 'POST' ? 201 : 200
		response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(document ?? {}))
	})
	await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve))
	onTestFinished(() => void http.close())
	const origin = `http://127.0.0.1:${(http.address() as AddressInfo).port}`
	Object.assign(documents, {
		'/.well-known/oauth-protected-resource/tools/mcp': {
			resource: `${origin}/tools/mcp`,
			authorization_servers: [origin],
			scopes_supported: ['read', 'write'],
		},
		'/.well-known/oauth-authorization-server': metadata(origin),
		'/register': { client_id: 'client-1' },
	})
	change(documents, origin)
	const begin = (scopes: string[] = []) => beginConnect(`${origin}/tools/mcp`, REDIRECT, { scopes })
	return { origin, seen, begin }
}

const metadata = (origin: string, more: object = {}) => ({
	issuer: origin,
	authorization_endpoint: `${origin}/authorize`,
	token_endpoint: `${origin}/token`,
	registration_endpoint: `${origin}/register`,
	code_challenge_methods_supported: ['S256'],
	...more,
})

const asked = async (at: { begin(scopes?: string[]): Promise<{ url: string }> }, scopes?: string[]) =>
	Object.fromEntries(new URL((await at.begin(scopes)).url).searchParams)

describe('beginConnect', () => {
	// Proves: connect.scopes-of-entry
	test('asks for what the resource lists where the entry names no scope, else for those of the entry', async () => {
		const at = await server()
		expect(await asked(at)).toMatchObject({
			client_id: 'client-1',
			resource: `${at.origin}/tools/mcp`,
			scope: 'read write',
			redirect_uri: REDIRECT,
		})
		expect((await asked(at, ['read'])).scope).toBe('read')
		// An entry may name several.
		expect((await asked(at, ['read write', 'read', ' write'])).scope).toBe('read write')
	})

	// Proves: connect.challenge-first
	test('believes the challenge of the connector before guessing, but only about its own origin', async () => {
		const at = await server((documents, origin) => {
			documents['/meta'] = { resource: `${origin}/tools`, authorization_servers: [origin] }
		}, 'Bearer resource_metadata="http://evil.example/meta", scope="one two"')
		expect((await asked(at)).scope).toBe('one two')
		expect(at.seen).toContain('GET /.well-known/oauth-protected-resource/tools/mcp')
	})

	// Proves: connect.discovery
	test('takes a server without resource metadata for its own authorization server', async () => {
		const at = await server((documents) => {
			documents['/.well-known/oauth-protected-resource/tools/mcp'] = undefined
		})
		expect(await asked(at)).toMatchObject({ resource: `${at.origin}/tools/mcp` })
	})

	// Proves: connect.discovery
	test('finds an issuer with a path, by OpenID Connect discovery too, and asks it for refresh tokens', async () => {
		const at = await server((documents, origin) => {
			const issuer = `${origin}/tenant`
			documents['/.well-known/oauth-protected-resource/tools/mcp'] = {
				resource: `${origin}/tools/mcp`,
				authorization_servers: [issuer],
			}
			documents['/.well-known/oauth-authorization-server'] = undefined
			const scopes_supported = ['openid', 'offline_access']
			documents['/tenant/.well-known/openid-configuration'] = metadata(origin, { issuer, scopes_supported })
		})
		expect((await asked(at)).scope).toBe('offline_access')
	})

	// Proves: connect.pkce, connect.not-its-own-resource
	test.each<[string, RegExp, (documents: Documents, origin: string) => void]>([
		[
			'a resource that is another place',
			/which is another place/,
			(documents, origin) => {
				const other = { resource: 'https://bank.example/mcp', authorization_servers: [origin] }
				documents['/.well-known/oauth-protected-resource/tools/mcp'] = other
			},
		],
		[
			'a resource that only begins alike',
			/which is another place/,
			(documents, origin) => {
				const alike = { resource: `${origin}/tools/m`, authorization_servers: [origin] }
				documents['/.well-known/oauth-protected-resource/tools/mcp'] = alike
			},
		],
		[
			'metadata of another issuer',
			/says it is https:\/\/bank\.example/,
			(documents, origin) => {
				documents['/.well-known/oauth-authorization-server'] = metadata(origin, {
					issuer: 'https://bank.example',
				})
			},
		],
		[
			'a server without PKCE',
			/does not offer PKCE with S256/,
			(documents, origin) => {
				documents['/.well-known/oauth-authorization-server'] = metadata(origin, {
					code_challenge_methods_supported: ['plain'],
				})
			},
		],
		[
			'a server that registers nobody',
			/does not register clients/,
			(documents, origin) => {
				documents['/.well-known/oauth-authorization-server'] = metadata(origin, {
					registration_endpoint: undefined,
				})
			},
		],
		[
			'an address that is none of the web',
			/has no metadata of an authorization server/,
			(documents, origin) => {
				documents['/.well-known/oauth-authorization-server'] = metadata(origin, {
					authorization_endpoint: 'file:///etc/passwd',
				})
			},
		],
	])('refuses %s before a browser is sent anywhere', async (_, why, change) => {
		const at = await server(change)
		await expect(at.begin()).rejects.toMatchObject({
			code: 'sign_in_failed',
			message: expect.stringMatching(why),
		})
	})
})
