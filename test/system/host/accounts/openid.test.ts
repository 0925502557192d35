// Signing in with the operator's OpenID provider: a real one, on loopback.
import { join } from 'node:path'
import postgres from 'postgres'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { parseDatabaseUrl } from '../../../../host/db/url.ts'
import { type Browser, openBrowser, type Page } from '../../../kit/browser.ts'
import { startHost, type TestHost, withHost } from '../../../kit/host.ts'
import { authorizeUrl, pkce, register } from '../../../kit/oauth-clients.ts'
import { type OpenIdServer, type Subject, startOpenIdServer } from '../../../kit/openid-provider.ts'

let provider: OpenIdServer
let host: TestHost
let sql: postgres.Sql
let count = 0

beforeAll(async () => {
	provider = await startOpenIdServer()
	host = await startHost({
		env: settings(),
	})
	provider.register(`${host.url}/sign-in/openid/callback`)
	sql = postgres({ ...parseDatabaseUrl(host.databaseUrl as string), max: 1, onnotice: () => {} })
})

afterAll(async () => {
	await sql?.end()
	await host?.close()
	await provider?.close()
})

const settings = () => ({
	OIDC_ISSUER: provider.issuer,
	OIDC_CLIENT_ID: provider.clientId,
	OIDC_CLIENT_SECRET: provider.clientSecret,
	OIDC_NAME: 'Example & Co',
})

/** Somebody of the provider whom nobody here knows yet. */
function somebody(more: Partial<Subject> = {}): Subject & { email: string } {
	const name = `person${++count}`
	return { sub: `sub ${name}`, email: `${name}@example.com`, email_verified: true, ...more }
}

/** To the provider and back, as far as the address with the answer. */
async function answer(
	who: Subject | null,
	browser: Browser,
	path = '/sign-in/openid',
	at = { host, provider },
) {
	const there = await browser.open(`${at.host.url}${path}`)
	expect(there.url.origin).toBe(at.provider.issuer)
	at.provider.who = who
	const { url } = await browser.open(there.url)
	expect(url.href).toContain(`${at.host.url}/sign-in/openid/callback?`)
	return url
}

async function enter(who: Subject | null, path?: string, at = { host, provider }): Promise<Page> {
	const browser = openBrowser()
	const page = await browser.open(await answer(who, browser, path, at))
	return page.status === 200 ? { ...page, text: await accountOf(browser, at.host) } : page
}

/** Whose the session is: the console asks the API. */
async function accountOf(browser: Browser, { url }: TestHost): Promise<string> {
	const { email, plan } = JSON.parse((await browser.open(`${url}/v1/account`)).html)
	return `Account ${email} Plan ${plan.name}`
}

const accounts = async () => Number((await sql`select count(*) as n from accounts`)[0]?.n)

// Proves: account.openid
test('the account of a verified e-mail address is signed in, and goes where it wanted to go', async () => {
	const who = somebody()
	const { id } = await host.account({ email: who.email })
	const page = await openBrowser().open(`${host.url}/sign-in?to=${encodeURIComponent('/?from=there&x=1')}`)
	expect(page.html).toContain('Sign in with Example &#38; Co')
	const browser = openBrowser()
	const again = await browser.open(page.url)
	const there = await again.follow('Sign in with Example & Co')
	provider.who = { ...who, email: who.email.toUpperCase() }
	const home = await browser.open((await browser.open(there.url)).url)
	expect(home).toMatchObject({ status: 200, url: new URL(`${host.url}/?from=there&x=1`) })
	expect(await accountOf(browser, host)).toContain(`Account ${who.email}`)
	expect(browser.cookies(host.url)).not.toHaveProperty('berth_openid')
	const [bound] = await sql`select issuer, subject from openid_subjects where account_id = ${id}`
	expect(bound).toEqual({ issuer: provider.issuer, subject: who.sub })
	expect(host.logs().join('\n')).not.toContain(who.email)
	expect(host.logs().join('\n')).not.toContain(who.sub)
})

