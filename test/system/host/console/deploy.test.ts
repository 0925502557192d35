// The deploy wizard in a real browser: from a dropped file to an answer, and every way to leave it.
import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { strFromU8, strToU8, unzipSync, zipSync } from 'fflate'
import type { Browser, Page, Request } from 'playwright-core'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { freePort } from '../../../../host/lib/free-port.ts'
import { bundleOf, deploy, run, withSql } from '../../../kit/agent.ts'
import { axeFindings } from '../../../kit/axe.ts'
import { openChromium, type Visit, visit } from '../../../kit/chromium.ts'
import { startHost, type TestAccount, type TestHost, withHost } from '../../../kit/host.ts'
import { type ModelServer, startModelServer } from '../../../kit/model-server.ts'
import { sharedHost } from '../../../kit/shared-host.ts'
import { forms } from '../../../security/memory-scan.ts'
import { startProtected } from '../connect/authorization.ts'

let host: TestHost
let browser: Browser
let models: ModelServer
const password = 'correct horse battery'
/** `+` and `/`: its URL-encoded form differs from the raw one. */
const key = `sk-mark+/${randomBytes(18).toString('hex')}`
const claim = { claims: ['The bridge was opened in 1998.'], evidence: 'The bridge was opened in 1998.' }

beforeAll(async () => {
	models = await startModelServer(
		{
			m: { text: 'Hello from the model' },
			c: [{ calls: [{ name: 'charge', input: { key: 'a' } }] }, { text: 'charged' }],
			g: [{ calls: [{ name: 'guard_verify', input: claim }] }, { text: 'verified' }],
		},
		{ key },
	)
	;[host, browser] = await Promise.all([sharedHost(), openChromium()])
})
afterAll(async () => {
	await browser?.close()
	await host?.close()
	await models?.close()
})

const inputs = `
inputs:
  type: object
  required: [question]
  properties:
    question: { type: string, minLength: 3 }
    times: { type: integer, default: 2, maximum: 9 }
    tags: { type: array, items: { type: string } }
`
const good = (model = 'm', yaml = inputs) =>
	bundleOf({ model: `{ provider: openai, name: ${model}, base_url: "${models.openaiUrl}" }`, yaml })

const drop = (page: Page, bytes: Uint8Array, name = 'greeter.agent') =>
	page
		.getByLabel('Choose a bundle file')
		.setInputFiles({ name, mimeType: 'application/zip', buffer: Buffer.from(bytes) })

/** By mouse, as from a folder of files. */
async function dragHere(page: Page, bytes: Uint8Array): Promise<void> {
	const dataTransfer = await page.evaluateHandle((letters) => {
		const transfer = new DataTransfer()
		const content = Uint8Array.from(atob(letters), (letter) => letter.charCodeAt(0))
		transfer.items.add(new File([content], 'dragged.agent'))
		return transfer
	}, Buffer.from(bytes).toString('base64'))
	const zone = page.getByRole('group', { name: 'Bundle file' })
	await zone.dispatchEvent('dragover', { dataTransfer })
	await zone.dispatchEvent('drop', { dataTransfer })
}

async function owner(
	{ plan = 'pro', tester = false }: { plan?: string; tester?: boolean } = {},
	elsewhere: string[] = [],
): Promise<TestAccount & Visit> {
	const account = await host.account({ password, plan, tester })
	return { ...account, ...(await visit(browser, host, { email: account.email, password }, { elsewhere })) }
}

const deployments = async ({ token }: TestAccount) =>
	(await host.call<{ data: { id: string; name: string; state: string }[] }>('/v1/deployments', { token }))
		.body.data

/** As far as the credentials. */
async function created(page: Page, bundle: Uint8Array): Promise<void> {
	await page.goto('/deploy')
	await drop(page, bundle)
	await page.getByRole('button', { name: 'Continue' }).click()
	await page.getByRole('button', { name: 'Create deployment' }).click()
	await page.getByRole('heading', { name: 'Credentials' }).waitFor()
}

async function putKey(page: Page, value = key): Promise<void> {
	await page.getByLabel('API key of openai').fill(value)
	await page.getByRole('button', { name: 'Encrypt and upload key' }).click()
	await page.getByRole('button', { name: 'Replace' }).waitFor()
}

/** With cookies, as long as the page is there. */
const headersOf = (request: Request) => request.allHeaders().catch(() => request.headers())

