// Sessions, one-time sign-in links, and what guards a sign-in.
import { afterAll, beforeAll, expect, test } from 'vitest'
import { AuditPage } from '../../../../host/api/audit.ts'
import { startHost, type TestHost } from '../../../kit/host.ts'
import { tokensFor } from '../../../kit/oauth-clients.ts'

let host: TestHost
const password = 'correct horse battery'

beforeAll(async () => {
	// Tests play callers at many addresses.
	host = await startHost({ env: { TRUST_PROXY: '127.0.0.1' } })
})

afterAll(async () => {
	await host?.close()
})

const from = (address: string) => ({ 'x-forwarded-for': address })

function signIn(email: string, given: string, headers: Record<string, string> = {}) {
	return host.call('/v1/session', {
		json: { email, password: given },
		headers: { 'sec-fetch-site': 'same-origin', ...headers },
	})
}

function cookieOf({ headers }: { headers: Headers }): string {
	return (headers.get('set-cookie') ?? '').split(';')[0] ?? ''
}

// Proves: account.sign-out
test('a session opens /v1 when the password is right, until it is signed out', async () => {
	const { email } = await host.account({ password })
	const signed = await signIn(email, password, from('192.0.2.1'))
	expect(signed.status).toBe(204)
	expect(signed.headers.get('set-cookie')).toMatch(
		/^berth_session=bss_[^;]+; Path=\/; HttpOnly; SameSite=Lax; Max-Age=\d+$/,
	)
	const cookie = cookieOf(signed)
	expect((await host.call('/v1/account', { headers: { cookie } })).body).toMatchObject({ email })
	const out = { method: 'DELETE', headers: { cookie, 'sec-fetch-site': 'same-origin' } }
	expect((await host.call('/v1/session', out)).status).toBe(204)
	expect((await host.call('/v1/account', { headers: { cookie } })).status).toBe(401)
})

// Proves: account.cookie-own-pages
test('a session is nobody at the address of a deployment', async () => {
	const { email, token } = await host.account({ password })
	const cookie = cookieOf(await signIn(email, password, from('192.0.2.9')))
	const at = '/d/no-such-0000000000/runs'
	const statuses = [await host.call(at, { headers: { cookie } }), await host.call(at, { token })]
	expect(statuses.map(({ status }) => status)).toEqual([401, 404])
})

// Proves: account.other-site-form
test.each([
	['another site', { 'sec-fetch-site': 'cross-site' }],
	['a sibling domain', { 'sec-fetch-site': 'same-site' }],
	['a foreign origin of an older browser', { origin: 'https://evil.example' }],
])('a change by cookie is refused when it comes from %s', async (_what, headers) => {
	const { email } = await host.account({ password })
	const cookie = cookieOf(await signIn(email, password, from('192.0.2.2')))
	const answer = await host.call('/v1/tokens', { json: { name: 'x' }, headers: { cookie, ...headers } })
	expect(answer).toMatchObject({ status: 403, body: { code: 'forbidden' } })
	const read = await host.call('/v1/account', { headers: { cookie, ...headers } })
	expect(read.status).toBe(200)
})

test('wrong password and unknown account are one answer', async () => {
	const { email } = await host.account({ password })
	const wrong = await signIn(email, 'wrong', from('192.0.2.3'))
	const unknown = await signIn('nobody@example.com', 'wrong', from('192.0.2.3'))
	expect([wrong.status, unknown.status]).toEqual([401, 401])
	expect(wrong.body.detail).toBe(unknown.body.detail)
})

// Proves: account.throttled
test('an address is throttled at an account when it fails, and the owner elsewhere is not', async () => {
	const { email } = await host.account({ password })
	for (let n = 0; n < 6; n++) expect((await signIn(email, 'wrong', from('192.0.2.4'))).status).toBe(401)
	const refused = await signIn(email, password, from('192.0.2.4'))
	expect(refused).toMatchObject({ status: 429, body: { code: 'rate_limited' } })
	expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0)
	expect((await signIn(email, password, from('192.0.2.5'))).status).toBe(204)
})

// Proves: account.throttled
test.each([
	['IPv4', (port: number) => `203.0.113.8:${port}`, '203.0.113.8'],
	['IPv6', (port: number) => `[2001:db8:9::1]:${port}`, '2001:db8:9::1'],
])('a proxy that appends ports to addresses of %s names one address', async (_what, at, address) => {
	const account = await host.account({ password })
	for (let n = 0; n < 6; n++)
		expect((await signIn(account.email, 'wrong', from(at(1001 + n)))).status).toBe(401)
	expect((await signIn(account.email, 'wrong', from(at(2000)))).status).toBe(429)
	const failed = async () =>
		(await host.call('/v1/audit?operation=signIn', { token: account.token })).body.data as {
			address: string
		}[]
	await expect.poll(async () => (await failed()).length).toBeGreaterThan(5)
	expect(new Set((await failed()).map((entry) => entry.address))).toEqual(new Set([address]))
})

test('the audit log has of a header no more than an address is long', async () => {
	const account = await host.account({ password })
	expect((await signIn(account.email, 'wrong', from('x'.repeat(5_000)))).status).toBe(401)
	const entry = async () =>
		AuditPage.parse((await host.call('/v1/audit?operation=signIn', { token: account.token })).body).data[0]
	await expect.poll(async () => (await entry())?.address).toBe('x'.repeat(45))
})

