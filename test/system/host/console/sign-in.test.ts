// Coming in, in a real browser: with the operator's OpenID provider, and as a program by its code. And what a first view costs.
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { axeFindings } from '../../../kit/axe.ts'
import { openChromium, visit } from '../../../kit/chromium.ts'
import { startHost, type TestHost } from '../../../kit/host.ts'
import { register, token } from '../../../kit/oauth-clients.ts'
import { type OpenIdServer, startOpenIdServer } from '../../../kit/openid-provider.ts'

let host: TestHost
let browser: Browser
let provider: OpenIdServer
const password = 'correct horse battery'
const grant_type = 'urn:ietf:params:oauth:grant-type:device_code'
/** Compressed, as the browser asks for it: documents, scripts, styles and data of the first page. */
const budget = { bytes: 80_000, requests: 12 }

beforeAll(async () => {
	provider = await startOpenIdServer()
	;[host, browser] = await Promise.all([
		startHost({
			env: {
				OIDC_ISSUER: provider.issuer,
				OIDC_CLIENT_ID: provider.clientId,
				OIDC_CLIENT_SECRET: provider.clientSecret,
				OIDC_NAME: 'Example & Co',
			},
		}),
		openChromium(),
	])
	provider.register(`${host.url}/sign-in/openid/callback`)
})

afterAll(async () => {
	await browser?.close()
	await host?.close()
	await provider?.close()
})

// Proves: console.openid
test('a visitor signs in with the provider and comes to the page that was asked for', async () => {
	const { email } = await host.account({ email: 'grace@example.com' })
	provider.who = { sub: 'grace', email, email_verified: true }
	const { page, context, faults } = await visit(browser, host, undefined, { elsewhere: [provider.issuer] })
	await page.goto('/hub/tokens')
	expect(await axeFindings(page)).toEqual([])
	await page.getByRole('link', { name: 'Sign in with Example & Co' }).click()
	await page.getByRole('button', { name: 'New token' }).waitFor()
	expect(new URL(page.url()).pathname).toBe('/hub/tokens')
	await page.getByTitle(email).waitFor()
	expect(faults).toEqual([])
	await context.close()
})

// Proves: console.device
test('a program is let in by its code, by a visitor who signs in first', async () => {
	const { email } = await host.account({ password })
	const { client_id } = await register(host.url, { grant_types: [grant_type], client_name: '<b>Printer</b>' })
	const asked = await host.call<Record<string, string>>('/device_authorization', {
		body: new URLSearchParams({ client_id, resource: `${host.url}/v1` }),
	})
	const { user_code = '', device_code = '' } = asked.body
	const { page, context, faults } = await visit(browser, host)
	await page.goto('/device')
	await page.getByLabel('E-mail').fill(email)
	await page.getByLabel('Password').fill(password)
	await page.getByRole('button', { name: 'Sign in' }).click()
	await page.getByRole('textbox').fill(user_code.toLowerCase())
	await page.keyboard.press('Enter')
	await page.getByText('<b>Printer</b>').first().waitFor()
	expect(await axeFindings(page)).toEqual([])
	await page.getByRole('button', { name: 'Allow' }).click()
	await page.getByRole('button', { name: 'Allow' }).waitFor({ state: 'detached' })
	const { status, body } = await token(host.url, { client_id, grant_type, device_code })
	expect([status, typeof body.access_token]).toEqual([200, 'string'])
	expect(faults).toEqual([])
	await context.close()
})

// Proves: console.first-view
test('the first page needs few requests and few bytes, and a second visit almost none', async () => {
	const { email } = await host.account({ password })
	const { page, context } = await visit(browser, host, { email, password })
	const debug = await context.newCDPSession(page)
	await debug.send('Network.enable')
	let seen = { bytes: 0, requests: 0 }
	debug.on('Network.responseReceived', ({ response }) => {
		if (!response.fromDiskCache && response.url.startsWith(host.url)) seen.requests++
	})
	debug.on('Network.loadingFinished', ({ encodedDataLength }) => {
		seen.bytes += encodedDataLength
	})
	await page.goto('/')
	await page.getByRole('heading', { name: 'Drop a bundle' }).waitFor()
	expect(seen.requests).toBeGreaterThan(3)
	expect(seen.requests).toBeLessThanOrEqual(budget.requests)
	expect(seen.bytes).toBeLessThan(budget.bytes)
	seen = { bytes: 0, requests: 0 }
	await page.reload()
	await page.getByRole('heading', { name: 'Drop a bundle' }).waitFor()
	expect(seen.bytes).toBeLessThan(budget.bytes / 5)
	await context.close()
})
