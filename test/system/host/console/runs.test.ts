// Runs, failures and approvals in a real browser: what went wrong is found and repaired, what waits is decided.
import { inputRequired } from '@modelcontextprotocol/server'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Run } from '../../../../host/api/runs.ts'
import { bundleOf, deploy, type Running, run, until, upload } from '../../../kit/agent.ts'
import { axeFindings } from '../../../kit/axe.ts'
import { openChromium, type Visit, visit } from '../../../kit/chromium.ts'
import { startHost, type TestAccount, type TestHost } from '../../../kit/host.ts'
import { type McpServer, standardTools, startMcpServer } from '../../../kit/mcp-server.ts'
import { type ModelServer, startModelServer } from '../../../kit/model-server.ts'
import { type Receiver, startReceiver, status } from '../../../kit/receiver.ts'

const password = 'correct horse battery'
const hostile = '<img src=x onerror="document.title=1">{{7*7}}\u202e</pre><script>alert(1)</script>'
const where = {
	method: 'elicitation/create' as const,
	params: {
		mode: 'form' as const,
		message: 'Where shall the table be?',
		requestedSchema: {
			type: 'object' as const,
			properties: {
				city: { type: 'string' as const, minLength: 2 },
				seats: { type: 'integer' as const, default: 2 },
			},
			required: ['city'],
		},
	},
}
const options: { key?: string } = {}
let host: TestHost
let browser: Browser
let models: ModelServer
let mcp: McpServer
let receiver: Receiver
let account: TestAccount
/** Of all tests: each begins at an address. */
let opened: Visit

beforeAll(async () => {
	models = await startModelServer(
		{
			m: { text: 'Hello.' },
			locked: { text: 'In again.' },
			searcher: {
				text: 'It opened in 1889.',
				searches: [{ query: 'tower opening', found: [{ url: 'https://a.example/', title: 'Tower' }] }],
				cites: [
					{ quote: 'opened', url: 'https://a.example/', title: 'Tower', cited_text: 'was opened in 1889' },
					{ quote: '1889', url: 'https://b.example/', title: hostile, cited_text: hostile },
					{ quote: 'It', url: 'javascript:alert(1)', title: 'Script', cited_text: 'none' },
				],
			},
			payer: [{ calls: [{ name: 'charge', input: { key: 'k1', note: hostile } }] }, { text: 'Paid.' }],
			booker: [{ calls: [{ name: 'book', input: {} }] }, { text: 'Booked.' }],
			slow: { text: 'One two three four five six seven eight nine ten. '.repeat(4), dripMs: 80, chunk: 4 },
			never: { text: 'Never.', delayMs: 120_000 },
		},
		options,
	)
	mcp = await startMcpServer({
		tools: [
			...standardTools,
			{
				name: 'book',
				description: 'Asks where',
				run: (_, { inputResponses }) =>
					inputResponses
						? { content: [{ type: 'text', text: JSON.stringify(inputResponses) }] }
						: inputRequired({ inputRequests: { where } }),
			},
		],
	})
	receiver = await startReceiver()
	;[host, browser] = await Promise.all([
		startHost({ egressAllow: ['127.0.0.1'], env: { HOST_LEASE_SECONDS: '3', WEBHOOK_RETRY_SECONDS: '600' } }),
		openChromium(),
	])
	account = await host.account({ password, plan: 'team' })
	opened = await visit(browser, host, { email: account.email, password })
})
afterAll(async () => {
	await browser?.close()
	await host?.close()
	await Promise.all([models?.close(), mcp?.close(), receiver?.close()])
})

const model = (name: string) => `{ provider: openai, name: ${name}, base_url: "${models.openaiUrl}" }`
const program = (code: string) =>
	bundleOf({
		model: model('m'),
		files: {
			'agent.ts': `import { agent } from 'berth'\nexport default agent(async (inputs: any, ctx) => {\n${code}\n})\n`,
		},
	})
const withTool = (name: string, tool: string, settings = '') =>
	bundleOf({
		model: model(name),
		yaml: `requires:\n  - { connector: "${mcp.url}", scopes: [], auth: none, kind: connector, tools: [${tool}] }\n${settings}`,
	})
const begin = async (agent: Running, inputs = {}) =>
	(await run(host, agent, inputs, { prefer: 'respond-async' })).body.id
const read = async (agent: Running, id: string) =>
	(await host.call<Run>(`${agent.url}/runs/${id}`, { token: account.token })).body
const ended = (agent: Running, id: string) =>
	until(async () => {
		const found = await read(agent, id)
		return found.completed_at !== null && found
	})
const shows = (page: Page, word: string) => page.locator('.page-head .state', { hasText: word }).waitFor()

