// Signing in by a code that is typed in a browser of another machine.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { hostname } from 'node:os'
import postgres from 'postgres'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { parseDatabaseUrl } from '../../../../host/db/url.ts'
import { berth, launcher, temporary, terminal } from '../../../kit/berth.ts'
import { type Browser, openBrowser } from '../../../kit/browser.ts'
import { startHost, type TestHost } from '../../../kit/host.ts'
import { register, token } from '../../../kit/oauth-clients.ts'

let host: TestHost
let sql: postgres.Sql
const grant_type = 'urn:ietf:params:oauth:grant-type:device_code'
const password = 'correct horse battery'

beforeAll(async () => {
	// Tests play callers at many addresses.
	host = await startHost({ env: { TRUST_PROXY: '127.0.0.1' } })
	sql = postgres({ ...parseDatabaseUrl(host.databaseUrl as string), max: 1, onnotice: () => {} })
})

afterAll(async () => {
	await sql?.end()
	await host?.close()
})

/** The real command, until it has shown its code. */
async function begin(env: Record<string, string> = { XDG_CONFIG_HOME: temporary() }) {
	const child = spawn(process.execPath, [launcher, 'login', '--url', host.url, '--device'], {
		env: { PATH: process.env.PATH, ...env },
		stdio: ['ignore', 'pipe', 'pipe'],
	})
	onTestFinished(() => void child.kill('SIGKILL'))
	const out = { said: '' }
	for (const stream of [child.stdout, child.stderr])
		stream.setEncoding('utf8').on('data', (text: string) => (out.said += text))
	const ended = once(child, 'exit')
	const code = () => /^ {2}([A-Z]{4}-[A-Z]{4})$/m.exec(out.said)?.[1]
	await expect.poll(code).toBeDefined()
	return { child, env, out, ended, code: code() as string }
}

async function signedIn(): Promise<{ browser: Browser; email: string; id: string }> {
	const { email, id } = await host.account({ password })
	const browser = openBrowser()
	await (await browser.open(`${host.url}/sign-in`)).submit({ email, password })
	return { browser, email, id }
}

/** By hand: a client and its codes. */
async function ask(more: Record<string, string> = {}, headers: Record<string, string> = {}) {
	const { client_id } = await register(host.url, { grant_types: [grant_type], client_name: '<b>Printer</b>' })
	const body = new URLSearchParams({ client_id, resource: `${host.url}/v1`, ...more })
	const answer = await host.call<Record<string, string>>('/device_authorization', { body, headers })
	const poll = (device_code = answer.body.device_code ?? '') =>
		token(host.url, { client_id, grant_type, device_code })
	return { ...answer, client_id, poll, code: answer.body.user_code ?? '' }
}

const decide = async (browser: Browser, code: string, button: 'Allow' | 'Deny') =>
	(await browser.open(`${host.url}/device?user_code=${code}`)).submit({}, button)

// Proves: cli.login-code, guard-oauth.device
test('berth login signs in by a code, with a token that renews and ends as any other', async () => {
	const { email } = await host.account({ password })
	const begun = await begin()
	expect(begun.out.said).toContain(`  ${host.url}/device\n`)
	const page = await openBrowser().open(`${host.url}/device?user_code=${begun.code}`)
	const shown = await page.submit({ email, password })
	expect(shown.url.pathname).toBe('/device')
	expect(shown.text).toContain(`Allow Berth command line on ${hostname()}?`)
	expect(shown.text).toContain('Manage your deployments, runs and account as you')
	expect(shown.text).toContain(`Code ${begun.code} From address 127.0.0.1`)
	expect(shown.text).toContain(`As ${email}`)
	const done = await shown.submit({}, 'Allow')
	expect(done.text).toContain('The program is signed in.')
	expect(await begun.ended).toEqual([0, null])
	expect(begun.out.said).toContain(`Signed in at ${host.url} as ${email}`)
	const { env } = begun
	expect(JSON.parse((await berth(['whoami', '--json'], { env })).stdout)).toMatchObject({ email })
	expect(JSON.parse((await berth(['logout', '--json'], { env })).stdout)).toMatchObject({ ended: true })
	// The code is used: it opens nothing any more.
	const browser = openBrowser()
	const again = await (await browser.open(`${host.url}/device`)).submit({ email, password })
	const used = await again.submit({ user_code: begun.code.toLowerCase() })
	expect(used.status).toBe(404)
	expect(used.text).toContain('This code is not known, was used')
	expect(host.logs().join('\n')).not.toContain(begun.code)
})

