import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Database } from '../../../host/db/index.ts'
import { addAccount, type Guard, startGuard } from '../../kit/guard.ts'
import { openTestDatabase } from '../../kit/guard-database.ts'
import {
	authorize,
	authorizeUrl,
	connect,
	memoryAuth,
	pkce,
	post,
	redirect,
	register,
	token,
	tokensFor,
} from '../../kit/oauth-clients.ts'

// Clients write an address with a slash at its end or without. It is the same resource.

let database: Database
let guard: Guard
let base: string
let person: Awaited<ReturnType<typeof addAccount>>

beforeAll(async () => {
	database = await openTestDatabase()
	guard = await startGuard(database)
	base = guard.baseUrl
	person = await addAccount(database)
})
afterAll(async () => {
	await guard?.close()
	await database?.close()
})

const list = { jsonrpc: '2.0', id: 1, method: 'tools/list' }

describe('a resource with a slash at its end', () => {
	for (const [asked, repeated] of [
		['/mcp/', '/mcp/'],
		['/mcp/', '/mcp'],
		['/mcp', '/mcp/'],
	] as const) {
		// Proves: guard.slash
		it(`${asked} at /authorize and ${repeated} at /token buy one token for /mcp, and so does its refresh`, async () => {
			const { client_id } = await register(base)
			const { verifier, challenge } = pkce()
			const url = authorizeUrl(base, client_id, challenge, { resource: base + asked })
			const code = (await authorize(url, person)).searchParams.get('code') ?? ''
			const resource = base + repeated
			const bought = await token(base, {
				grant_type: 'authorization_code',
				client_id,
				code,
				code_verifier: verifier,
				redirect_uri: redirect,
				resource,
			})
			expect([bought.status, bought.body.scope]).toEqual([200, 'guard:verify guard:screen guard:find'])
			const { access_token = '', refresh_token = '' } = bought.body
			expect((await post(base, access_token, list)).status).toBe(200)
			const renewed = await token(base, {
				grant_type: 'refresh_token',
				client_id,
				refresh_token,
				resource,
			})
			expect(renewed.status).toBe(200)
			expect((await post(base, renewed.body.access_token ?? '', list)).status).toBe(200)
		})
	}
	// Proves: guard.slash
	it('/v1/ is /v1', async () => {
		const { access_token, scope } = await tokensFor(base, person, { resource: `${base}/v1/` })
		expect(scope).toBe('account')
		expect(await guard.connector.verifyAccessToken(access_token, `${base}/v1`)).toMatchObject({
			accountId: person.id,
		})
	})
	// Proves: guard-oauth.one-resource
	it('is still another resource when it is not one of ours', async () => {
		const { client_id } = await register(base)
		const { challenge } = pkce()
		for (const other of ['/mcp//', '/', '/mcp/x', '/mcp?']) {
			const url = authorizeUrl(base, client_id, challenge, { resource: base + other })
			const answer = await fetch(url, { redirect: 'manual' })
			expect([other, new URL(answer.headers.get('location') ?? base).searchParams.get('error')]).toEqual([
				other,
				'invalid_target',
			])
		}
	})
	// Proves: guard.slash
	it('is called at /mcp/ like at /mcp, and challenged alike without a token', async () => {
		const { access_token } = await tokensFor(base, person)
		const answers = ['/mcp', '/mcp/'].map(async (path) => {
			const headers = { authorization: `Bearer ${access_token}`, 'content-type': 'application/json' }
			const asked = await fetch(base + path, { method: 'POST', headers, body: JSON.stringify(list) })
			const bare = await fetch(base + path, { method: 'POST', body: '{}' })
			return [asked.status, await asked.text(), bare.status, bare.headers.get('www-authenticate')]
		})
		expect(await answers[1]).toEqual(await answers[0])
		expect((await answers[1])?.[0]).toBe(200)
	})
	for (const version of ['v1', 'v2'] as const) {
		// Proves: guard.both-eras
		it(`the SDK's client ${version} connects to the address with the slash`, async () => {
			const client = await connect[version](base, person, memoryAuth(), '/mcp/')
			expect((await client.listTools()).tools).toHaveLength(6)
			await client.close()
		})
	}
})

describe('metadata of the protected resources (RFC 9728)', () => {
	// Proves: guard-oauth.resource-documents
	it('there is a document for each resource that the server lists, and it names itself', async () => {
		const server = await fetch(`${base}/.well-known/oauth-authorization-server`)
		const { protected_resources } = (await server.json()) as { protected_resources: string[] }
		expect(protected_resources).toEqual([`${base}/mcp`, `${base}/v1`])
		for (const resource of protected_resources) {
			const { pathname } = new URL(resource)
			for (const end of ['', '/']) {
				const answer = await fetch(`${base}/.well-known/oauth-protected-resource${pathname}${end}`)
				expect([answer.status, answer.headers.get('access-control-allow-origin')]).toEqual([200, '*'])
				expect(await answer.json()).toMatchObject({
					resource,
					authorization_servers: [base],
					bearer_methods_supported: ['header'],
				})
			}
		}
	})
})
