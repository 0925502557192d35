import type { FastifyBaseLogger } from 'fastify'
import { pino } from 'pino'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { Database } from '../../../host/db/index.ts'
import { routesOut } from '../../../host/guard/online.ts'
import { openBrowser } from '../../kit/browser.ts'
import { addAccount, type Guard, startGuard } from '../../kit/guard.ts'
import { openTestDatabase } from '../../kit/guard-database.ts'
import { authorizeUrl, connect, memoryAuth, pkce } from '../../kit/oauth-clients.ts'

// Clients that are known by the address of a metadata document, on hosts that can fetch it and on hosts that cannot.

const documentUrl = 'https://client.example/oauth.json'
const minute = 60_000

let database: Database
let person: Awaited<ReturnType<typeof addAccount>>
let guards: Guard[] = []
let lines: { document?: string; reason?: string; msg: string }[] = []
let answer: () => Response | Promise<Response>
let asked = 0
let now = Date.now()

beforeAll(async () => {
	database = await openTestDatabase()
	person = await addAccount(database)
})
beforeEach(() => {
	lines = []
	asked = 0
	answer = unreachable
})
afterAll(async () => {
	for (const guard of guards) await guard.close()
	guards = []
	await database?.close()
})

const unreachable = () => Promise.reject(new Error('no connection to client.example (ENOTFOUND)'))
const good = { client_id: documentUrl, redirect_uris: ['http://127.0.0.1/callback'] }

async function start(given: Parameters<typeof startGuard>[1] = {}) {
	const write = (line: string) => void lines.push(JSON.parse(line))
	const guard = await startGuard(database, {
		fetch: () => {
			asked++
			return Promise.resolve(answer())
		},
		log: pino({ level: 'warn' }, { write }) as FastifyBaseLogger,
		clock: () => now,
		...given,
	})
	guards.push(guard)
	return guard.baseUrl
}

async function announced(base: string): Promise<unknown> {
	const metadata = await fetch(`${base}/.well-known/oauth-authorization-server`)
	return ((await metadata.json()) as Record<string, unknown>).client_id_metadata_document_supported
}

const signIn = (base: string, clientId = documentUrl) =>
	openBrowser().open(authorizeUrl(base, clientId, pkce().challenge))

describe('GUARD_CLIENT_METADATA', () => {
	// Proves: guard-oauth.metadata-announced
	it('auto: after a document that cannot be reached, clients register instead', async () => {
		const base = await start()
		expect(await announced(base)).toBe(true)
		const page = await signIn(base)
		expect([page.status, page.url.origin]).toEqual([400, base])
		expect(page.text).toContain('could not reach client.example')
		expect(lines).toMatchObject([
			{ document: documentUrl, reason: 'no connection to client.example (ENOTFOUND)' },
		])
		expect(await announced(base)).toBe(false)

		const auth = memoryAuth({ clientMetadataUrl: documentUrl })
		const client = await connect.v2(base, person, auth)
		expect(auth.asked?.searchParams.get('client_id')).not.toBe(documentUrl)
		expect((await client.listTools()).tools).toHaveLength(6)
		await client.close()
		expect(asked).toBe(1)
	})
	// Proves: guard-oauth.metadata-announced
	it('auto: announces again after five minutes, then ten, and at once after an answer', async () => {
		const base = await start()
		for (const minutes of [5, 10, 20]) {
			await signIn(base)
			// Within the pause it is the same failure.
			await signIn(base)
			now += minutes * minute - 1000
			expect([minutes, await announced(base)]).toEqual([minutes, false])
			now += 2000
			expect([minutes, await announced(base)]).toEqual([minutes, true])
		}
		await signIn(base)
		expect(await announced(base)).toBe(false)
		answer = () => Response.json(good)
		expect((await signIn(base)).status).toBe(200)
		expect(await announced(base)).toBe(true)
	})
	// Proves: guard-oauth.metadata-announced
	it('auto: a machine without a route to anywhere announces nothing', async () => {
		expect(await announced(await start({ online: () => false }))).toBe(false)
		const loopbackOnly = 'Iface\tDestination\tGateway\tFlags\tRefCnt\tUse\tMetric\tMask\n'
		const inner = `${loopbackOnly}eth0\t000011AC\t00000000\t0001\t0\t0\t0\t0000FFFF\n`
		const none = '0'.repeat(32)
		const v6 = (flags: string, device: string) =>
			`${none} 00 ${none} 00 ${none} ffffffff 00000001 00000000 ${flags} ${device}\n`
		expect([routesOut('', ''), routesOut(inner, v6('00200200', 'lo'))]).toEqual([false, false])
		expect(routesOut(`${inner}eth0\t00000000\t010011AC\t0003\t0\t0\t0\t00000000\n`, '')).toBe(true)
		expect(routesOut(inner, v6('00000003', 'eth0'))).toBe(true)
	})
	// Proves: guard-oauth.metadata-announced
	it('on: announced whatever happens', async () => {
		const base = await start({ clientMetadata: 'on', online: () => false })
		await signIn(base)
		expect(await announced(base)).toBe(true)
	})
	// Proves: guard-oauth.metadata-announced
	it('off: not announced, nothing is fetched, and the page says why', async () => {
		const base = await start({ clientMetadata: 'off' })
		expect(await announced(base)).toBe(false)
		const page = await signIn(base)
		expect([page.status, asked]).toEqual([400, 0])
		expect(page.text).toContain('takes no client metadata documents')
		expect(lines).toMatchObject([{ document: documentUrl, reason: 'GUARD_CLIENT_METADATA=off' }])
	})
})

