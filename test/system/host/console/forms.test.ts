// Forms and questions of the console in a real browser: nothing half typed is saved, and what was done is said.
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { firstId } from '../../../../host/lib/ids.ts'
import { bundleOf, deploy, type Running, until, withSql } from '../../../kit/agent.ts'
import { openChromium, type Visit, visit } from '../../../kit/chromium.ts'
import type { TestAccount, TestHost } from '../../../kit/host.ts'
import { type ModelServer, startModelServer } from '../../../kit/model-server.ts'
import { sharedHost } from '../../../kit/shared-host.ts'

const password = 'correct horse battery'
let host: TestHost
let browser: Browser
let models: ModelServer
let account: TestAccount
let opened: Visit
let at: Running

beforeAll(async () => {
	models = await startModelServer({ 'of-nobody': { text: 'Hello.' } })
	;[host, browser] = await Promise.all([sharedHost(), openChromium()])
	account = await host.account({ password, plan: 'team' })
	const model = `{ provider: openai, name: of-nobody, base_url: "${models.openaiUrl}" }`
	at = await deploy(host, account, await bundleOf({ model }), 'forms')
	opened = await visit(browser, host, { email: account.email, password })
})
afterAll(async () => {
	await browser?.close()
	await host?.close()
	await models?.close()
})

async function show(tab: string): Promise<Page> {
	await opened.page.goto(`/agents/forms${tab && `/${tab}`}`)
	await opened.page.getByRole('heading', { level: 1, name: 'forms' }).waitFor()
	return opened.page
}
const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true })
const dialog = (page: Page) => page.getByRole('dialog')
const confirm = (page: Page, name: string) => dialog(page).getByRole('button', { name, exact: true }).click()
const said = (page: Page, text: string | RegExp) =>
	page.getByRole('status', { name: 'What was done' }).getByText(text).waitFor()
const inFocus = (page: Page) => page.evaluate(() => document.activeElement?.textContent?.trim())
async function read<T>(path: string): Promise<T> {
	return (await host.call<T>(`/v1/deployments/${at.id}${path}`, { token: account.token })).body
}
interface Keys {
	data: { name: string; expires_at: string | null; budgets: unknown; revoked_at: string | null }[]
}
const keysNamed = async (name: string) => (await read<Keys>('/keys')).data.filter((key) => key.name === name)

test('a number or date that is half typed is refused at its field, and Enter sends a dialog', async () => {
	const page = await show('keys')
	await button(page, 'New key').click()
	await dialog(page).getByLabel('Name').fill('half')
	await dialog(page).getByLabel('Dollars a month').focus()
	await page.keyboard.type('5e')
	await dialog(page).getByLabel('Ends').focus()
	await page.keyboard.type('12312030')
	await confirm(page, 'Make key')
	await dialog(page).getByText('Date or time is not complete.').waitFor()
	await dialog(page).getByText('This is not a number.').waitFor()
	expect(await dialog(page).getByLabel('Ends').getAttribute('aria-invalid')).toBe('true')
	expect(await keysNamed('half')).toEqual([])
	await dialog(page).getByLabel('Ends').fill('2030-12-31T10:00')
	await dialog(page).getByLabel('Dollars a month').fill('5')
	await page.keyboard.press('Enter')
	await button(page, 'I have stored it').click()
	expect(await keysNamed('half')).toMatchObject([
		{ expires_at: '2030-12-31T10:00:00.000Z', budgets: { usd_per_month: 5 } },
	])
	const row = page.getByRole('row', { name: 'half' })
	await row.getByRole('button', { name: 'Budget' }).click()
	await dialog(page).getByLabel('Dollars a month').press('End')
	await page.keyboard.type('-')
	await confirm(page, 'Save budget')
	await dialog(page).getByText('This is not a number.').waitFor()
	await confirm(page, 'Cancel')
	expect(await keysNamed('half')).toMatchObject([{ budgets: { usd_per_month: 5 } }])

	await page.getByRole('link', { name: 'Memory' }).click()
	await button(page, 'New file').click()
	await dialog(page).getByLabel('Path').fill('note.md')
	await page.keyboard.press('Enter')
	await page.getByLabel('Text').waitFor()
	await page.getByRole('link', { name: 'Webhooks' }).click()
	await button(page, 'Add webhook').click()
	await dialog(page).getByLabel('Address').fill('example')
	await page.keyboard.press('Enter')
	await dialog(page).getByText('This is not a web address.').waitFor()
	await dialog(page).getByLabel('Address').fill('https://example.com/hook')
	await page.keyboard.press('Enter')
	await button(page, 'I have stored it').click()
	await button(page, 'Redeliver a span').click()
	await dialog(page).getByLabel('Until').focus()
	await page.keyboard.type('12312030')
	await confirm(page, 'Redeliver')
	await dialog(page).getByText('Date or time is not complete.').waitFor()
	expect(await dialog(page).getByText('sent again').count()).toBe(0)
	expect(opened.faults).toEqual([])
})

