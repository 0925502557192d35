import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { canOpenBrowser } from '../../../../host/owner/cli/by-code.ts'
import { authorizeDevice } from '../../../../host/owner/client/device.ts'

type Said = [status: number, body: object]

/** An authorization server that answers the polls by this list. */
async function serverOf(polls: Said[], begun: object = {}) {
	const asked: URLSearchParams[] = []
	const server = createServer(async (request, response) => {
		let body = ''
		for await (const chunk of request.setEncoding('utf8')) body += chunk
		asked.push(new URLSearchParams(body))
		const device = {
			device_code: 'd',
			user_code: 'BCDF-GHJK',
			verification_uri: `${url}/device`,
			expires_in: 600,
		}
		const [status, answer] =
			request.url === '/begin' ? [200, { ...device, ...begun }] : (polls.shift() as Said)
		response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(answer))
	})
	server.listen(0, '127.0.0.1')
	await once(server, 'listening')
	onTestFinished(() => void server.close())
	const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
	const metadata = {
		issuer: url,
		authorization_endpoint: url,
		token_endpoint: `${url}/token`,
		device_authorization_endpoint: `${url}/begin`,
	}
	return { asked, metadata }
}

const client = { client_id: 'c', token_endpoint_auth_method: 'none' }
const pending: Said = [400, { error: 'authorization_pending' }]

async function waitsOf(polls: Said[], begun: object = {}) {
	const { asked, metadata } = await serverOf(polls, begun)
	const waits: number[] = []
	const sleep = async (ms: number) => void waits.push(ms / 1000)
	const device = await authorizeDevice(metadata, client, 'https://h.example/v1', sleep)
	const done = await device?.decided().catch((error: Error) => error.message)
	return { waits, done, asked: asked.map((form) => Object.fromEntries(form)) }
}

// Proves: cli.login-code
test('polls keep the interval, are slower by 5 s after slow_down, and twice as far apart after failures', async () => {
	const slow: Said = [400, { error: 'slow_down' }]
	const { waits, done, asked } = await waitsOf(
		[pending, slow, pending, slow, [503, {}], [500, {}], [200, { access_token: 't' }]],
		{ interval: 2 },
	)
	expect(waits).toEqual([2, 2, 7, 7, 12, 24, 48])
	expect(done).toEqual({ access_token: 't' })
	expect(asked[0]).toEqual({ client_id: 'c', resource: 'https://h.example/v1' })
	expect(asked[1]).toEqual({
		client_id: 'c',
		grant_type: 'urn:ietf:params:oauth:grant-type:device_code',
		device_code: 'd',
	})
})

// Proves: cli.login-code
test.each([
	[[400, { error: 'access_denied' }], 'it was denied in the browser'],
	[[400, { error: 'expired_token' }], 'nobody allowed it within 10 minutes'],
	[[400, { error: 'invalid_grant' }], 'nobody allowed it within 10 minutes'],
	[[400, { error: 'invalid_client' }], 'the authorization server answered invalid_client'],
	[[404, 'nothing'], 'the authorization server answered 404'],
] as [Said, string][])('a sign-in ends when a poll is answered %j', async (answer, said) => {
	expect((await waitsOf([pending, answer])).done).toContain(said)
})

test('a sign-in ends by itself when its time is over', async () => {
	const { done, waits } = await waitsOf([], { expires_in: 0.001, interval: 5 })
	expect(done).toContain('nobody allowed it')
	expect(waits[0]).toBeLessThan(1)
})

test('a server without the endpoint signs nobody in by a code', async () => {
	const { metadata } = await serverOf([])
	const { device_authorization_endpoint: _, ...older } = metadata
	expect(await authorizeDevice(older, client, 'r')).toBeNull()
})

test.each([
	[{ DISPLAY: ':0' }, 'linux', true],
	[{ WAYLAND_DISPLAY: 'wayland-0' }, 'linux', true],
	[{}, 'linux', false],
	[{}, 'darwin', true],
	[{ DISPLAY: ':10', SSH_CONNECTION: '192.0.2.1 1 192.0.2.2 22' }, 'linux', false],
	[{ SSH_TTY: '/dev/pts/1' }, 'darwin', false],
] as const)('a browser with %j on %s: %j', (env, platform, can) => {
	expect(canOpenBrowser(env, platform)).toBe(can)
})
