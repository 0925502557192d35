// The console's shell in a real browser: what every page has.
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

test('the jump dialog finds tabs of the account and of the platform, and says where it finds nothing', async () => {
	const account = await host.account({ password, operator: true })
	const { page, context, faults } = await visit(browser, host, { email: account.email, password })
	await page.goto('/hub')
	await page.getByTitle(account.email).first().waitFor()
	await page.keyboard.press('Control+k')
	const asked = page.getByRole('combobox', { name: 'Agent, run id or page' })
	await asked.fill('nothing is called this')
	await page.getByRole('status').getByText('Nothing of that name.').waitFor()
	expect(await axeFindings(page)).toEqual([])
	await asked.fill('audit')
	await page.getByRole('option', { name: 'Admin: Audit log' }).waitFor()
	await asked.fill('tokens')
	await page.getByRole('option', { name: 'Hub: Tokens' }).waitFor()
	await page.keyboard.press('Enter')
	await page.getByRole('button', { name: 'New token' }).waitFor()
	expect(faults).toEqual([])
	await context.close()
})

test('a tab notices that another one signed in as somebody else, by itself or when it is used', async () => {
	const [ada, bob] = [await host.account({ password, operator: true }), await host.account({ password })]
	const { page, context } = await visit(browser, host, { email: ada.email, password })
	await page.goto('/hub/tokens')
	await page.getByTitle(ada.email).first().waitFor()
	await page.getByRole('link', { name: 'Admin' }).waitFor()
	// The cookies are those of the tabs.
	const signIn = async (email: string) => {
		const headers = { 'sec-fetch-site': 'same-origin' }
		expect((await context.request.delete('/v1/session', { headers })).status()).toBe(204)
		const signed = await context.request.post('/v1/session', { headers, data: { email, password } })
		expect(signed.status()).toBe(204)
	}
	await signIn(bob.email)
	const other = await context.newPage()
	await other.goto('/hub')
	await page.getByTitle(bob.email).first().waitFor()
	await page.getByRole('link', { name: 'Admin' }).waitFor({ state: 'detached' })
	await other.close()
	await signIn(ada.email)
	await page.evaluate(() => dispatchEvent(new Event('focus')))
	await page.getByTitle(ada.email).first().waitFor()
	await context.close()
})

test('a page whose files cannot be loaded says so, is loaded once the host is back, and not again and again', async () => {
	const account = await host.account({ password })
	const { page, context } = await visit(browser, host, { email: account.email, password })
	await page.goto('/')
	await page.getByRole('heading', { name: 'Drop a bundle' }).waitFor()
	const away = (address: string) => page.route(address, (route) => route.abort())
	await away('**/healthz')
	await away('**/console/assets/**')
	await page.getByRole('link', { name: 'Failures' }).click()
	await page.getByRole('heading', { name: 'Not loaded' }).waitFor()
	await page.getByRole('button', { name: 'Try again' }).waitFor()
	await page.unroute('**/console/assets/**')
	await page.unroute('**/healthz')
	await page.getByText('Nothing failed').waitFor()
	// Of a newer host: the document is there, and this page's file is not.
	let documents = 0
	page.on('request', (request) => {
		if (request.isNavigationRequest()) documents++
	})
	await page.route(/assets\/page-.*\.js/, (route) => route.fulfill({ status: 404 }))
	await page.getByRole('link', { name: 'Approvals' }).click()
	await page.getByRole('heading', { name: 'Not loaded' }).waitFor()
	await expect.poll(() => documents).toBe(1)
	await page.getByRole('heading', { name: 'Not loaded' }).waitFor()
	expect(documents).toBe(1)
	await context.close()
})

test('what is not there has a heading, a title and a way on', async () => {
	const account = await host.account({ password })
	const { page, context, faults } = await visit(browser, host, { email: account.email, password })
	const missing = {
		'/runs/run_00000000000000000000000000': ['Run', 'There is no such run', 'To the runs'],
		'/deploy?deployment=dep_00000000000000000000000000': [
			'Deploy agent',
			'There is no such deployment',
			'To the agents',
		],
		'/connect': ['Sign in', 'There is no such agent', 'To the agents'],
		'/agents/nobody/nonsense': ['nobody', 'There is no such agent', 'To the agents'],
	}
	for (const [address, [title = '', said = '', way = '']] of Object.entries(missing)) {
		await page.goto(address)
		await page.getByRole('heading', { name: said }).waitFor()
		await page.getByRole('heading', { name: title, level: 1 }).waitFor()
		await page.getByRole('link', { name: way }).waitFor()
		expect(await page.title()).toBe(`${title} · Berth`)
	}
	await page.goto('/xyz')
	await page.getByRole('heading', { name: 'There is no page at this address' }).waitFor()
	expect(await page.title()).toBe('Not here · Berth')
	await page.getByRole('link', { name: 'To the agents' }).click()
	await page.getByRole('heading', { name: 'Drop a bundle' }).waitFor()
	expect(faults).toEqual([])
	await context.close()
})

test('on a phone one signs out, jumps and finds the API', async () => {
	const account = await host.account({ password })
	const look = { width: 360, height: 740 }
	const { page, context, faults } = await visit(browser, host, { email: account.email, password }, look)
	await page.goto('/hub/sessions')
	await page.getByText('this one').waitFor()
	expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(look.width)
	expect(await axeFindings(page)).toEqual([])
	await page.getByRole('button', { name: 'Jump to' }).click()
	await page.getByRole('combobox').waitFor()
	await page.keyboard.press('Escape')
	await page.getByRole('link', { name: 'API' }).click()
	await page.getByLabel('Find an operation').waitFor()
	await page.getByRole('button', { name: 'Sign out' }).click()
	await page.waitForURL('**/sign-in')
	expect(faults).toEqual([])
	await context.close()
})
