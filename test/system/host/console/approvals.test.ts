// Approvals in a real browser: what is decided is what was read, whatever comes meanwhile.
import type { Browser, Locator, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { bundleOf, deploy, type Running, run, until } from '../../../kit/agent.ts'
import { openChromium, visit } from '../../../kit/chromium.ts'
import type { TestAccount, TestHost } from '../../../kit/host.ts'
import { type McpServer, standardTools, startMcpServer } from '../../../kit/mcp-server.ts'
import { type ModelServer, startModelServer } from '../../../kit/model-server.ts'
import { sharedHost } from '../../../kit/shared-host.ts'

const password = 'correct horse battery'
let host: TestHost
let browser: Browser
let models: ModelServer
let mcp: McpServer
let account: TestAccount
let payer: Running

beforeAll(async () => {
	models = await startModelServer({
		payer: [{ calls: [{ name: 'charge', input: { key: 'k1' } }] }, { text: 'Paid.' }],
	})
	mcp = await startMcpServer({ tools: standardTools })
	;[host, browser] = await Promise.all([sharedHost(), openChromium()])
	account = await host.account({ password, plan: 'team' })
	const yaml = `requires:
  - { connector: "${mcp.url}", scopes: [], auth: none, kind: connector, tools: [charge] }
tools: { "${mcp.url}/charge": { approval: required } }
`
	const model = `{ provider: openai, name: payer, base_url: "${models.openaiUrl}" }`
	payer = await deploy(host, account, await bundleOf({ model, yaml }), 'payer')
})
afterAll(async () => {
	await browser?.close()
	await host?.close()
	await Promise.all([models?.close(), mcp?.close()])
})

const read = async (id: string) =>
	(await host.call<{ status: string }>(`${payer.url}/runs/${id}`, { token: account.token })).body.status
/** A run that waits to be allowed its payment. */
async function asks(): Promise<string> {
	const { id } = (await run(host, payer, {}, { prefer: 'respond-async' })).body
	await until(async () => (await read(id)) === 'waiting')
	return id
}
const card = (page: Page, id: string) =>
	page.getByRole('article').filter({ has: page.getByRole('link', { name: id }) })
async function pointAt(page: Page, button: Locator): Promise<void> {
	const box = await button.boundingBox()
	if (!box) throw new Error('The button is not shown.')
	await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2)
}
const press = async (page: Page) => {
	await page.mouse.down()
	await page.mouse.up()
}

test('a click decides the approval under it: new ones wait behind a line, and a decided one keeps its place', async () => {
	const [older, newer] = [await asks(), await asks()]
	const { page, context, faults } = await visit(browser, host, { email: account.email, password })
	await page.goto('/approvals')
	const approve = card(page, newer).getByRole('button', { name: 'Approve' })
	await pointAt(page, approve)
	const newest = await asks()
	await page.getByText('1 new approval:').waitFor()
	await press(page)
	await card(page, newer).getByText('Approved by you').waitFor()
	const hasFocus = () => card(page, newer).evaluate((one) => one.contains(document.activeElement))
	await expect.poll(hasFocus).toBe(true)
	// The same place, once more: nothing came up under the pointer.
	await press(page)
	await until(async () => (await read(newer)) === 'succeeded')
	const said = page.getByRole('status', { name: 'What was done' })
	await said.getByText('Approved: Call charge?').waitFor()
	expect(
		await card(page, newer)
			.getByRole('button', { name: /Approve|Deny/ })
			.count(),
	).toBe(0)
	expect(await Promise.all([older, newest].map(read))).toEqual(['waiting', 'waiting'])

	// One that ends elsewhere keeps its place, too, and says so.
	await host.call(`${payer.url}/runs/${older}/cancel`, { method: 'POST', token: account.token })
	await card(page, older).getByText('Nobody decided').waitFor()
	await page.getByRole('button', { name: 'Show' }).click()
	await card(page, newest).waitFor()
	expect(await page.getByRole('article').count()).toBe(1)
	await card(page, newest).getByRole('button', { name: 'Deny' }).click()
	await card(page, newest).getByText('Denied by you').waitFor()
	expect(faults).toEqual([])
	await context.close()
})