test('fewer days for ended runs ask first where some would go, and say what was saved', async () => {
	const then = new Date(Date.now() - 3 * 86_400_000)
	await withSql(
		host,
		(sql) => sql`
			insert into runs (id, deployment_id, version, status, inputs, output, seed, created_at, completed_at)
			values (${firstId('run', then.getTime())}, ${at.id}, 1, 'succeeded', '{}', '"x"', 's', ${then}, ${then})`,
	)
	const page = await show('settings')
	const days = page.getByLabel('Kept for days')
	await days.fill('1')
	await page.keyboard.press('Enter')
	await dialog(page).getByText('older than 1 day').waitFor()
	await confirm(page, 'Cancel')
	expect(await read('')).toMatchObject({ retain_days: null })
	await days.fill('30')
	await page.keyboard.press('Enter')
	await page.getByText('Ended runs are kept 30 days.').waitFor()
	await days.fill('1')
	await page.keyboard.press('Enter')
	await confirm(page, 'Delete older runs')
	await page.getByText('Ended runs are kept 1 day.').waitFor()
	expect(await read('')).toMatchObject({ retain_days: 1 })
	expect(opened.faults).toEqual([])
})

test('focus goes back to what opened a dialog, or to the row of what is gone, and what was done is said', async () => {
	const page = await show('keys')
	await button(page, 'New key').click()
	await confirm(page, 'Cancel')
	await expect.poll(() => inFocus(page)).toBe('New key')
	const row = page.getByRole('row', { name: 'first run key' })
	await row.getByRole('button', { name: 'Revoke' }).click()
	await confirm(page, 'Revoke key')
	await said(page, 'first run key is revoked.')
	await expect.poll(() => row.evaluate((one) => one.contains(document.activeElement))).toBe(true)

	await page.getByRole('link', { name: 'Memory' }).click()
	await button(page, 'New file').click()
	await dialog(page).getByLabel('Path').fill('focus.md')
	await confirm(page, 'Make file')
	await page.getByLabel('Text').fill('one')
	await button(page, 'Save').click()
	await said(page, /^Saved as version \d+\.$/)
	expect(await inFocus(page)).toBe('Save')
	// It has nothing to save, and does nothing.
	await page.keyboard.press('Enter')
	expect(await button(page, 'Save').isDisabled()).toBe(true)

	await page.getByRole('link', { name: 'Schedules' }).click()
	await button(page, 'New schedule').click()
	await confirm(page, 'Save schedule')
	await said(page, 'The schedule is saved.')
	await button(page, 'Pause').click()
	await said(page, 'The schedule is paused.')
	expect(await inFocus(page)).toBe('Resume')
	expect(opened.faults).toEqual([])
})

test('a budget in dollars names the models without a price, on its tab and on the overview', async () => {
	const page = await show('budget')
	await page.getByLabel('Dollars a month').fill('20')
	await button(page, 'Save budget').click()
	await page.getByText('The price of openai/of-nobody is not known.').waitFor()
	await page.getByText('ask an operator of this host').waitFor()
	await page.getByRole('link', { name: 'Overview' }).click()
	await page.getByText('The price of openai/of-nobody is not known.').waitFor()
	await page.getByRole('link', { name: 'Budget' }).click()
	await button(page, 'Remove budget').click()
	await said(page, 'The budget is removed.')
	expect(opened.faults).toEqual([])
})

