import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text as readText } from 'node:stream/consumers'
import { describe, expect, onTestFinished, test } from 'vitest'
import { createEgress } from '../../../../runtime/egress/index.ts'
import { RefreshRefused, refresh } from '../../../../runtime/process/connectors/sign-in/refresh.ts'

// One refresh on the wire (RFC 6749 §6): what is sent, and which answers mean that a person must sign in again.

interface Seen {
	authorization: string | undefined
	form: Record<string, string>
}

type Given = [status: number | 'broken', body?: object | string, headers?: Record<string, string>]

/** Answers with one after the other, the last for ever. */
const endpoint = (...given: Given) => scripted([given])

async function scripted(script: Given[]) {
	const seen: Seen[] = []
	const server = createServer(async (request, response) => {
		const form = Object.fromEntries(new URLSearchParams(await readText(request)))
		const [status, body = {}, headers = {}] = script[Math.min(seen.length, script.length - 1)] as Given
		seen.push({ authorization: request.headers.authorization, form })
		if (status === 'broken') {
			request.socket.destroy()
			return
		}
		response.writeHead(status, { 'content-type': 'application/json', ...headers })
		response.end(typeof body === 'string' ? body : JSON.stringify(body))
	})
	await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
	const { port } = server.address() as AddressInfo
	const url = `http://127.0.0.1:${port}/token`
	const egress = createEgress({ allow: ['127.0.0.1'] })
	onTestFinished(async () => {
		await egress.close()
		server.close()
	})
	const signIn = {
		access_token: 'old',
		refresh_token: 'r1',
		expires_at: 1,
		token_endpoint: url,
		client_id: 'a client',
		resource: 'https://tools.example/mcp',
		scope: 'read',
	}
	const send = (more: object = {}, withinMs?: number) => refresh(egress, { ...signIn, ...more }, withinMs)
	return { seen, url, send }
}

describe('a refresh', () => {
	test('keeps what the answer leaves out, and nothing that is over', async () => {
		const { seen, send } = await endpoint(200, { access_token: 'new', token_type: 'Bearer' })
		const next = await send()
		expect(next).toMatchObject({
			access_token: 'new',
			refresh_token: 'r1',
			scope: 'read',
			client_id: 'a client',
		})
		expect(next).not.toHaveProperty('expires_at')
		expect(seen).toEqual([
			{
				authorization: undefined,
				form: {
					grant_type: 'refresh_token',
					refresh_token: 'r1',
					client_id: 'a client',
					resource: 'https://tools.example/mcp',
				},
			},
		])
	})

	// Proves: connect.own-client
	test('proves a client that has a secret in the way it was registered', async () => {
		const { seen, send } = await endpoint(200, { access_token: 'new', refresh_token: 'r2', expires_in: 60 })
		await send({ client_secret: 's:1' })
		expect(
			(await send({ client_secret: 's:1', token_endpoint_auth_method: 'client_secret_post' })).refresh_token,
		).toBe('r2')
		expect(seen[0]?.authorization).toBe(`Basic ${btoa('a%20client:s%3A1')}`)
		expect(seen[0]?.form).not.toHaveProperty('client_secret')
		expect(seen[1]?.form).toMatchObject({ client_id: 'a client', client_secret: 's:1' })
	})

	// Proves: connect.refusal
	test.each([
		[400, { error: 'invalid_grant' }],
		[401, { error: 'invalid_client', error_description: 'unknown client' }],
		[400, { error: 'unauthorized_client' }],
	])('is refused for good by %i %j', async (status, body) => {
		const { send } = await endpoint(status, body)
		await expect(send()).rejects.toBeInstanceOf(RefreshRefused)
	})

	// Proves: connect.no-refusal
	test.each<Given>([
		[500, { error: 'invalid_grant' }],
		[429, { error: 'invalid_grant' }],
		[400, 'not JSON'],
		[404, {}],
		[400, { error: 'temporarily_unavailable' }],
		[200, {}],
		[200, 'null'],
		['broken'],
	])('that is answered %s %j says nothing about the sign-in', async (...given) => {
		const { send } = await endpoint(...given)
		const error = await send({}, 300).catch((thrown: unknown) => thrown)
		expect(error).toBeInstanceOf(Error)
		expect(error).not.toBeInstanceOf(RefreshRefused)
	})

	// Proves: connect.refresh-repeated
	test.each<Given>([
		[500, 'an error page'],
		[503, {}, { 'retry-after': '0' }],
		[429, {}],
		[400, { error: 'temporarily_unavailable' }],
		['broken'],
	])('is sent again where the server answers %s %j for a while', async (...given) => {
		const { seen, send } = await scripted([given, given, [200, { access_token: 'new' }]])
		expect(await send()).toMatchObject({ access_token: 'new', refresh_token: 'r1' })
		expect(seen.map(({ form }) => form.refresh_token)).toEqual(['r1', 'r1', 'r1'])
	})

	// Proves: connect.refresh-repeated
	test.each<Given>([
		[503, {}, { 'retry-after': '60' }],
		[400, { error: 'invalid_grant' }],
		[404, {}],
		[200, {}],
	])('is sent once where the server answers %s %j', async (...given) => {
		const { seen, send } = await scripted([given, [200, { access_token: 'new' }]])
		await expect(send()).rejects.toThrow()
		expect(seen).toHaveLength(1)
	})

	// Proves: connect.refresh-repeated
	test('is not sent sooner than the server asks', async () => {
		const asked = [503, {}, { 'retry-after': '1' }] satisfies Given
		const { seen, send } = await scripted([asked, [200, { access_token: 'new' }]])
		await expect(send({}, 900)).rejects.toThrow('answered 503')
		expect(seen).toHaveLength(1)
	})

	// Proves: connect.no-redirect
	test('follows no redirect with its secrets', async () => {
		const elsewhere = await endpoint(200, { access_token: 'stolen' })
		const { send } = await endpoint(307, {}, { location: elsewhere.url })
		await expect(send()).rejects.toThrow('answered 307')
		expect(elsewhere.seen).toEqual([])
	})
})
