// What a browser is served: pages of the sign-in, documents and files of the console. (What the console does: ../console.)
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openBrowser, type Page } from '../../../kit/browser.ts'
import { startHost, type TestHost } from '../../../kit/host.ts'

let host: TestHost
const password = 'correct horse battery'
const foreign = { 'sec-fetch-site': 'cross-site', origin: 'https://evil.example' }
const budgetBytes = 70_000

beforeAll(async () => {
	host = await startHost({})
})

afterAll(() => host?.close())

const home = () => openBrowser().open(host.url)

async function enter({ email }: { email: string }): Promise<Page> {
	return (await home()).submit({ email, password }, 'Sign in')
}

async function cookieOf({ email }: { email: string }): Promise<string> {
	const headers = { 'sec-fetch-site': 'same-origin' }
	const signed = await host.call('/v1/session', { json: { email, password }, headers })
	return (signed.headers.get('set-cookie') ?? '').split(';')[0] ?? ''
}

// Proves: account.first-operator
test('the first operator comes in by the link, sets a password there, and signs in by it', async () => {
	// Printed a moment after the host is ready.
	const told = () => /http:[^"\s]+\/sign-in\?link=[^"\s]+/.exec(host.logs().join('\n'))?.[0]
	await expect.poll(told).toBeDefined()
	const link = told() as string
	const open = () => openBrowser().open(new URL(new URL(link).search, `${host.url}/sign-in`))
	const short = await (await open()).submit({ password: 'elevenchars' })
	expect(short.status).toBe(422)
	expect(short.text).toContain('A password has 12 characters or more.')
	expect(await short.submit({ password })).toMatchObject({ status: 200, url: new URL(host.url) })
	expect(await enter({ email: 'operator@localhost' })).toMatchObject({ status: 200, url: new URL(host.url) })
	expect((await (await open()).submit({ password })).status).toBe(401)
})

// Proves: console.signed-in-only
test('a browser without a session is sent to sign in, a client of JSON is not', async () => {
	const at = async (path: string, accept = 'text/html,*/*') => {
		const { status, headers } = await host.call(path, { headers: { accept } })
		return [status, headers.get('location')]
	}
	expect(await at('/')).toEqual([303, '/sign-in'])
	expect(await at('/runs?status=failed')).toEqual([303, '/sign-in?to=%2Fruns%3Fstatus%3Dfailed'])
	expect(await at('/connect/callback?code=c&state=s')).toEqual([303, '/sign-in'])
	expect((await at('/', 'application/json'))[0]).toBe(404)
	expect((await at('/no-such-page'))[0]).toBe(404)
})

// Proves: console.policy
test('a document of the console forbids inline script and style, other sites, and text that becomes script', async () => {
	const cookie = await cookieOf(await host.account({ password }))
	for (const path of ['/', '/agents/some%20agent/keys', '/connect/callback?code=c&state=s']) {
		const { status, headers, text } = await host.call(path, { headers: { cookie } })
		expect(status).toBe(200)
		const policy = headers.get('content-security-policy') ?? ''
		expect(policy).toMatch(
			/^default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'/,
		)
		expect(policy).toMatch(/require-trusted-types-for 'script'; trusted-types 'none'$/)
		expect(policy).not.toContain('unsafe')
		// Only a sign-in to a connector, in its pop-up, speaks to servers of others.
		expect(/connect-src 'self' https:/.test(policy)).toBe(path.startsWith('/connect'))
		expect(text).not.toMatch(/<script(?![^>]*\bsrc=)|<style|\son\w+=/)
	}
})

// Proves: console.first-view, console.files-immutable
test('the first view fits its budget, compressed as browsers ask for it, and is kept for a year', async () => {
	const cookie = await cookieOf(await host.account({ password }))
	const { text } = await host.call('/', { headers: { cookie } })
	const files = [...text.matchAll(/(?:src|href)="(\/console\/assets\/[^"]+)"/g)].map(
		([, path]) => path as string,
	)
	expect(files.length).toBeGreaterThanOrEqual(3)
	for (const coding of ['br', 'gzip']) {
		let sum = text.length
		for (const path of files) {
			// Not through `fetch`, which opens what it gets.
			const answer = await host.call(path, { headers: { 'accept-encoding': coding }, method: 'HEAD' })
			expect([answer.status, answer.headers.get('content-encoding')]).toEqual([200, coding])
			expect(answer.headers.get('cache-control')).toBe('public, max-age=31536000, immutable')
			sum += Number(answer.headers.get('content-length'))
		}
		expect(sum).toBeLessThan(budgetBytes)
	}
	expect((await host.call('/console/assets/..%2findex.html')).status).toBe(404)
})

// Proves: account.sign-out
test('signing out ends the session', async () => {
	const cookie = await cookieOf(await host.account({ password }))
	expect((await host.call('/', { headers: { cookie } })).status).toBe(200)
	const out = await host.call('/sign-out', {
		method: 'POST',
		headers: { cookie, 'sec-fetch-site': 'same-origin' },
	})
	expect([out.status, out.headers.get('location')]).toEqual([303, '/sign-in'])
	expect((await host.call('/', { headers: { cookie } })).status).toBe(303)
})

// Proves: account.other-site-form
test.each(['/sign-out', '/sign-in', '/sign-in/password'])(
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

// Proves: account.throttled
test('guesses in the form are throttled, and a disabled account stays out', async () => {
	const account = await host.account({ password })
	const page = await home()
	const hostile = `"'><script>alert(1)</script>`
	expect((await page.submit({ email: hostile, password: 'wrong' }, 'Sign in')).html).not.toContain('<script')
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