/** In every form that a secret could travel in: in what was sent, in what is stored, and in what is shown. */
async function leaks({ requests, context }: Visit, secrets: string[]): Promise<string[]> {
	const places: [string, Buffer][] = []
	const add = (place: string, said: string) => places.push([place, Buffer.from(said)])
	for (const request of requests) {
		const at = `${request.method()} ${new URL(request.url()).pathname}`
		add(`${at}: address`, request.url())
		add(`${at}: headers`, JSON.stringify(await headersOf(request)))
		const body = request.postDataBuffer()
		if (body) places.push([`${at}: body`, body])
	}
	for (const page of context.pages()) {
		add('storage', await page.evaluate(() => JSON.stringify([{ ...localStorage }, { ...sessionStorage }])))
		add('address', page.url())
		add('page', await page.content())
		const inputs = page.locator('input, textarea')
		add(
			'inputs',
			(await inputs.evaluateAll((all) => all.map((one) => (one as HTMLInputElement).value))).join('\n'),
		)
	}
	return secrets.flatMap((secret) =>
		[...forms(secret)].flatMap(([form, needle]) =>
			places.filter(([, bytes]) => bytes.includes(needle)).map(([place]) => `${place}: ${form}`),
		),
	)
}

// Proves: console.wizard, console.wizard-faults, console.wizard-platform, console.wizard-key, console.sealed, search.opt-in
test('from a dropped file to an answered run: faults first, a refused key on the way, nothing in clear', async () => {
	const me = await owner()
	const { page, faults } = me
	await page.goto('/deploy')
	await drop(page, Buffer.from('no zip'), 'notes.txt')
	await page.getByText('notes.txt is no bundle').waitFor()
	await drop(page, await faulty())
	await page.getByText('agent.yaml:4 /inputs/type').first().waitFor()
	await drop(page, await bundleOf({ model: '{ provider: platform, name: m }' }))
	await page.getByText('runs on your own provider key').waitFor()
	expect(await page.getByRole('button', { name: 'Continue' }).count()).toBe(0)
	await drop(page, await bundleOf({ model: '{ provider: openai, name: searcher, web_search: true }' }))
	await page.getByText('searcher at openai, 5 times in a model call').waitFor()
	await dragHere(page, await good())
	await page.getByText('m at openai').waitFor()
	expect(await axeFindings(page)).toEqual([])
	await page.getByRole('button', { name: 'Continue' }).click()
	expect(await page.getByRole('textbox', { name: 'Name' }).inputValue()).toBe('greeter')
	await page.getByText('0 of 5 slots used').waitFor()
	expect(await deployments(me)).toEqual([])
	await page.getByRole('textbox', { name: 'Name' }).fill('greeter <b>one<br>')
	await page.getByRole('button', { name: 'Create deployment' }).click()
	await page.getByRole('heading', { name: 'Credentials' }).waitFor()
	const [deployment] = await deployments(me)
	expect(new URL(page.url()).searchParams.get('deployment')).toBe(deployment?.id)

	const wrong = `sk-wrong+/${randomBytes(18).toString('hex')}`
	await putKey(page, wrong)
	await page.getByRole('button', { name: 'Start agent' }).click()
	const card = page.getByRole('listitem', { name: 'Key for openai' })
	await card.getByText('rejected').waitFor()
	await card
		.getByText(/refused|401|invalid key/i)
		.first()
		.waitFor()
	expect((await deployments(me))[0]?.state).toBe('creating')
	expect(await axeFindings(page)).toEqual([])
	await putKey(page)
	await page.getByRole('button', { name: 'Start agent' }).click()

	await page.getByRole('heading', { name: 'greeter <b>one<br> is running' }).waitFor()
	expect(await page.content()).not.toMatch(/bk_[a-z0-9]{20}/i)
	await page.getByRole('button', { name: 'Copy', exact: true }).click()
	const runKey = await page.evaluate(() => navigator.clipboard.readText())
	await page.getByRole('region', { name: 'request as curl' }).getByText('question').waitFor()
	await page.getByRole('button', { name: 'Python' }).click()
	await page.getByRole('region', { name: 'request as Python' }).waitFor()
	expect(await axeFindings(page)).toEqual([])

	await page.getByLabel('question').fill('no')
	await page.getByRole('button', { name: 'Run now' }).click()
	await page.locator('.faulty').getByText('characters').first().waitFor()
	await page.getByLabel('question').fill('What now?')
	await page.getByRole('button', { name: 'Add item' }).click()
	await page.getByLabel('1', { exact: true }).fill('a tag')
	await page.getByRole('button', { name: 'Edit as JSON' }).click()
	const json = page.getByLabel('Inputs as JSON')
	const whole = JSON.parse(await json.inputValue())
	expect(whole).toEqual({ question: 'What now?', times: 2, tags: ['a tag'] })
	await json.fill('{"question": ')
	await page.getByRole('button', { name: 'Run now' }).click()
	await page.locator('.faulty').getByText('is not JSON').waitFor()
	await json.fill(JSON.stringify({ ...whole, times: 3 }))
	await page.getByRole('button', { name: 'Edit as a form' }).click()
	expect(await page.getByLabel('times (optional)').inputValue()).toBe('3')
	await page.getByRole('button', { name: 'Run now' }).click()
	await page.getByRole('region', { name: 'Output' }).getByText('Hello from the model').waitFor()
	expect(await page.getByRole('link', { name: 'Open run' }).getAttribute('href')).toMatch(/^\/runs\/run_/)
	const runs = await host.call<{ data: { id: string }[] }>('/v1/runs?status=succeeded', { token: me.token })
	const made = await host.call(`/v1/runs/${runs.body.data[0]?.id}`, { token: me.token })
	expect(made.body).toMatchObject({ inputs: { question: 'What now?', times: 3, tags: ['a tag'] } })

	page.once('dialog', (dialog) => dialog.dismiss())
	await page.getByRole('link', { name: 'Open run' }).click()
	await page.getByRole('button', { name: 'I have stored it' }).click()
	await page.getByRole('link', { name: 'Open agent' }).waitFor()
	expect(await leaks(me, [key, wrong, runKey])).toEqual([])
	// The search sees: what was typed elsewhere lies in a body and in an input.
	const seen = await leaks(me, ['What now?'])
	expect(seen.some((place) => /\/run: body: raw/.test(place)) && seen.includes('inputs: raw')).toBe(true)
	expect(faults).toEqual([])
	await me.context.close()
})