// Proves: console.failure-repaired, console.failure-filters
test('a failure is found in the feed, its next step leads to the repair, and the next run succeeds', async () => {
	const agent = await deploy(host, account, await bundleOf({ model: model('locked') }), 'locked')
	options.key = 'sk-new'
	try {
		const id = await begin(agent, {})
		await ended(agent, id)
		await host.call(`${agent.url}/run`, { token: agent.run_key, json: { input: {} } })
		const { page, faults } = opened
		// A run that failed, and a call that was refused: each counts once, in its own column.
		await page.goto('/')
		const cells = page.getByRole('row').filter({ hasText: 'locked' }).getByRole('cell')
		await cells.first().waitFor()
		const heads = await page.getByRole('columnheader').allTextContents()
		for (const head of ['Failed', 'Refused calls'])
			await cells.nth(heads.indexOf(head)).getByText('1', { exact: true }).waitFor()
		await page.goto('/failures')
		const group = page.getByRole('article', { name: 'locked: provider_auth_failed' })
		await group.getByText('The provider refused the key').waitFor()
		expect(await group.getByRole('link', { name: 'Replace the key' }).getAttribute('href')).toBe(
			'/agents/locked/credentials',
		)
		await page.getByRole('article', { name: 'locked: invalid_request' }).getByText('refused call').waitFor()
		expect(await axeFindings(page)).toEqual([])
		await group.getByRole('link', { name: 'provider_auth_failed' }).click()
		await page.waitForURL('**/failures?code=provider_auth_failed')
		await page.getByRole('combobox', { name: 'Agent' }).selectOption('locked')
		await page.waitForURL('**/failures?code=provider_auth_failed&agent=locked')
		await page.reload()
		await group.getByRole('link', { name: 'Last run' }).click()
		await page.waitForURL(`**/runs/${id}`)
		await page.getByRole('alert').getByText('provider_auth_failed').waitFor()
		await page.getByRole('link', { name: 'Replace the key' }).click()
		await page.waitForURL('**/agents/locked/credentials')
		await page.getByLabel('API key of openai').fill('sk-new')
		await page.getByRole('button', { name: 'Encrypt and upload key' }).click()
		await page.getByRole('button', { name: 'Replace' }).waitFor()
		await page.goBack()
		await page.waitForURL(`**/runs/${id}`)
		await shows(page, 'failed')
		await page.getByRole('button', { name: 'Erase' }).press('r')
		expect(await page.getByRole('dialog').count()).toBe(0)
		await page.getByRole('button', { name: /model locked/ }).press('r')
		await page.getByRole('dialog').getByRole('button', { name: 'Run again' }).click()
		await page.waitForURL((url) => url.pathname.startsWith('/runs/run_') && !url.pathname.endsWith(id))
		await shows(page, 'succeeded')
		await page.getByText('In again.').first().waitFor()
		expect(faults).toEqual([])
	} finally {
		delete options.key
	}
})

// Proves: search.opt-in, search.citations
test('an agent that searches the web is named so, and a run shows what its answer rests on', async () => {
	const searcher = await bundleOf({
		model: `{ provider: anthropic, name: searcher, base_url: "${models.url}", web_search: { max_uses: 3, allowed_domains: [a.example] } }`,
	})
	const agent = await deploy(host, account, searcher, 'searcher')
	const id = await begin(agent)
	await ended(agent, id)
	const { page, faults } = opened
	await page.goto('/agents/searcher')
	await page.getByText('searcher at anthropic, 3 times in a model call; only a.example').first().waitFor()
	await page.goto(`/runs/${id}`)
	await shows(page, 'succeeded')
	const sources = page.locator('section', { has: page.getByRole('heading', { name: 'Sources' }) }).last()
	const link = sources.getByRole('link', { name: 'Tower', exact: true })
	expect(await link.getAttribute('href')).toBe('https://a.example/')
	expect(await link.getAttribute('rel')).toBe('noopener noreferrer')
	// A source whose address is none of the web is left out.
	expect(await sources.getByRole('link').count()).toBe(2)
	expect(await sources.textContent()).toContain('<img src=x')
	expect(await sources.textContent()).not.toContain('Script')
	await page.getByText('1 model, 0 tool, 1 web search').waitFor()
	expect(await axeFindings(page)).toEqual([])
	expect(faults).toEqual([])
})