describe('a document that cannot be used is logged with its reason, and the page says it', () => {
	const faults: Record<string, [() => Response | Promise<Response>, RegExp]> = {
		'not found': [() => new Response('', { status: 404 }), /answered 404/],
		'a redirect': [() => new Response('', { status: 302, headers: { location: '/x' } }), /answered 302/],
		'no JSON': [() => new Response('<html>'), /no JSON object/],
		'too long': [() => Response.json({ ...good, x: 'x'.repeat(65_536) }), /64 KiB/],
		'for another client': [() => Response.json({ ...good, client_id: 'https://x.example/' }), /client_id/],
		'with an unsafe redirect': [
			() => Response.json({ ...good, redirect_uris: ['http://x.example/'] }),
			/redirect URI/,
		],
		'with a shared secret': [
			() => Response.json({ ...good, token_endpoint_auth_method: 'client_secret_post' }),
			/token_endpoint_auth_method|shared-secret/,
		],
		'that breaks off': [
			() =>
				new Response(
					new ReadableStream({
						pull: (controller) => controller.error(new Error('the connection to client.example broke')),
					}),
				),
			/could not reach client\.example/,
		],
	}
	// Proves: guard-oauth.metadata-fault-shown
	it('with every reason, and stays announced where the network did its part', async () => {
		const base = await start()
		for (const [name, [given, reason]] of Object.entries(faults)) {
			lines = []
			answer = given
			const page = await signIn(base)
			expect([name, page.status, page.url.origin]).toEqual([name, 400, base])
			expect([name, page.text]).toEqual([name, expect.stringMatching(reason)])
			expect([name, lines.length, lines[0]?.document]).toEqual([name, 1, documentUrl])
			expect(lines[0]?.reason).toMatch(name === 'that breaks off' ? /broke/ : reason)
			expect([name, await announced(base)]).toEqual([name, name !== 'that breaks off'])
		}
	})
	// Proves: guard-oauth.metadata-fault-shown
	it('without the query of its address, which may hold a secret', async () => {
		const base = await start()
		await signIn(base, `${documentUrl}?key=marked`)
		expect(lines).toHaveLength(1)
		expect(JSON.stringify(lines)).not.toContain('marked')
	})
	// Proves: guard-oauth.metadata-fault-shown
	it('with no word on the page of what the host’s network answered', async () => {
		const base = await start()
		const texts = ['inner:443 is not a public address', 'no connection to inner (ENOTFOUND)'].map(
			async (message) => {
				answer = () => Promise.reject(new Error(message))
				return (await signIn(base)).text
			},
		)
		expect(await texts[0]).toBe(await texts[1])
	})
})