/** A bundle whose agent.yaml was changed after it was built. */
async function faulty(): Promise<Uint8Array> {
	const files = unzipSync(await good())
	const yaml = strFromU8(files['agent.yaml'] ?? new Uint8Array())
	return zipSync({
		...files,
		'agent.yaml': strToU8(yaml.replace('\n\ninputs', '\ninputs').replace('type: object', 'type: objekt')),
	})
}

// Proves: console.wizard-example
test('who has no bundle takes an example of the host, for a key of either provider', async () => {
	const { page, faults } = await owner()
	await page.goto('/')
	await page.getByRole('link', { name: 'Open the wizard' }).last().click()
	await page.getByRole('button', { name: 'Example on OpenAI' }).click()
	await page.getByText('gpt-5-mini').first().waitFor()
	await page.goto('/deploy')
	await page.getByRole('button', { name: 'Example on Anthropic' }).click()
	await page.getByRole('button', { name: 'Continue' }).click()
	await page.getByRole('button', { name: 'Create deployment' }).click()
	await page.getByLabel('API key of anthropic').waitFor()
	expect(faults).toEqual([])
})

// Proves: console.wizard-continued, console.wizard-cancelled, console.sealing-fallback
test('left halfway, it is continued from the list, in a browser without X25519, or cancelled', async () => {
	const me = await owner()
	const { page, context, faults } = me
	await context.addInitScript(() => {
		const { generateKey, importKey } = SubtleCrypto.prototype
		const knows = (asked: unknown) => !JSON.stringify(asked).includes('X25519')
		const refuse = () => Promise.reject(new DOMException('Unrecognized name', 'NotSupportedError'))
		SubtleCrypto.prototype.generateKey = function (this: SubtleCrypto, ...asked: never[]) {
			return (knows(asked) ? generateKey.apply(this, asked as never) : refuse()) as never
		} as never
		SubtleCrypto.prototype.importKey = function (this: SubtleCrypto, ...asked: never[]) {
			return (knows(asked[2]) ? importKey.apply(this, asked as never) : refuse()) as never
		} as never
	})
	await created(page, await good())
	await putKey(page)
	await page.reload()
	await page.getByRole('button', { name: 'Replace' }).waitFor()
	await page.getByRole('link', { name: 'Go on later' }).click()
	const row = page.getByRole('row', { name: 'greeter' })
	await row.getByText('creating').waitFor()
	await row.getByRole('link', { name: 'Continue' }).click()
	await page.getByRole('button', { name: 'Start agent' }).click()
	await page.getByRole('heading', { name: 'greeter is running' }).waitFor()
	await page.getByRole('button', { name: 'I have stored it' }).click()

	await created(page, await good())
	await page.goto('/')
	const second = page.getByRole('row', { name: 'greeter-2' })
	await second.getByRole('button', { name: 'Cancel deployment' }).click()
	await page.getByRole('dialog').getByRole('button', { name: 'Cancel deployment' }).click()
	await second.waitFor({ state: 'detached' })
	expect((await deployments(me)).map(({ name, state }) => [name, state])).toEqual([['greeter', 'running']])
	expect(await leaks(me, [key])).toEqual([])
	expect(faults).toEqual([])
	await context.close()
})