// Proves: account.openid-request
test('the request has PKCE S256, state and nonce, and a new one each time', async () => {
	const asked = await Promise.all([0, 1].map(() => openBrowser().open(`${host.url}/sign-in/openid`)))
	const [one, two] = asked.map(({ url }) => Object.fromEntries(url.searchParams))
	expect(one).toMatchObject({ response_type: 'code', code_challenge_method: 'S256' })
	for (const name of ['state', 'nonce', 'code_challenge']) {
		expect(one?.[name]?.length).toBeGreaterThanOrEqual(43)
		expect(one?.[name]).not.toBe(two?.[name])
	}
})

// Proves: account.openid-bound
test('after the first sign-in the subject decides, and an e-mail address opens no account of another', async () => {
	const who = somebody()
	const other = somebody()
	const { id } = await host.account({ email: who.email })
	await host.account({ email: other.email })
	expect((await enter(who)).text).toContain(`Account ${who.email}`)
	expect((await enter(other)).text).toContain(`Account ${other.email}`)
	// The same person with a new address, even with somebody else's: still the first account.
	expect((await enter({ ...who, email: other.email })).text).toContain(`Account ${who.email}`)
	expect((await enter({ sub: who.sub })).text).toContain(`Account ${who.email}`)
	// Another person who was given the address.
	const taken = await enter({ ...who, sub: 'another subject' })
	expect(taken.status).toBe(403)
	expect(taken.text).toContain('belongs to another person of Example & Co')
	const change = { method: 'PATCH', token: host.operator, json: { forget_openid: true } }
	expect((await host.call(`/v1/admin/accounts/${id}`, change)).status).toBe(200)
	expect((await enter({ ...who, sub: 'another subject' })).text).toContain(`Account ${who.email}`)
	expect((await enter(other)).text).toContain(`Account ${other.email}`)
})

// Proves: account.openid-race
test('of two persons with one address at once, one is bound', async () => {
	const { email } = somebody()
	await host.account({ email })
	const browsers = [openBrowser(), openBrowser()]
	const urls: URL[] = []
	for (const [n, browser] of browsers.entries())
		urls.push(await answer({ sub: `racer ${n} ${email}`, email, email_verified: true }, browser))
	const pages = await Promise.all(browsers.map((browser, n) => browser.open(urls[n] as URL)))
	expect(pages.map(({ status }) => status).sort()).toEqual([200, 403])
})

// Proves: account.openid-refused
test.each([
	['an address that the provider does not vouch for', { email_verified: false }, 'does not vouch'],
	['an address vouched for as a text', { email_verified: 'true' }, 'does not vouch'],
	['an address of which nothing is said', { email_verified: undefined }, 'does not vouch'],
	['a subject that cannot be kept', { sub: 'a\0b' }, 'names you in a way that cannot be kept'],
	['a subject without end', { sub: 'x'.repeat(4_000) }, 'names you in a way that cannot be kept'],
])('nobody is signed in by %s', async (_what, claims, said) => {
	const who = somebody()
	const { id } = await host.account({ email: who.email })
	const page = await enter({ ...who, ...claims })
	expect(page.status).toBe(403)
	expect(page.text).toContain(said)
	expect(await sql`select 1 from openid_subjects where account_id = ${id}`).toHaveLength(0)
})

// Proves: account.openid-registration
test('nobody gets an account when registration is closed', async () => {
	const before = await accounts()
	const page = await enter(somebody())
	expect(page.status).toBe(403)
	expect(page.text).toContain('No account here has the e-mail address')
	expect(await accounts()).toBe(before)
})

// Proves: account.openid-refused
test('a disabled account is refused, bound or not', async () => {
	const who = somebody()
	const { id } = await host.account({ email: who.email })
	const disable = (disabled: boolean) =>
		host.call(`/v1/admin/accounts/${id}`, { method: 'PATCH', token: host.operator, json: { disabled } })
	await disable(true)
	expect((await enter(who)).text).toContain('The account is disabled.')
	expect(await sql`select 1 from openid_subjects where account_id = ${id}`).toHaveLength(0)
	await disable(false)
	expect((await enter(who)).status).toBe(200)
	await disable(true)
	const page = await enter(who)
	expect(page).toMatchObject({ status: 403 })
	expect(page.text).toContain('The account is disabled.')
})