test('who is signed out reads so in the dialog and beside a text of memory, and loses nothing that was typed', async () => {
	const { page, context, faults } = await visit(browser, host, { email: account.email, password })
	await page.goto('/agents/forms/keys')
	await button(page, 'New key').click()
	await dialog(page).getByLabel('Name').fill('typed before')
	await page.evaluate(() => fetch('/v1/session', { method: 'DELETE' }))
	await confirm(page, 'Make key')
	await dialog(page).getByText('You are signed out.').waitFor()
	const [other] = await Promise.all([
		context.waitForEvent('page'),
		dialog(page).getByRole('link', { name: 'Sign in again in another tab' }).click(),
	])
	await other.getByLabel('E-mail').fill(account.email)
	await other.getByLabel('Password').fill(password)
	await other.getByRole('button', { name: 'Sign in' }).click()
	await dialog(page).getByText('You are signed in again.').waitFor()
	await confirm(page, 'Make key')
	await button(page, 'I have stored it').click()
	expect(await keysNamed('typed before')).toHaveLength(1)

	await host.call(`${at.url}/memory/out.md`, { method: 'PUT', token: account.token, json: { content: 'a' } })
	await page.goto('/agents/forms/memory?file=out.md')
	await page.getByLabel('Text').fill('typed before')
	await page.evaluate(() => fetch('/v1/session', { method: 'DELETE' }))
	await button(page, 'Save').click()
	await page.getByRole('alert').getByText('You are signed out.').waitFor()
	expect(await page.getByLabel('Text').inputValue()).toBe('typed before')
	expect(faults).toEqual([])
	await context.close()
})

test('an operator saves no price or switch that is empty, and is asked before disabling their own account', async () => {
	const operator = await host.account({ password, operator: true })
	const { page, context, faults } = await visit(browser, host, { email: operator.email, password })
	await page.goto('/admin/prices')
	await button(page, 'New price').click()
	await dialog(page).getByLabel('Model', { exact: true }).fill('empty-model')
	await dialog(page).getByLabel('Output, dollars a million tokens').fill('')
	await confirm(page, 'Set price')
	await dialog(page).getByText('Type a number. 0 is a number, too.').waitFor()
	await dialog(page).getByLabel('Output, dollars a million tokens').focus()
	await page.keyboard.type('1e')
	await page.keyboard.press('Enter')
	await dialog(page).getByText('This is not a number. Type digits, as in 1000 or 2.5.').waitFor()
	await confirm(page, 'Cancel')
	await page.getByRole('link', { name: 'Guard' }).click()
	await page.getByLabel('Capacity of a host').fill('')
	await page.getByLabel('Share of free accounts').fill('2')
	await button(page, 'Set switches').click()
	await page.getByText('Type a number. 0 is a number, too.').waitFor()
	await page.getByText('Type a number from 0 to 1.').waitFor()
	expect(await page.getByText('The switches are set').count()).toBe(0)

	await page.goto('/admin')
	await page.getByLabel('Find by e-mail address').fill(operator.email)
	await page.getByRole('row', { name: operator.email }).getByRole('button', { name: 'Change' }).click()
	await page.getByLabel('Disabled: signed out at once').check()
	await button(page, 'Save').click()
	const question = page.getByRole('dialog', { name: 'Disable your own account?' })
	await question.getByRole('button', { name: 'Cancel' }).click()
	await question.waitFor({ state: 'detached' })
	expect((await host.call('/v1/account', { token: operator.token })).status).toBe(200)
	await button(page, 'Save').click()
	await question.getByRole('button', { name: 'Disable my account' }).click()
	await until(async () => (await host.call('/v1/account', { token: operator.token })).status !== 200)
	expect(faults).toEqual([])
	await context.close()
})