// Proves: console.wizard-limit
test('at the limit, what holds the slots is shown, one is stopped, and the wizard goes on where it was', async () => {
	const me = await owner({ plan: 'free' })
	const { page, context, faults } = me
	const { body } = await host.call<{ slots: { limit: number } }>('/v1/account', { token: me.token })
	expect(body.slots.limit).toBe(1)
	await page.goto('/deploy')
	await drop(page, await good())
	await page.getByRole('button', { name: 'Continue' }).click()
	await page.getByRole('textbox', { name: 'Name' }).fill('mine')
	// Another takes the slot meanwhile.
	await host.call('/v1/deployments', {
		token: me.token,
		body: uploadOf(await good(), 'holder'),
	})
	await page.getByRole('button', { name: 'Create deployment' }).click()
	const holder = page.getByRole('listitem', { name: 'holder' })
	await holder.getByText('creating').waitFor()
	await holder.getByRole('button', { name: 'Cancel deployment' }).click()
	await page.getByRole('dialog').getByRole('button', { name: 'Cancel deployment' }).click()
	await page.getByRole('button', { name: 'Create deployment' }).click()
	await page.getByRole('heading', { name: 'Credentials' }).waitFor()
	expect((await deployments(me)).map(({ name }) => name)).toEqual(['mine'])
	await putKey(page)
	await page.getByRole('button', { name: 'Start agent' }).click()
	await page.getByRole('button', { name: 'I have stored it' }).click()

	await page.goto('/deploy')
	await drop(page, await good())
	await page.getByRole('button', { name: 'Continue' }).click()
	await page.getByRole('listitem', { name: 'mine' }).getByRole('button', { name: 'Stop agent' }).click()
	await page.getByRole('dialog').getByRole('button', { name: 'Stop agent' }).click()
	expect(await page.getByRole('textbox', { name: 'Name' }).inputValue()).toBe('greeter')
	await page.getByRole('button', { name: 'Create deployment' }).click()
	await page.getByRole('heading', { name: 'Credentials' }).waitFor()
	expect(faults).toEqual([])
	await context.close()
})

function uploadOf(bundle: Uint8Array, name: string): FormData {
	const form = new FormData()
	form.set('name', name)
	form.set('bundle', new Blob([bundle.slice()]), 'a.agent')
	return form
}

