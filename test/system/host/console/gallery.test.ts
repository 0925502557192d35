// Every page of the console, filled, in both themes, wide and on a phone: no rule of WCAG 2.2 AA broken, nothing outside, no
// error. With SCREENSHOTS set to a folder it also keeps what it saw (npm run screenshots).
import { join } from 'node:path'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { axeFindings } from '../../../kit/axe.ts'
import { openChromium, visit } from '../../../kit/chromium.ts'
import { startHost, type TestAccount, type TestHost } from '../../../kit/host.ts'
import { type McpServer, startMcpServer } from '../../../kit/mcp-server.ts'
import { type ModelServer, startModelServer } from '../../../kit/model-server.ts'
import { fillOffice, scripts } from './office.ts'

const folder = process.env.SCREENSHOTS
/** What the repository keeps; SCREENSHOTS_ALL keeps every page. */
const kept = ['agents', 'deploy', 'run', 'failures', 'agent', 'hub']
const password = 'correct horse battery'
let host: TestHost
let browser: Browser
let models: ModelServer
let mcp: McpServer
let account: TestAccount
let pages: [name: string, path: string][]

beforeAll(async () => {
	;[models, mcp, browser, host] = await Promise.all([
		startModelServer(scripts),
		startMcpServer(),
		openChromium(),
		startHost({ egressAllow: ['127.0.0.1'] }),
	])
	account = await host.account({
		email: 'ada@example.com',
		password,
		plan: 'team',
		operator: true,
		tester: true,
	})
	const { done, failed, waiting } = await fillOffice(host, account, models, mcp)
	const agent = '/agents/support-triage'
	const tabs = [
		'runs',
		'try',
		'versions',
		'keys',
		'credentials',
		'tools',
		'webhooks',
		'schedules',
		'memory',
		'budget',
		'settings',
	]
	pages = [
		['agents', '/'],
		['deploy', '/deploy'],
		['runs', '/runs'],
		['run', `/runs/${done}`],
		['run-failed', `/runs/${failed}`],
		['run-waiting', `/runs/${waiting}`],
		['failures', '/failures'],
		['approvals', '/approvals'],
		['agent', agent],
		...tabs.map((tab): [string, string] => [`agent-${tab}`, `${agent}/${tab}`]),
		['hub', '/hub'],
		...['credits', 'alerts', 'tokens', 'sessions', 'audit'].map((tab): [string, string] => [
			`hub-${tab}`,
			`/hub/${tab}`,
		]),
		['admin', '/admin'],
		...['guard', 'hosts', 'runs', 'prices', 'audit'].map((tab): [string, string] => [
			`admin-${tab}`,
			`/admin/${tab}`,
		]),
		['docs', '/docs'],
		['docs-agent', '/docs/support-triage'],
	]
})

afterAll(async () => {
	await browser?.close()
	await host?.close()
	await Promise.all([models?.close(), mcp?.close()])
})

/** Both themes and both widths; with pictures each theme at each width. */
const looks = [
	{ theme: 'light', width: 1440 },
	{ theme: 'dark', width: 390 },
	...(folder
		? ([
				{ theme: 'dark', width: 1440 },
				{ theme: 'light', width: 390 },
			] as const)
		: []),
] as const
const height = 900

// Proves: console.accessible, console.nothing-outside
test('every page is accessible and complete, in both themes, wide and on a phone', async () => {
	const { page, context, faults } = await visit(browser, host, { email: account.email, password })
	const found: string[] = []
	for (const [name, path] of pages) {
		await page.goto(path)
		await page.getByRole('heading', { level: 1 }).first().waitFor()
		// A run that waits keeps its stream open: what is loading is told by its skeleton.
		await page.waitForFunction(() => !document.querySelector('.skeleton'))
		if ((await page.getByText('There is no page at this address').count()) > 0) found.push(`${path}: no page`)
		for (const { theme, width } of looks) {
			// One load for all: only style sheets know theme and width.
			await page.emulateMedia({ colorScheme: theme })
			await page.setViewportSize({ width, height })
			const at = `${path} ${theme} ${width} px`
			const over = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)
			if (over > 0) found.push(`${at}: ${over} px wider than the window`)
			found.push(...(await axeFindings(page)).map((finding) => `${at}: ${finding}`))
			if (folder && (process.env.SCREENSHOTS_ALL || kept.includes(name)))
				await page.screenshot({ path: join(folder, `${name}-${width}-${theme}.png`) })
		}
		// A call that failed; what a run itself says has no request's id.
		const alerts = page.getByRole('alert').filter({ hasText: 'Request req_' })
		for (const alert of await alerts.allTextContents()) found.push(`${path}: ${alert}`)
	}
	expect(found).toEqual([])
	expect(faults).toEqual([])
	await context.close()
}, 240_000)
