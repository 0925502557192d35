// The console's shell in a real browser: what every page has.
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openChromium, visit } from '../../../kit/chromium.ts'
import type { TestHost } from '../../../kit/host.ts'
import { sharedHost } from '../../../kit/shared-host.ts'

let host: TestHost
let browser: Browser
const password = 'correct horse battery'

beforeAll(async () => {
	;[host, browser] = await Promise.all([sharedHost(), openChromium()])
})

afterAll(async () => {
	await browser?.close()
	await host?.close()
})

// Proves: console.begin, console.jump
test('an account without agents is shown the three ways to begin, and Ctrl K jumps to a page', async () => {
	const account = await host.account({ password })
	const { page, context, faults } = await visit(browser, host, { email: account.email, password })
	await page.goto('/')
	for (const name of ['Drop a bundle', 'Write one', 'Take an example'])
		await page.getByRole('heading', { name }).waitFor()
	await page.keyboard.press('Control+k')
	await page.getByRole('combobox', { name: 'Agent, run id or page' }).fill('agen')
	await page.getByRole('option', { name: 'Deploy agent' }).waitFor()
	await page.keyboard.press('Enter')
	await page.getByRole('dialog').waitFor({ state: 'detached' })
	expect(faults).toEqual([])
	await context.close()
})

// Proves: console.lost-line
test('a session that is over is told once, and signing in elsewhere brings the page back', async () => {
	const account = await host.account({ password })
	const { page, context } = await visit(browser, host, { email: account.email, password })
	await page.goto('/')
	await page.getByRole('heading', { name: 'Drop a bundle' }).waitFor()
	await page.evaluate(() => fetch('/v1/session', { method: 'DELETE' }))
	await page.keyboard.press('Control+k')
	await page.getByText('Your session is over.').waitFor()
	const other = await context.newPage()
	await other.goto('/sign-in')
	await other.getByLabel('E-mail').fill(account.email)
	await other.getByLabel('Password').fill(password)
	await other.getByRole('button', { name: 'Sign in' }).click()
	await other.getByRole('heading', { name: 'Drop a bundle' }).waitFor()
	await page.getByText('Your session is over.').waitFor({ state: 'detached' })
	await context.close()
})