// Proves: cli.login-code
test('berth login ends with a sentence when it is denied, over, or stopped', async () => {
	const { browser } = await signedIn()
	const [denied, over, stopped] = await Promise.all([begin(), begin(), begin()])
	expect((await decide(browser, denied.code, 'Deny')).text).toContain('The program is not signed in.')
	await sql`
		update guard_oauth set expires_at = now(), payload = (payload::jsonb || '{"exp": 1}')::json
		where model = 'DeviceCode' and payload->>'userCode' = ${over.code.replace('-', '')}`
	stopped.child.kill('SIGINT')
	expect(await Promise.all([denied, over, stopped].map(({ ended }) => ended))).toEqual([
		[1, null],
		[1, null],
		[130, null],
	])
	expect(denied.out.said).toContain('Signing in did not work: it was denied in the browser (sign_in_failed)')
	expect(over.out.said).toContain('nobody allowed it within 10 minutes; run the command again for a new code')
	expect(stopped.out.said).toContain('berth: stopped before the sign-in was allowed')
	for (const { env } of [denied, over, stopped])
		expect((await berth(['logout'], { env })).stdout).toContain('You were not signed in.')
})

// Proves: cli.login-code
test('berth login shows a code over SSH without being asked to', async () => {
	const env = { XDG_CONFIG_HOME: temporary(), SSH_CONNECTION: '192.0.2.1 50000 192.0.2.2 22' }
	const { code, screen } = await terminal(['login', '--url', host.url], env, [['enter the code', '\x03']])
	expect(screen).toContain(`${host.url}/device`)
	expect([code, screen.includes('stopped before the sign-in was allowed')]).toEqual([130, true])
})

// Proves: guard-oauth.device
test('the metadata announces the endpoint, and its answer has what a program needs', async () => {
	const { body } = await host.call('/.well-known/oauth-authorization-server')
	expect(body.device_authorization_endpoint).toBe(`${host.url}/device_authorization`)
	expect(body.grant_types_supported).toContain(grant_type)
	const answer = await ask({}, { 'x-forwarded-for': '192.0.2.7, 198.51.100.3' })
	expect(answer.body).toEqual({
		device_code: expect.stringMatching(/^[\w-]{43}$/),
		user_code: expect.stringMatching(/^[BCDFGHJKLMNPQRSTVWXZ]{4}-[BCDFGHJKLMNPQRSTVWXZ]{4}$/),
		verification_uri: `${host.url}/device`,
		verification_uri_complete: `${host.url}/device?user_code=${answer.code}`,
		expires_in: 600,
		interval: 5,
	})
	expect(answer.headers.get('cache-control')).toBe('no-store')
	const { browser } = await signedIn()
	const page = await browser.open(`${host.url}/device?user_code=${answer.code}`)
	expect(page.html).not.toContain('<b>Printer')
	expect(page.text).toContain('Allow <b>Printer</b>?')
	expect(page.text).toContain('From address 198.51.100.3')
	const wrong: Record<string, string>[] = [{ resource: 'https://evil.example/' }, { client_id: 'nobody' }]
	for (const more of wrong) expect((await ask(more)).status).toBeGreaterThanOrEqual(400)
	const { client_id } = await register(host.url)
	const other = await host.call('/device_authorization', { body: new URLSearchParams({ client_id }) })
	expect(other).toMatchObject({ status: 400, body: { error: 'invalid_request' } })
})

// Proves: guard-oauth.device-polls
test('polls that come too fast are told to slow down', async () => {
	const { poll } = await ask()
	const answers = [await poll(), await poll(), await poll()]
	expect(answers.map(({ status, body }) => [status, body.error])).toEqual([
		[400, 'authorization_pending'],
		[400, 'slow_down'],
		[400, 'slow_down'],
	])
})