// Proves: account.openid-answer
test.each([
	['state', (url: URL) => url.searchParams.set('state', 'x'.repeat(43)), 400],
	['issuer', (url: URL) => url.searchParams.set('iss', 'https://evil.example'), 400],
	['code', (url: URL) => url.searchParams.set('code', 'x'.repeat(43)), 400],
	['code twice', (url: URL) => url.searchParams.append('code', 'x'), 400],
])('an answer with another %s is refused, and ends the sign-in', async (_what, change, status) => {
	const who = somebody()
	await host.account({ email: who.email })
	const browser = openBrowser()
	const url = await answer(who, browser)
	const changed = new URL(url)
	change(changed)
	const page = await browser.open(changed)
	expect(page.status).toBe(status)
	expect(page.text).toContain('does not belong to this sign-in')
	expect(browser.cookies(host.url)).not.toHaveProperty('berth_session')
	expect((await browser.open(url)).status).toBe(400)
})

// Proves: account.openid-answer
test('an answer for another nonce is refused', async () => {
	const who = somebody()
	await host.account({ email: who.email })
	const browser = openBrowser()
	const there = await browser.open(`${host.url}/sign-in/openid`)
	there.url.searchParams.set('nonce', 'of another sign-in')
	provider.who = who
	const page = await browser.open((await browser.open(there.url)).url)
	expect(page.status).toBe(400)
	expect(browser.cookies(host.url)).not.toHaveProperty('berth_session')
})

// Proves: account.openid-hosts
test('another host of the same database finishes what one began', async () => {
	const who = somebody()
	await host.account({ email: who.email })
	const env = { ...settings(), BASE_URL: host.url, MASTER_KEY_FILE: join(host.dataDir, 'master.key') }
	await withHost({ database: host.databaseUrl as string, env }, async (other) => {
		const browser = openBrowser()
		const { pathname, search } = await answer(who, browser)
		const page = await browser.open(`${other.url}${pathname}${search}`)
		expect(page.url.href).toBe(`${other.url}/`)
		expect(browser.cookies(host.url)).toHaveProperty('berth_session')
	})
})

// Proves: account.openid-answer
test('an answer belongs to the browser that began, which can use it once', async () => {
	const who = somebody()
	await host.account({ email: who.email })
	const browser = openBrowser()
	const url = await answer(who, browser)
	const stranger = openBrowser()
	expect((await stranger.open(url)).text).toContain('belongs to another browser')
	// The stranger has begun one, too: the victim's answer does not fit it.
	await stranger.open(`${host.url}/sign-in/openid`)
	expect((await stranger.open(url)).status).toBe(400)
	const forged = { cookie: 'berth_openid=AQAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA' }
	expect((await host.call(url.href, { headers: forged })).status).toBe(400)
	expect((await browser.open(url)).status).toBe(200)
	expect((await browser.open(url)).status).toBe(400)
})

test('who says no at the provider is told so, and the password still works', async () => {
	const page = await enter(null)
	expect(page.status).toBe(403)
	expect(page.text).toContain('Example & Co did not sign you in.')
	expect((await page.follow('Back to the sign-in')).html).toContain('name="password"')
})

// Proves: account.sign-in-return
test('a sign-in ends on the own page when the visitor is to go to another site', async () => {
	const password = 'correct horse battery'
	const to = '/.//evil.example'
	const who = somebody()
	await host.account({ email: who.email, password })
	const page = await openBrowser().open(`${host.url}/sign-in?to=${encodeURIComponent(to)}`)
	expect(page.html).not.toContain('evil')
	const post = await host.call('/sign-in/password', {
		body: new URLSearchParams({ email: who.email, password, to }),
		headers: { 'sec-fetch-site': 'same-origin' },
	})
	expect([post.status, post.headers.get('location')]).toEqual([303, '/'])
	const home = await enter(who, `/sign-in/openid?to=${encodeURIComponent(to)}`)
	expect(home.url.href).toBe(`${host.url}/`)
})

