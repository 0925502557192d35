// Platform Hub, the operator's pages and the API reference, in a real browser.
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { axeFindings } from '../../../kit/axe.ts'
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
	const price = '/v1/admin/prices?provider=openai&model=house-model'
	await host?.call(price, { method: 'DELETE', token: host.operator })
	await host?.close()
})

// Proves: console.hub, console.tokens
test('an owner sees plan, slots and ledger, changes the password, and makes a token that is shown once', async () => {
	const account = await host.account({ password, plan: 'pro' })
	const { page, context, faults } = await visit(browser, host, { email: account.email, password })
	await page.goto('/hub')
	await page.getByRole('heading', { name: '0 of 5 slots used' }).waitFor()
	await page.getByLabel('Current password').fill('not my password')
	await page.getByLabel('New password').fill('another long password')
	await page.getByRole('button', { name: 'Change password' }).click()
	await page.getByText('is not right').waitFor()
	await page.getByLabel('Current password').fill(password)
	await page.getByRole('button', { name: 'Change password' }).click()
	await page.getByText('The password is set.').waitFor()
	await page.getByRole('link', { name: 'Credits' }).click()
	await page.getByRole('cell', { name: '+2,500' }).waitFor()
	await page.getByRole('link', { name: 'Tokens' }).click()
	await page.getByRole('button', { name: 'New token' }).click()
	await page.getByLabel('Name').fill('deploys <b>from</b> CI')
	await page.getByRole('button', { name: 'Make token' }).click()
	const shown = page.getByRole('dialog', { name: 'Your token' })
	await page.keyboard.press('Escape')
	await shown.getByRole('button', { name: 'Copy' }).click()
	const token = await page.evaluate(() => navigator.clipboard.readText())
	expect((await host.call('/v1/account', { token })).body).toMatchObject({ email: account.email })
	expect(await page.content()).not.toContain(token)
	await shown.getByRole('button', { name: 'I have stored it' }).click()
	await page
		.getByRole('row', { name: 'deploys <b>from</b> CI' })
		.getByRole('button', { name: 'Revoke' })
		.click()
	await page.getByRole('button', { name: 'Revoke token' }).click()
	await page.getByRole('dialog').waitFor({ state: 'detached' })
	await page.getByRole('row', { name: 'deploys <b>from</b> CI' }).waitFor({ state: 'detached' })
	expect((await host.call('/v1/account', { token })).status).toBe(401)
	expect(faults).toEqual([])
	await context.close()
})

// Proves: console.sessions
test('a session is revoked from another, and is over at once', async () => {
	const account = await host.account({ password })
	const signIn = { email: account.email, password }
	const [mine, other] = [await visit(browser, host, signIn), await visit(browser, host, signIn)]
	await other.page.goto('/hub/sessions')
	await other.page.getByText('this one').waitFor()
	await mine.page.goto('/hub/sessions')
	await mine.page.getByRole('button', { name: 'Revoke' }).click()
	await mine.page.getByRole('button', { name: 'Revoke' }).waitFor({ state: 'detached' })
	await other.page.getByRole('link', { name: 'Tokens' }).click()
	await other.page.getByText('Your session is over.').waitFor()
	expect(mine.faults).toEqual([])
	await mine.context.close()
	await other.context.close()
})

// Proves: console.operator
test('an operator makes an account with a one-time link, gives credits, and sets a price', async () => {
	const account = await host.account({ password, operator: true })
	const { page, context, faults } = await visit(browser, host, { email: account.email, password })
	await page.goto('/admin')
	await page.getByRole('button', { name: 'New account' }).click()
	await page.getByLabel('E-mail', { exact: true }).fill('new.person@example.com')
	await page.getByRole('button', { name: 'Create account' }).click()
	const dialog = page.getByRole('dialog', { name: 'Sign-in link of new.person@example.com' })
	await dialog.getByRole('button', { name: 'Copy' }).click()
	const link = await page.evaluate(() => navigator.clipboard.readText())
	await dialog.getByRole('button', { name: 'I have stored it' }).click()
	const row = page.getByRole('row', { name: 'new.person@example.com' })
	await row.getByRole('button', { name: 'Change' }).click()
	await page.getByLabel('Credits to add').fill('12.5')
	await page.getByRole('button', { name: 'Add credits' }).click()
	await page.getByText(/Balance \d*12\.5\./).waitFor()
	await page.getByLabel('Guard tester').check()
	await page.getByRole('button', { name: 'Save' }).click()
	await row.getByText('tester').waitFor()
	await page.getByRole('link', { name: 'Prices' }).click()
	await page.getByRole('button', { name: 'New price' }).click()
	await page.getByLabel('Model', { exact: true }).fill('house-model')
	await page.getByLabel('Output, dollars a million tokens').fill('3.25')
	await page.getByRole('button', { name: 'Set price' }).click()
	await page.getByRole('row', { name: 'house-model' }).getByText('$3.25').waitFor()
	// The person comes in by the link.
	const { page: theirs, context: other } = await visit(browser, host)
	await theirs.goto(link)
	await theirs.getByLabel('Password').fill('a password of my own')
	await theirs.getByRole('button').click()
	await theirs.getByRole('heading', { name: 'Drop a bundle' }).waitFor()
	await theirs.goto('/admin')
	await theirs.getByText('This needs an operator').waitFor()
	expect(faults).toEqual([])
	await other.close()
	await context.close()
})

// Proves: console.reference
test('the API reference is searched and opened, without a viewer from elsewhere', async () => {
	const account = await host.account({ password })
	const { page, context, faults } = await visit(browser, host, { email: account.email, password })
	await page.goto('/docs')
	await page.getByLabel('Find an operation').fill('rotate')
	await page.getByText('/v1/deployments/{id}/keys/{key}/rotate').click()
	await page.getByRole('heading', { name: 'Parameters' }).waitFor()
	await page.getByText('overlap_seconds').first().waitFor()
	expect(await axeFindings(page)).toEqual([])
	expect(faults).toEqual([])
	await context.close()
})