// Proves: console.approvals
test('what waits is decided with its exact arguments: approved, denied, and a question answered', async () => {
	const yes = `tools: { "${mcp.url}/charge": { approval: required } }\n`
	const payer = await deploy(host, account, await withTool('payer', 'charge', yes), 'payer')
	const [first, second] = [await begin(payer), await begin(payer)]
	await until(async () => (await read(payer, first)).status === 'waiting')
	await until(async () => (await read(payer, second)).status === 'waiting')
	const { page, faults } = opened
	await page.goto('/approvals')
	const waiting = page.getByRole('article', { name: 'Call charge?' })
	const of = (id: string) => waiting.filter({ has: page.getByRole('link', { name: id }) })
	await of(first).getByText('onerror').first().waitFor()
	expect(await of(first).textContent()).toContain('<img src=x')
	expect(await of(first).textContent()).toContain('\\u202e')
	expect(await axeFindings(page)).toEqual([])
	await of(first).getByLabel('Note').fill('go on')
	await of(first).getByRole('button', { name: 'Approve' }).click()
	await of(first).getByText('Approved by you').waitFor()
	expect(await ended(payer, first)).toMatchObject({ status: 'succeeded', output: 'Paid.' })
	await of(second).getByRole('link', { name: second }).click()
	await page.getByRole('button', { name: 'Deny' }).click()
	await shows(page, 'failed')
	await page.getByRole('alert').getByText('approval_denied').waitFor()
	expect(mcp.calls.filter(({ tool }) => tool === 'charge')).toHaveLength(1)
	await page.goto('/approvals?status=all')
	await of(first).getByText('Approved by you').waitFor()
	await of(second).getByText('Denied by you').waitFor()

	const booker = await deploy(host, account, await withTool('booker', 'book'), 'booker')
	const asking = await begin(booker)
	await page.goto(`/runs/${asking}`)
	const question = page.getByRole('article', { name: 'Where shall the table be?' })
	await question.getByRole('textbox', { name: 'city' }).fill('B')
	await question.getByRole('button', { name: 'Answer' }).click()
	await question.getByRole('alert').waitFor()
	await question.getByRole('textbox', { name: 'city' }).fill('Bern')
	await question.getByRole('button', { name: 'Answer' }).click()
	await shows(page, 'succeeded')
	await page.getByRole('button', { name: /tool book/ }).click()
	await page.locator('.detail').getByText('Bern').first().waitFor()
	expect(faults).toEqual([])
})

// Proves: console.run-live
test('a live run goes on over a restart of its host, told once and without a reload', async () => {
	const agent = await deploy(host, account, await bundleOf({ model: model('slow') }), 'slow')
	const id = await begin(agent)
	const { page, faults } = opened
	await page.goto(`/runs/${id}`)
	await page.evaluate(() => Object.assign(window, { kept: true }))
	await page.getByRole('button', { name: /model slow/ }).click()
	await page.locator('.detail').getByText('One two').first().waitFor()
	await host.kill('SIGKILL')
	await page.getByText('The host cannot be reached').waitFor()
	expect(await page.getByText('cannot be reached').count()).toBe(1)
	host = await host.again()
	await page.getByText('The host cannot be reached').waitFor({ state: 'detached' })
	await shows(page, 'succeeded')
	await page.locator('.detail').getByText('its host went away').waitFor()
	expect(await page.evaluate(() => 'kept' in window)).toBe(true)
	expect(faults).toEqual([])
})

// Proves: console.run-replay, console.run-redeliver, console.texts-stay-text
test('a run shows what its model was sent, its stack, logs and deliveries, as text, and is replayed and redelivered', async () => {
	const failing = (asked: string) => `
	ctx.log('warn', ${JSON.stringify(hostile)})
	await ctx.model(${JSON.stringify(asked)})
	throw new Error(${JSON.stringify(hostile)})`
	const agent = await deploy(host, account, await program(failing(hostile)), 'hostile')
	await host.call(`/v1/deployments/${agent.id}/endpoints`, {
		token: account.token,
		json: { url: receiver.url },
	})
	receiver.answers.push(status(500, {}, hostile))
	const id = await begin(agent)
	await ended(agent, id)
	await until(async () => receiver.received.length === 1)
	const second = await program(failing('What now?'))
	await host.call(`/v1/deployments/${agent.id}/versions`, { token: account.token, body: upload(second) })

	const { page, faults } = opened
	await page.goto('/runs?status=failed&agent=hostile')
	await page.getByRole('link', { name: id }).click()
	await page.getByRole('alert').getByText('agent.ts:').first().waitFor()
	await page.getByText('warn', { exact: true }).waitFor()
	await page.getByRole('button', { name: /model m/ }).press('e')
	await page.getByRole('heading', { name: 'Sent' }).waitFor()
	await page.locator('.detail').getByText('user', { exact: false }).first().waitFor()
	expect(await axeFindings(page)).toEqual([])
	const delivery = page.getByRole('listitem', { name: /run\.failed to/ })
	await delivery.getByText('500').waitFor()
	await delivery.getByRole('button', { name: 'Redeliver' }).click()
	await delivery.getByText('delivered').waitFor()
	expect(receiver.received).toHaveLength(2)
	await page.getByRole('button', { name: 'Replay' }).click()
	const dialog = page.getByRole('dialog')
	await dialog.getByRole('button', { name: 'Replay' }).click()
	await dialog.getByText('v1 does the same').waitFor()
	await dialog.getByLabel('With version').selectOption('2')
	await dialog.getByRole('button', { name: 'Replay' }).click()
	await dialog.getByText('v2 parts from the run').waitFor()
	await dialog.getByText('/messages/0/content').waitFor()
	await dialog.getByText('What now?').waitFor()
	const body = (await page.locator('main').textContent()) ?? ''
	expect(body.split('<script>alert(1)</script>').length).toBeGreaterThan(3)
	expect(await page.locator('main img, main script').count()).toBe(0)
	expect(body).not.toContain('\u202e')
	expect(body).toContain('\\u202e')
	expect(faults).toEqual([])
})