// Proves: account.throttled
test('sixty wrong passwords at once are judged six times', async () => {
	const { email } = await host.account({ password })
	const tries = await Promise.all(
		Array.from({ length: 60 }, (_, n) => signIn(email, `wrong ${n}`, from('192.0.2.10'))),
	)
	const count = (wanted: number) => tries.filter(({ status }) => status === wanted).length
	expect([count(401), count(429)]).toEqual([6, 54])
})

// Proves: account.throttled
test('an address is throttled when it fails at many accounts', async () => {
	const tries = await Promise.all(
		Array.from({ length: 30 }, (_, n) => signIn(`nobody${n}@example.com`, 'wrong', from('2001:db8::1'))),
	)
	expect(tries.every(({ status }) => status === 401)).toBe(true)
	const { email } = await host.account({ password })
	// Its neighbour in the same /64 is the same customer.
	expect((await signIn(email, password, from('2001:db8::2'))).status).toBe(429)
	expect((await signIn(email, password, from('2001:db8:1::1'))).status).toBe(204)
})

// Proves: account.sign-in-link
test('a sign-in link works once, sets a password, and is not used up by being looked at', async () => {
	const made = await host.call<{ sign_in_link: string }>('/v1/admin/accounts', {
		token: host.operator,
		json: { email: 'linked@example.com' },
	})
	const url = new URL(made.body.sign_in_link)
	const link = url.searchParams.get('link') as string
	for (let n = 0; n < 2; n++)
		expect((await host.call(url.href)).text).toContain('<form method="post" action="/sign-in">')
	const post = (body: Record<string, string>) =>
		host.call('/sign-in', {
			method: 'POST',
			body: new URLSearchParams(body),
			headers: { 'sec-fetch-site': 'same-origin', ...from('192.0.2.6') },
		})
	expect((await post({ link, password: 'short' })).status).toBe(422)
	const tries = await Promise.all([post({ link, password }), post({ link, password })])
	expect(tries.map(({ status }) => status).sort()).toEqual([303, 401])
	const signed = tries.find(({ status }) => status === 303) as (typeof tries)[number]
	const cookie = cookieOf(signed)
	expect((await host.call('/v1/account', { headers: { cookie } })).body).toMatchObject({
		email: 'linked@example.com',
	})
	expect((await signIn('linked@example.com', password, from('192.0.2.7'))).status).toBe(204)
})

test('a password is changed by who knows the old one, and wrong ones are throttled', async () => {
	const { token, email } = await host.account({ password })
	const change = (json: unknown) =>
		host.call('/v1/account', { method: 'PATCH', token, json, headers: from('192.0.2.8') })
	const next = 'another long password'
	expect(await change({ password: next, current_password: 'guess' })).toMatchObject({ status: 400 })
	expect((await change({ password: next, current_password: password })).status).toBe(200)
	expect((await signIn(email, next, from('192.0.2.9'))).status).toBe(204)
	for (let n = 0; n < 6; n++) expect((await change({ password, current_password: 'guess' })).status).toBe(400)
	const right = await change({ password, current_password: next })
	expect(right).toMatchObject({ status: 429, body: { code: 'rate_limited' } })
	expect(Number(right.headers.get('retry-after'))).toBeGreaterThan(1)
	expect(right.body.detail).toMatch(/^Too many wrong passwords\. Wait \d+ s, then try again\.$/)
})

// Proves: account.password-ends-sessions
test('a new password ends the other browsers, an operator’s all of them; programs and tokens stay', async () => {
	const account = await host.account({ password })
	const { email, id } = account
	const person = { email, password }
	const program = await tokensFor(host.url, person, { resource: `${host.url}/v1` })
	const enter = async (given = password) => cookieOf(await signIn(email, given, from('192.0.2.11')))
	const [mine, other] = [await enter(), await enter()]
	const statusOf = async (headers: Record<string, string>) =>
		(await host.call('/v1/account', { headers })).status
	const own = { cookie: other, 'sec-fetch-site': 'same-origin' }
	const page = await host.call<{ token: string }>('/v1/session/token', { method: 'POST', headers: own })
	const byConsole = { authorization: `Bearer ${page.body.token}` }
	expect(await statusOf(byConsole)).toBe(200)
	const made = await host.call<{ sign_in_link: string }>(`/v1/admin/accounts/${id}/sign-in-link`, {
		method: 'POST',
		token: host.operator,
	})
	const link = new URL(made.body.sign_in_link).searchParams.get('link') as string

	const next = 'another long password'
	const changed = await host.call('/v1/account', {
		method: 'PATCH',
		json: { password: next, current_password: password },
		headers: { cookie: mine, 'sec-fetch-site': 'same-origin', ...from('192.0.2.11') },
	})
	expect(changed).toMatchObject({ status: 200, body: { ended_sessions: 1 } })
	expect(await statusOf({ cookie: mine })).toBe(200)
	expect([await statusOf({ cookie: other }), await statusOf(byConsole)]).toEqual([401, 401])
	const used = await host.call('/sign-in', {
		method: 'POST',
		body: new URLSearchParams({ link }),
		headers: own,
	})
	expect(used.status).toBe(401)

	await enter(next)
	const reset = await host.call(`/v1/admin/accounts/${id}`, {
		method: 'PATCH',
		token: host.operator,
		json: { password: 'chosen by an operator' },
	})
	expect(reset).toMatchObject({ status: 200, body: { ended_sessions: 2 } })
	expect(await statusOf({ cookie: mine })).toBe(401)
	for (const token of [program.access_token, account.token])
		expect((await host.call('/v1/account', { token })).status).toBe(200)
	const calm = await host.call('/v1/account', {
		method: 'PATCH',
		token: account.token,
		json: { alert_mail: false },
	})
	expect(calm.body).not.toHaveProperty('ended_sessions')
})