// Proves: console.connect, console.sealed
test('a connector is signed in to in a window of its own, whose tokens leave it sealed only', async () => {
	const me = await owner({ tester: true })
	const { page, context, requests, faults } = me
	const tools = '[guard_verify]'
	const yaml = `requires: [{ connector: "${host.url}/mcp", scopes: [], auth: oauth, kind: connector, tools: ${tools} }]\n`
	const tokens: string[] = []
	// The window closes as soon as it has its tokens, so its own script tells them before it goes on.
	await context.exposeFunction('tellTokens', (...told: string[]) => tokens.push(...told))
	await context.addInitScript(() => {
		const page = window as typeof window & { tellTokens(...tokens: string[]): Promise<void> }
		const real = page.fetch.bind(page)
		page.fetch = async (...asked) => {
			const response = await real(...asked)
			if (new URL(response.url).pathname !== '/token') return response
			const { access_token, refresh_token } = await response.clone().json()
			await page.tellTokens(access_token, refresh_token)
			return response
		}
	})
	await created(page, await good('g', yaml))
	await putKey(page)
	const row = page.getByRole('listitem', { name: /^Sign-in to/ })
	await row.getByText('guard_verify').waitFor()
	const opened = context.waitForEvent('page')
	await row.getByRole('button', { name: 'Sign in' }).click()
	const popup = await opened
	await popup.getByRole('heading', { name: /^Sign in to/ }).waitFor()
	expect(await axeFindings(popup)).toEqual([])
	await popup.getByRole('button', { name: 'Continue to sign in' }).click()
	await popup.getByRole('button', { name: 'Cancel' }).click()
	await popup.getByRole('heading', { name: 'Not signed in' }).waitFor()
	expect(popup.url()).toBe(`${host.url}/connect/callback`)
	await popup.getByRole('link', { name: 'Begin again' }).click()
	await popup.getByRole('button', { name: 'Continue to sign in' }).click()
	await popup.getByRole('button', { name: 'Allow' }).click()
	await row.getByText('ready').waitFor()
	if (!popup.isClosed()) await popup.waitForEvent('close')
	await page.getByRole('button', { name: 'Start agent' }).click()
	await page.getByRole('button', { name: 'Run now' }).click()
	await page.getByRole('region', { name: 'Output' }).getByText('verified').waitFor()

	expect(tokens.filter(Boolean)).toHaveLength(2)
	const at = (path: string) => requests.filter((one) => new URL(one.url()).pathname === path)
	const [asked] = at('/token')
	const code = new URL(at('/connect/callback')[1]?.url() ?? '').searchParams.get('code') ?? ''
	const verifier = new URLSearchParams(asked?.postData() ?? '').get('code_verifier') ?? ''
	expect(verifier).toMatch(/^[\w-]{43}$/)
	// The code is in the address that it came by, and both are what the tokens are asked for with.
	const others = requests.filter((one) => one !== asked && one !== at('/connect/callback')[1])
	expect(code).toMatch(/.{20}/)
	expect(await leaks({ ...me, requests: others }, [key, code, verifier, ...tokens])).toEqual([])
	expect(faults).toEqual([])
	await context.close()
})

// Proves: console.connect
test('a server that pages may not read is left to the command line; a wider scope is asked for the next time', async () => {
	const connector = await startProtected()
	onTestFinished(connector.close)
	const { mcp, server } = connector
	mcp.options.needs = { charge: 'pay:write' }
	const me = await owner({}, [mcp.url, server.issuer])
	const { page, context, faults } = me
	const yaml = `requires: [{ connector: "${mcp.url}", scopes: [], auth: oauth, kind: connector, tools: [charge] }]\n`
	const running = await deploy(host, me, await good('c', yaml), 'payer', key)
	await page.goto('/agents/payer/credentials')
	const row = page.getByRole('listitem', { name: /^Sign-in to/ })
	const begin = async (): Promise<Page> => {
		const opened = context.waitForEvent('page')
		await row.getByRole('button', { name: /^Sign in/ }).click()
		const popup = await opened
		await popup.getByRole('button', { name: 'Continue to sign in' }).click()
		return popup
	}
	const signIn = async () => {
		const popup = await begin()
		if (!popup.isClosed()) await popup.waitForEvent('close')
		await row.getByText('ready').waitFor()
	}
	const shut = await begin()
	await shut.getByText('does not let pages in a browser read its answers (CORS)').waitFor()
	await shut.getByText(/npm run berth -- connect payer --connector connector:/).waitFor()
	await shut.close()
	// What Chromium writes of it.
	expect(faults.splice(0).every((fault) => fault.includes('blocked by CORS policy'))).toBe(true)

	mcp.options.cors = true
	server.cors = true
	await signIn()
	const first = await run(host, running, { question: 'pay' })
	expect(first.body).toMatchObject({ status: 'succeeded', usage: { failed_tool_calls: 1 } })
	await expect
		.poll(async () => {
			await page.reload()
			return row.getByText('pay:write').first().isVisible()
		})
		.toBe(true)
	await signIn()
	const asked = server.asked.filter(({ path }) => path === '/authorize').map(({ form }) => form.scope)
	expect(asked).toEqual(['read', 'read pay:write'])
	const again = await run(host, running, { question: 'pay' })
	expect(again.body).toMatchObject({ output: 'charged', usage: { failed_tool_calls: 0 } })
	expect(faults).toEqual([])
	await context.close()
})