// Proves: guard-oauth.device-once
test('a code is decided once and buys one answer, and its reuse ends what it had bought', async () => {
	const { browser, email } = await signedIn()
	const { poll, code } = await ask()
	const pages = await Promise.all([0, 1].map(() => browser.open(`${host.url}/device?user_code=${code}`)))
	const decided = await Promise.all(pages.map((page, n) => page.submit({}, n === 0 ? 'Allow' : 'Deny')))
	expect(decided.map(({ status }) => status).sort()).toEqual([200, 404])
	if (decided[0]?.status !== 200) expect((await poll()).body.error).toBe('access_denied')

	const next = await ask()
	await decide(browser, next.code, 'Allow')
	const first = await next.poll()
	const me = () => host.call('/v1/account', { token: first.body.access_token ?? '' })
	expect((await me()).body).toMatchObject({ email })
	const refresh = { grant_type: 'refresh_token', client_id: next.client_id }
	expect((await token(host.url, { ...refresh, refresh_token: first.body.refresh_token ?? '' })).status).toBe(
		200,
	)
	expect((await next.poll()).body.error).toBe('invalid_grant')
	expect((await me()).status).toBe(401)
})

// Proves: guard-oauth.device-guard-scopes
test('a program gets the guard’s scopes when it names no resource, and no other client’s code', async () => {
	const { browser } = await signedIn()
	const { client_id } = await register(host.url, { grant_types: [grant_type] })
	const begun = await host.call<Record<string, string>>('/device_authorization', {
		body: new URLSearchParams({ client_id }),
	})
	const { user_code = '', device_code = '' } = begun.body
	const page = await browser.open(`${host.url}/device?user_code=${user_code}`)
	expect(page.text).toContain('Check claims against evidence Screen texts')
	await page.submit({}, 'Allow')
	const stranger = await ask()
	expect((await stranger.poll(device_code)).body.error).toBe('invalid_grant')
	const own = await ask()
	expect((await own.poll()).body.error).toBe('authorization_pending')
})

// Proves: guard-oauth.device-page
test('only a signed-in person decides, from the own page, and guesses are slowed', async () => {
	const { browser, id } = await signedIn()
	const { code, poll } = await ask()
	const cookie = Object.entries(browser.cookies(host.url))
		.map((pair) => pair.join('='))
		.join('; ')
	const body = () => new URLSearchParams({ user_code: code, decision: 'allow' })
	const foreign = { 'sec-fetch-site': 'cross-site', origin: 'https://evil.example' }
	expect(
		(await host.call('/device/decision', { body: body(), headers: { cookie, ...foreign } })).status,
	).toBe(403)
	const nobody = await host.call('/device/decision', {
		body: body(),
		headers: { 'sec-fetch-site': 'same-origin' },
	})
	expect(nobody.headers.get('location')).toBe(
		`/sign-in?to=${encodeURIComponent(`/device?user_code=${code}`)}`,
	)
	const asked = await host.call(`/device?user_code=${code}`, { headers: { cookie } })
	expect(asked.headers.get('content-security-policy')).toContain("frame-ancestors 'none'")
	expect((await poll()).body.error).toBe('authorization_pending')

	const guess = () => browser.open(`${host.url}/device?user_code=BBBB-BBBB`)
	for (let n = 0; n < 6; n++) expect((await guess()).status).toBe(404)
	const slowed = await guess()
	expect(slowed.status).toBe(429)
	expect(Number(slowed.headers.get('retry-after'))).toBeGreaterThan(0)
	expect((await decideRaw(cookie, code)).status).toBe(429)

	// A disabled account is nobody.
	const json = { disabled: true }
	await host.call(`/v1/admin/accounts/${id}`, { method: 'PATCH', token: host.operator, json })
	expect((await guess()).url.pathname).toBe('/sign-in')
})

const decideRaw = (cookie: string, user_code: string) =>
	host.call('/device/decision', {
		body: new URLSearchParams({ user_code, decision: 'allow' }),
		headers: { cookie, 'sec-fetch-site': 'same-origin' },
	})

// Proves: guard-oauth.device-page
test('one address begins sixty sign-ins at once, and then fewer', async () => {
	const { client_id } = await register(host.url, { grant_types: [grant_type] })
	const begin = async (from: string) =>
		(
			await host.call('/device_authorization', {
				body: new URLSearchParams({ client_id }),
				headers: { 'x-forwarded-for': from },
			})
		).status
	const all = await Promise.all(Array.from({ length: 61 }, () => begin('198.51.100.9')))
	expect(all.filter((status) => status === 429)).toHaveLength(1)
	expect(await begin('198.51.100.10')).toBe(200)
})
