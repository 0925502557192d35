// Platform Hub, the page of plan, slots, credits and ledger.
import postgres from 'postgres'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { parseDatabaseUrl } from '../../../../host/db/url.ts'
import { openBrowser, type Page } from '../../../kit/browser.ts'
import { startHost, type TestHost } from '../../../kit/host.ts'

let host: TestHost
let sql: postgres.Sql
const password = 'correct horse battery'
const foreign = { 'sec-fetch-site': 'cross-site', origin: 'https://evil.example' }

beforeAll(async () => {
	host = await startHost({})
	sql = postgres({ ...parseDatabaseUrl(host.databaseUrl as string), max: 1, onnotice: () => {} })
})

afterAll(async () => {
	await sql?.end()
	await host?.close()
})

const home = () => openBrowser().open(host.url)

async function enter({ email }: { email: string }): Promise<Page> {
	return (await home()).submit({ email, password }, 'Sign in')
}

async function cookieOf({ email }: { email: string }): Promise<string> {
	const headers = { 'sec-fetch-site': 'same-origin' }
	const signed = await host.call('/v1/session', { json: { email, password }, headers })
	return (signed.headers.get('set-cookie') ?? '').split(';')[0] ?? ''
}

const credit = (id: string, credits: number, reason: string) =>
	host.call(`/v1/admin/accounts/${id}/credits`, { token: host.operator, json: { credits, reason } })

// Proves: account.first-operator
test('the first operator comes to the account page by the link, sets a password, and signs in by it', async () => {
	// Printed a moment after the host is ready.
	const told = () => /http:[^"\s]+\/sign-in\?link=[^"\s]+/.exec(host.logs().join('\n'))?.[0]
	await expect.poll(told).toBeDefined()
	const link = told() as string
	const page = await (await openBrowser().open(new URL(new URL(link).search, `${host.url}/sign-in`))).submit()
	expect(page).toMatchObject({ status: 200, url: new URL(host.url) })
	expect(page.text).toMatch(
		/Account operator@localhost Plan team Slots 0 of 25 used Tester no Credits 2,500 .*No deployment takes a slot/,
	)
	expect(page.text).toMatch(/\d{4}-\d\d-\d\d \d\d:\d\d UTC \+2,500 2,500 free credits/)
	const short = await page.submit({ password: 'elevenchars' }, 'Set password')
	expect(short.status).toBe(422)
	expect(short.text).toContain('A password has 12 characters or more.')
	const set = await short.submit({ password }, 'Set password')
	expect(set.status).toBe(200)
	expect(set.text).not.toContain('Set password')
	const again = await enter({ email: 'operator@localhost' })
	expect(again.text).toContain('Account operator@localhost')
})

// Proves: account.account-page
test('the page shows the tester flag, who holds the slots, and the newest 50 entries', async () => {
	const account = await host.account({ password, plan: 'pro', tester: true })
	await sql`insert into deployments (id, account_id, name, slug, place, state, state_since)
		values ('dep_1', ${account.id}, 'night-watch', 'night-watch-1', 'here', 'failed', '2026-03-01T04:05:06Z')`
	for (let n = 1; n <= 51; n++) await credit(account.id, -0.5, `call ${n}`)
	const { text } = await enter(account)
	expect(text).toContain('Plan pro Slots 1 of 5 used Tester yes Credits 2,474.5 ')
	expect(text).toContain('night-watch failed 2026-03-01 04:05 UTC')
	expect(text).toContain('-0.5 2,474.5 call 51')
	expect(text.match(/call \d+/g)).toEqual(Array.from({ length: 50 }, (_, n) => `call ${51 - n}`))
	expect(text).toContain('The newest 50.')
})

test('markup in what the page shows is text', async () => {
	const account = await host.account({ password })
	const hostile = `"'><script>alert(1)</script>&amp;`
	await credit(account.id, 1, hostile)
	const cookie = await cookieOf(account)
	await sql`update accounts set email = ${hostile} where id = ${account.id}`
	const { text, headers } = await host.call('/', { headers: { cookie } })
	expect(text).not.toMatch(/<script|'>/)
	expect(text.split('&#34;&#39;&#62;&#60;script&#62;alert(1)&#60;/script&#62;&#38;amp;')).toHaveLength(3)
	expect(headers.get('content-security-policy')).toMatch(/^default-src 'none'; style-src 'sha256-[^;]+; form/)
	const refused = await (await home()).submit({ email: hostile, password: 'wrong' }, 'Sign in')
	expect(refused.status).toBe(401)
	expect(refused.html).not.toContain('<script')
})

test('a browser without a session is sent to sign in, a client of JSON is not', async () => {
	const browser = await host.call('/', { headers: { accept: 'text/html,*/*' } })
	expect([browser.status, browser.headers.get('location')]).toEqual([303, '/sign-in'])
	const json = await host.call('/', { headers: { accept: 'application/json' } })
	expect(json).toMatchObject({ status: 404, body: { code: 'not_found' } })
	const form = await host.call('/account/password', { body: new URLSearchParams({ password }) })
	expect([form.status, form.headers.get('location')]).toEqual([303, '/sign-in'])
})

// Proves: account.sign-out
test('signing out ends the session', async () => {
	const account = await host.account({ password })
	const browser = openBrowser()
	const page = await (await browser.open(host.url)).submit({ email: account.email, password }, 'Sign in')
	const { berth_session } = browser.cookies(host.url)
	expect((await page.submit({}, 'Sign out')).url.pathname).toBe('/sign-in')
	expect(browser.cookies(host.url)).toEqual({})
	const answer = await host.call('/', { headers: { cookie: `berth_session=${berth_session}` } })
	expect(answer.status).toBe(303)
})

// Proves: account.other-site-form
test.each(['/account/password', '/sign-out', '/sign-in', '/sign-in/password'])(
	'a form of another site is refused at %s',
	async (path) => {
		const account = await host.account({ password })
		const cookie = await cookieOf(account)
		const body = new URLSearchParams({ email: account.email, password: 'another long password' })
		for (const [name, value] of Object.entries(foreign)) {
			const answer = await host.call(path, { body, headers: { cookie, [name]: value } })
			expect(answer).toMatchObject({ status: 403, body: { code: 'forbidden' } })
			expect(answer.headers.get('set-cookie')).toBeNull()
		}
		expect((await host.call('/', { headers: { cookie } })).status).toBe(200)
	},
)

test('a password that is there is not replaced by the form', async () => {
	const account = await host.account({ password })
	const body = new URLSearchParams({ password: 'another long password' })
	const headers = { cookie: await cookieOf(account), 'sec-fetch-site': 'same-origin' }
	expect((await host.call('/account/password', { body, headers })).status).toBe(409)
	expect((await enter(account)).text).toContain(account.email)
})

// Proves: account.throttled
test('guesses in the form are throttled, and a disabled account stays out', async () => {
	const account = await host.account({ password })
	const page = await home()
	const disabled = { token: host.operator, method: 'PATCH', json: { disabled: true } }
	await host.call(`/v1/admin/accounts/${account.id}`, disabled)
	const right = await page.submit({ email: account.email, password }, 'Sign in')
	expect([right.status, right.text.includes('The account is disabled.')]).toEqual([403, true])
	const guess = () => page.submit({ email: account.email, password: 'wrong' }, 'Sign in')
	for (let n = 0; n < 6; n++) expect((await guess()).status).toBe(401)
	const late = await guess()
	expect(late.status).toBe(429)
	expect(Number(late.headers.get('retry-after'))).toBeGreaterThan(0)
})