// Proves: console.wizard, console.sealed
test('deployments that have addresses of their own get their credentials there, and answer the page from there', async () => {
	const port = await freePort()
	const own = `http://[a-z0-9-]+\\.localhost:${port}`
	const env = { DEPLOYMENT_DOMAIN: `localhost:${port}` }
	await withHost({ port, egressAllow: ['127.0.0.1'], env }, async (other) => {
		const { email } = await other.account({ password, plan: 'pro' })
		const at = await visit(browser, other, { email, password })
		const { page, context, requests, faults } = at
		await created(page, await good())
		await putKey(page)
		await page.getByRole('button', { name: 'Start agent' }).click()
		await page.getByLabel('question').fill('What now?')
		await page.getByRole('button', { name: 'Run now' }).click()
		await page.getByRole('region', { name: 'Output' }).getByText('Hello from the model').waitFor()
		const there = requests.filter((one) => new RegExp(`^${own}/`).test(one.url()))
		const sent = there.map((one) => `${one.method()} ${new URL(one.url()).pathname}`)
		expect(sent).toEqual(expect.arrayContaining(['PUT /credentials/provider', 'POST /run']))
		expect(await leaks(at, [key])).toEqual([])
		expect(faults.filter((fault) => !new RegExp(`^request to ${own}$`).test(fault))).toEqual([])
		await context.close()
	})
})

// Proves: console.other-place, console.sealed
test('an agent is deployed to another place from this one’s page: its key, its start, its run and its stop go there', async () => {
	const port = await freePort()
	const place = `http://127.0.0.1:${port}`
	const eu = await startHost({
		database: host.databaseUrl ?? '',
		egressAllow: ['127.0.0.1'],
		port,
		env: {
			...{ PLACE: 'eu', PLACE_URL: place, BASE_URL: host.url },
			MASTER_KEY_FILE: join(host.dataDir, 'master.key'),
		},
	})
	onTestFinished(async () => {
		await eu.close()
		// Other files that use the host know one place.
		await withSql(host, (sql) => sql`delete from places where id = 'eu'`)
	})
	const me = await owner({}, [place])
	const { page, context, requests, faults } = me
	await page.goto('/deploy')
	await drop(page, await good())
	await page.getByRole('button', { name: 'Continue' }).click()
	await page.getByRole('radio', { name: `eu ${place}` }).check()
	await page.getByRole('button', { name: 'Create deployment' }).click()
	await putKey(page)
	await page.getByRole('button', { name: 'Start agent' }).click()
	await page.getByLabel('question').fill('What now?')
	await page.getByRole('button', { name: 'Run now' }).click()
	await page.getByRole('region', { name: 'Output' }).getByText('Hello from the model').waitFor()
	await page.goto('/agents/greeter')
	await page.getByRole('button', { name: 'Stop agent' }).click()
	await page.getByRole('dialog').getByRole('button', { name: 'Stop agent' }).click()
	await expect.poll(async () => (await deployments(me))[0]).toMatchObject({ state: 'stopped', place: 'eu' })
	const [{ id } = { id: '' }] = await deployments(me)
	const there = requests.filter((one) => one.url().startsWith(place))
	const sent = there.map((one) => `${one.method()} ${new URL(one.url()).pathname.replace(/\/d\/[^/]*/, '')}`)
	expect(sent).toEqual(
		expect.arrayContaining([
			'PUT /credentials/provider',
			`POST /v1/deployments/${id}/start`,
			'POST /run',
			`POST /v1/deployments/${id}/stop`,
		]),
	)
	expect(await leaks(me, [key])).toEqual([])
	expect(faults).toEqual([])
	await context.close()
})

// Proves: console.credentials, http.secret-sealed
test('credentials of an agent are replaced from its page, and secrets of its origins are given there', async () => {
	const me = await owner()
	const { page, context, faults } = me
	const origin = 'https://crm.example.com'
	const http = `http: { ${origin}: { methods: [GET, POST], headers: { X-Key: '{{secret.crm}}' } } }\n`
	const running = await deploy(host, me, await good('h', http), 'replaced', key)
	await page.goto(`/agents/${running.name}/credentials`)
	await page.getByRole('button', { name: 'Replace' }).click()
	await putKey(page)
	const row = page.getByRole('listitem', { name: 'Secret crm for crm.example.com' })
	await row.getByText('GET, POST, in the header X-Key.').waitFor()
	const secret = 'crm-secret-0123456789'
	await row.getByLabel('Secret').fill(secret)
	await row.getByRole('button', { name: 'Encrypt and upload secret' }).click()
	await row.getByText('ready').waitFor()
	const { body } = await host.call<{ credentials: object[] }>(`/v1/deployments/${running.id}`, {
		token: me.token,
	})
	expect(body.credentials).toMatchObject([
		{ version: 2 },
		{ name: 'http:crm', kind: 'secret', aud: origin, version: 1 },
	])
	expect(await leaks(me, [key, secret])).toEqual([])
	expect(faults).toEqual([])
	await context.close()
})