// Proves: console.run-cancel
test('a run is found among the live ones and cancelled', async () => {
	const agent = await deploy(host, account, await bundleOf({ model: model('never') }), 'never')
	const id = await begin(agent)
	const { page, faults } = opened
	await page.goto('/runs?status=live&agent=never')
	await page.getByRole('row').filter({ hasText: id }).getByText('running').click()
	await page.waitForURL(`**/runs/${id}`)
	await page.getByRole('button', { name: 'Cancel run' }).click()
	await page.getByRole('dialog').getByRole('button', { name: 'Cancel run' }).click()
	await shows(page, 'cancelled')
	await page.getByRole('button', { name: /model never, stopped|model never/ }).waitFor()
	expect((await read(agent, id)).status).toBe('cancelled')
	expect(faults).toEqual([])
})

test('a run that was erased is gone, from the page that Back shows as well', async () => {
	const agent = await deploy(host, account, await bundleOf({ model: model('m') }), 'forgetful')
	const id = await begin(agent)
	await ended(agent, id)
	const { page, faults } = opened
	await page.goto('/runs?agent=forgetful')
	await page.getByRole('link', { name: id }).click()
	await shows(page, 'succeeded')
	await page.getByRole('button', { name: 'Erase' }).click()
	await page.getByRole('dialog').getByRole('button', { name: 'Erase run' }).click()
	await page.waitForURL('**/runs')
	await page.goBack()
	await page.getByRole('heading', { name: 'There is no such run' }).waitFor()
	expect(await page.getByText('Hello.').count()).toBe(0)
	expect(faults).toEqual([])
})

test('a list of runs stays as long as it was, and where it was, when Back leads to it, and runs in it go on', async () => {
	const agent = await deploy(host, account, await bundleOf({ model: model('m') }), 'lister')
	const id = await begin(agent)
	await ended(agent, id)
	const { page, faults } = opened
	let status = 'running'
	// A run as often as a list of three pages needs it.
	await page.route(/\/v1\/runs\?.*limit=50/, async (route) => {
		const from = Number(new URL(route.request().url()).searchParams.get('cursor') ?? '0')
		const one = (await read(agent, id)) as Run
		const { version, created_at, started_at, completed_at, error } = one
		const data = Array.from({ length: 50 }, (_, n) => ({
			...{
				deployment: agent.id,
				deployment_name: 'lister',
				version,
				key: null,
				error,
				created_at,
				started_at,
			},
			id: from + n === 80 ? id : `run_${String(from + n).padStart(26, '0')}`,
			status: from + n === 80 ? status : 'succeeded',
			completed_at: from + n === 80 && status === 'running' ? null : completed_at,
		}))
		await route.fulfill({ json: { data, next_cursor: from < 100 ? String(from + 50) : null } })
	})
	await page.goto('/runs')
	await page.getByRole('button', { name: 'Show more' }).click()
	const row = page.getByRole('row').filter({ hasText: id })
	await row.getByText('running').waitFor()
	status = 'succeeded'
	await row.getByText('succeeded').waitFor()
	const at = await row.evaluate((element) => {
		element.scrollIntoView({ block: 'center' })
		return scrollY
	})
	expect(at).toBeGreaterThan(500)
	await row.getByRole('link').click()
	await shows(page, 'succeeded')
	expect(await page.evaluate(() => scrollY)).toBe(0)
	await page.goBack()
	await row.waitFor()
	expect(await page.getByRole('row').count()).toBe(101)
	expect(await page.evaluate(() => scrollY)).toBe(at)
	// One of them may still be read for.
	await page.unrouteAll({ behavior: 'wait' })
	expect(faults).toEqual([])
})