// Proves: account.openid
test('a client of the OAuth server is allowed by an account that has no password', async () => {
	const who = somebody()
	await host.account({ email: who.email })
	const { client_id } = await register(host.url)
	const browser = openBrowser()
	const login = await browser.open(authorizeUrl(host.url, client_id, pkce().challenge))
	const there = await login.follow('Sign in with Example & Co')
	provider.who = who
	const consent = await browser.open((await browser.open(there.url)).url)
	expect(consent.text).toContain(`Signed in as ${who.email}`)
	const done = await consent.submit({}, 'Allow')
	expect(done.url.searchParams.get('code')).toMatch(/^[\w-]{20,}$/)
})

// Proves: account.sign-in-return
test('a sign-in by password goes where the visitor wanted to go, after a wrong one, too', async () => {
	const password = 'correct horse battery'
	const { email } = await host.account({ password })
	const page = await openBrowser().open(`${host.url}/sign-in?to=/healthz`)
	const wrong = await page.submit({ email, password: 'wrong' })
	expect(wrong.status).toBe(401)
	expect((await wrong.submit({ email, password })).url.pathname).toBe('/healthz')
})

const odd = [
	'',
	'not-an-email',
	'a b@example.com',
	'a@example.com\n',
	'x@evil.example, a@example.com',
	`${'a'.repeat(250)}@example.com`,
	'a\0@example.com',
]

// Proves: account.openid-registration, account.openid-away, account.openid-refused
test('open registration makes accounts of allowed domains, and a provider that is away keeps nobody from a password', async () => {
	const password = 'correct horse battery'
	const gone = await startOpenIdServer()
	await gone.close()
	const env = {
		OIDC_ISSUER: gone.issuer,
		OIDC_CLIENT_ID: gone.clientId,
		OIDC_REGISTRATION: 'open',
		OIDC_ALLOWED_DOMAINS: 'Example.com, example.org',
	}
	await withHost({ env }, async (open) => {
		const { email } = await open.account({ password })
		const page = await openBrowser().open(`${open.url}/sign-in/openid?to=/healthz`)
		expect(page.status).toBe(503)
		expect(page.text).toContain('your organisation cannot be reached just now')
		expect((await page.submit({ email, password })).url.pathname).toBe('/healthz')

		// Back, with a client without a secret that says the address in the ID token.
		const port = Number(new URL(gone.issuer).port)
		const back = await startOpenIdServer({ port, secret: false, inIdToken: true })
		back.register(`${open.url}/sign-in/openid/callback`)
		const at = { host: open, provider: back }
		const browser = openBrowser()
		let late: URL
		try {
			const who = somebody()
			expect((await enter(who, undefined, at)).text).toMatch(new RegExp(`Account ${who.email} Plan free`))
			expect((await enter(who, undefined, at)).text).toContain(`Account ${who.email}`)
			for (const [n, email] of odd.entries()) {
				const refused = await enter({ sub: `odd ${n}`, email, email_verified: true }, undefined, at)
				expect([email, refused.status, refused.text]).toEqual([
					email,
					403,
					expect.stringContaining('is none.'),
				])
			}
			const outside = { sub: 'x', email: 'x@example.com.evil.example', email_verified: true }
			const refused = await enter(outside, undefined, at)
			expect(refused).toMatchObject({ status: 403 })
			expect(refused.text).toContain('get no account here')
			const list = await open.call<{ data: unknown[] }>('/v1/admin/accounts', { token: open.operator })
			expect(list.body.data).toHaveLength(3)
			late = await answer(somebody(), browser, undefined, at)
		} finally {
			await back.close()
		}
		const cut = await browser.open(late)
		expect(cut.status).toBe(503)
		expect(cut.text).toContain('cannot be reached just now')
	})
})
