// What is shown once, in a real browser: no way to another page loses it unasked, nor a dialog that is closed too early.
import type { Browser, Dialog, Page } from 'playwright-core'
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

/** The question that an act brings up, refused. */
async function refused(page: Page, act: () => Promise<unknown>): Promise<string> {
	const asked = new Promise<Dialog>((resolve) => page.once('dialog', resolve))
	// A reload or a step back that is refused never arrives: Playwright ends it by its time limit, after the test.
	void act().catch(() => undefined)
	const dialog = await asked
	const said = `${dialog.type()} ${dialog.message()}`
	await dialog.dismiss()
	return said
}

async function newToken(page: Page): Promise<void> {
	await page.getByRole('button', { name: 'New token' }).click()
	await page.getByLabel('Name').fill('CI')
	await page.getByRole('button', { name: 'Make token' }).click()
}

/** Answers to changes at the address come when they are let go. */
async function slow(page: Page, address: string): Promise<{ under: Promise<void>; go(): void }> {
	const under = Promise.withResolvers<void>()
	const go = Promise.withResolvers<void>()
	await page.route(address, async (route) => {
		if (route.request().method() === 'POST') {
			under.resolve()
			await go.promise
		}
		await route.continue()
	})
	return { under: under.promise, go: () => go.resolve() }
}

test('while a token is shown and not stored, the jump dialog, Back and reload ask before they lose it', async () => {
	const account = await host.account({ password })
	const { page, context, faults } = await visit(browser, host, { email: account.email, password })
	await page.goto('/hub')
	await page.getByRole('link', { name: 'Tokens' }).click()
	await newToken(page)
	const shown = page.getByRole('dialog', { name: 'Your token' })
	await shown.waitFor()
	const jump = async () => {
		await page.keyboard.press('Control+k')
		await page.getByRole('combobox').fill('failures')
		await page.getByRole('option', { name: 'Failures' }).waitFor()
		await page.keyboard.press('Enter')
	}
	expect(await refused(page, jump)).toContain('confirm Your token: this is not shown again.')
	await page.keyboard.press('Escape')
	await page.getByRole('dialog', { name: 'Jump to' }).waitFor({ state: 'detached' })
	expect(await refused(page, () => page.evaluate(() => history.back()))).toContain('confirm Your token')
	expect(await refused(page, () => page.evaluate(() => void setTimeout(() => location.reload())))).toContain(
		'beforeunload',
	)
	expect(new URL(page.url()).pathname).toBe('/hub/tokens')
	await shown.getByRole('button', { name: 'I have stored it' }).click()
	await page.goBack()
	await page.getByRole('heading', { name: 'slots used' }).waitFor()
	expect(faults).toEqual([])
	await context.close()
})

test('a dialog whose answer is shown once stays until the answer is there', async () => {
	const account = await host.account({ password, operator: true })
	const { page, context, faults } = await visit(browser, host, { email: account.email, password })
	await page.goto('/hub/tokens')
	const token = await slow(page, '**/v1/tokens')
	await newToken(page)
	await token.under
	await page.keyboard.press('Escape')
	await page.keyboard.press('Escape')
	await page
		.getByRole('dialog', { name: 'New token' })
		.getByRole('button', { name: 'Cancel', disabled: true })
		.waitFor()
	token.go()
	await page
		.getByRole('dialog', { name: 'Your token' })
		.getByRole('button', { name: 'I have stored it' })
		.click()
	await page.goto('/admin')
	const made = await slow(page, '**/v1/admin/accounts')
	await page.getByRole('button', { name: 'New account' }).click()
	const email = `${crypto.randomUUID()}@example.com`
	await page.getByLabel('E-mail', { exact: true }).fill(email)
	await page.getByRole('button', { name: 'Create account' }).click()
	await made.under
	await page.keyboard.press('Escape')
	await page.keyboard.press('Escape')
	made.go()
	const link = page.getByRole('dialog', { name: `Sign-in link of ${email}` })
	await link.getByRole('button', { name: 'I have stored it' }).click()
	const row = page.getByRole('row', { name: email })
	await row.getByRole('button', { name: 'Change' }).click()
	await page.getByRole('button', { name: 'Make a sign-in link' }).click()
	await link.waitFor()
	await page.keyboard.press('Escape')
	await link.getByRole('button', { name: 'I have stored it' }).click()
	await page.getByRole('dialog', { name: email }).getByRole('button', { name: 'Cancel' }).click()
	expect(faults).toEqual([])
	await context.close()
})
