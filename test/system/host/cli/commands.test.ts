import { execFileSync, spawnSync } from 'node:child_process'
import { readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest'
import { counted } from '../../../../host/owner/cli/counted.ts'
import { bundleOf, create, deploy, type Running, run } from '../../../kit/agent.ts'
import { berth, launcher, temporary } from '../../../kit/berth.ts'
import type { TestAccount, TestHost } from '../../../kit/host.ts'
import { startMcpServer } from '../../../kit/mcp-server.ts'
import { type ModelServer, startModelServer } from '../../../kit/model-server.ts'
import { sharedHost } from '../../../kit/shared-host.ts'

// Lists, keys, tokens and what a shell needs of the command line.

let host: TestHost
let model: ModelServer
let account: TestAccount
let agent: Running

beforeAll(async () => {
	model = await startModelServer({ poet: { text: 'a poem' } })
	host = await sharedHost()
	account = await host.account({ plan: 'pro' })
	const bundle = await bundleOf({ model: `{ provider: openai, name: poet, base_url: "${model.openaiUrl}" }` })
	agent = await deploy(host, account, bundle, 'poet')
})
afterAll(async () => {
	await host?.close()
	await model?.close()
})

interface List {
	data: { id: string; [key: string]: unknown }[]
	next_cursor: string | null
}

const call = (...args: string[]) => berth(args, { env: { BERTH_URL: host.url, BERTH_TOKEN: account.token } })
async function json<T = List>(...args: string[]): Promise<T> {
	const result = await call(...args, '--json')
	if (result.code !== 0) throw new Error(`berth ${args.join(' ')}: ${result.stderr}`)
	return JSON.parse(result.stdout) as T
}

// Proves: account.pages, cli.json-lists
it('every list is one page with data and next_cursor, and --cursor goes on after it', async () => {
	for (let n = 0; n < 3; n++) await run(host, agent, {})
	const first = await json('runs', 'poet', '--limit', '2')
	const rest = await json('runs', 'poet', '--cursor', String(first.next_cursor))
	expect([first.data.length, rest.data.length, rest.next_cursor]).toEqual([2, 1, null])
	expect(first.data.map(({ id }) => id)).not.toContain(rest.data[0]?.id)
	expect((await call('runs', 'poet', '--limit', '2')).stderr).toContain(`--cursor ${first.next_cursor}`)
	const lists = [
		'list',
		'credentials poet',
		'tools poet',
		'versions poet',
		'memory poet',
		'schedules poet list',
	]
	const more = ['webhooks poet list', 'webhooks poet deliveries', 'keys poet', 'tokens', 'ledger', 'settings']
	const runs = [`events ${rest.data[0]?.id}`, `approvals ${rest.data[0]?.id}`]
	for (const list of [...lists, ...more, ...runs]) {
		const { data, next_cursor } = await json(...list.split(' '))
		expect([list, Array.isArray(data), next_cursor]).toEqual([list, true, null])
	}
})

it('berth keys makes a run key that works, lists it without its value, and revokes it', async () => {
	const made = await json<{ id: string; run_key: string }>('keys', 'poet', 'create', '--scopes', 'run')
	const asked = { token: made.run_key, json: { inputs: {} } }
	expect((await host.call(`${agent.url}/run`, asked)).status).toBe(200)
	// As the list shows them, and with the end as so long from now.
	const short = ['--scopes', 'run,read', '--expires', '2m']
	const both = await json<{ id: string; scopes: string[]; expires_at: string }>(
		'keys',
		'poet',
		'create',
		...short,
	)
	expect(both).toMatchObject({ scopes: ['run', 'read'] })
	expect(Date.parse(both.expires_at) - Date.now()).toBeLessThanOrEqual(120_000)
	const over = await call('keys', 'poet', 'create', '--expires', '2020-01-01')
	expect([over.code, over.stderr]).toEqual([1, 'berth: --expires: This time is over. (invalid_request)\n'])
	const listed = await json('keys', 'poet')
	expect(listed.data.find(({ id }) => id === made.id)).toMatchObject({ scopes: ['run'], revoked_at: null })
	expect(JSON.stringify(listed)).not.toContain(made.run_key)
	expect((await call('keys', 'poet', 'revoke')).code).toBe(2)
	expect((await call('keys', 'poet', 'revoke', made.id)).stdout).toBe(`${made.id} is revoked\n`)
	await expect.poll(async () => (await host.call(`${agent.url}/run`, asked)).status).toBe(401)
})

// Proves: account.token-life
it('berth tokens makes, lists and revokes; berth logout forgets what login stored', async () => {
	const made = await json<{ id: string; token: string }>('tokens', 'create', 'laptop')
	expect((await json('tokens')).data.map(({ name }) => name)).toContain('laptop')
	const env = { XDG_CONFIG_HOME: temporary() }
	await berth(['login', '--url', host.url, '--token', made.token], { env })
	expect((await berth(['whoami'], { env })).code).toBe(0)
	const out = await berth(['logout'], { env })
	expect(out).toMatchObject({ code: 0, stdout: `Signed out of ${host.url}\n` })
	expect(out.stderr).toContain('berth tokens revoke')
	expect((await berth(['whoami'], { env: { ...env, BERTH_URL: host.url } })).stderr).toContain(
		'not signed in',
	)
	expect((await berth(['logout'], { env })).stdout).toBe('You were not signed in.\n')
	expect((await call('tokens', 'revoke', made.id)).code).toBe(0)
})

// Proves: cli.delete-asks
it('berth delete asks for --yes where nobody can be asked, and deletes nothing', async () => {
	const refused = await call('delete', 'poet')
	expect([refused.code, refused.stderr]).toEqual([2, expect.stringContaining('berth delete poet --yes')])
	expect((await json('list')).data.map(({ name }) => name)).toEqual(['poet'])
})

it('--bearer-env and --connector take a connector by its address and by its name', async () => {
	const mcp = await startMcpServer({ token: 'right' })
	onTestFinished(() => mcp.close())
	const tool = mcp.options.tools[0]?.name
	const bundle = await bundleOf({
		model: `{ provider: openai, name: poet, base_url: "${model.openaiUrl}" }`,
		yaml: `requires:\n  - { connector: "${mcp.url}", scopes: [], auth: bearer, kind: connector, tools: [${tool}] }\n`,
	})
	const { credentials } = await deploy(host, account, bundle, 'caller')
	const name = credentials.find(({ kind }) => kind === 'bearer')?.name ?? ''
	const env = { BERTH_URL: host.url, BERTH_TOKEN: account.token, TOKEN: 'right' }
	const set = (command: string, ...args: string[]) => berth([command, 'caller', ...args], { env })
	for (const given of [mcp.url, `${mcp.url}/`, name, name.replace('connector:', '')]) {
		// With `--set` a script is asked for nothing that it does not name.
		const { code, stdout } = await set('credentials', '--set', '--bearer-env', `${given}=TOKEN`)
		expect([code, stdout]).toEqual([0, expect.stringMatching(`${name} +bearer +ready`)])
		const connect = ['--all', '--connector', given, '--bearer-env', `${given}=TOKEN`]
		expect(await set('connect', ...connect)).toMatchObject({
			code: 0,
			stderr: expect.stringContaining(`Connected: ${mcp.url}\n`),
		})
	}
	for (const wrong of ['http://127.0.0.1:1/mcp', 'http://a@b/', 'mcp'])
		for (const command of ['credentials', 'connect'])
			expect(await set(command, '--bearer-env', `${wrong}=TOKEN`)).toMatchObject({
				code: 2,
				stderr: expect.stringContaining(`--bearer-env ${wrong}: the agent needs --bearer-env ${name}=VAR`),
			})
	await call('stop', 'caller')
	expect(await call('delete', 'caller', '--yes')).toMatchObject({ code: 0 })
})

it('--bearer-env for a connector with OAuth says that it wants a sign-in', async () => {
	const connector = 'http://127.0.0.1:1/mcp'
	const yaml = `requires: [{ connector: "${connector}", scopes: [], auth: oauth, kind: connector, tools: [a] }]\n`
	expect((await create(host, account, await bundleOf({ yaml }), 'signer')).status).toBe(201)
	const env = { BERTH_URL: host.url, BERTH_TOKEN: account.token, TOKEN: 'a' }
	const set = (given: string) => berth(['credentials', 'signer', '--bearer-env', `${given}=TOKEN`], { env })
	const wants = 'this connector takes no token: it wants a sign-in with OAuth (`berth connect`)'
	expect(await set(connector)).toMatchObject({
		code: 2,
		stderr: expect.stringContaining(`--bearer-env ${connector}: ${wants}`),
	})
	expect((await set('other')).stderr).toContain('--bearer-env other: the agent needs no --bearer-env\n')
	expect((await call('delete', 'signer', '--yes')).code).toBe(0)
})

// Proves: cli.version
it('berth --version is that of the package', async () => {
	const { version } = JSON.parse(readFileSync('package.json', 'utf8'))
	expect(await berth(['--version'])).toEqual({ code: 0, stdout: `${version}\n`, stderr: '' })
})

it('the completion of bash offers commands, actions of a command and its options', async () => {
	const { stdout: script } = await berth(['completion', 'bash'])
	const complete = (...words: string[]) => {
		const quoted = words.map((word) => `'${word}'`).join(' ')
		const line = `${script}\nCOMP_WORDS=(${quoted}); COMP_CWORD=${words.length - 1}; _berth; echo "\${COMPREPLY[@]}"`
		return execFileSync('bash', ['-c', line], { encoding: 'utf8' }).trim().split(' ')
	}
	expect(complete('berth', 'wh')).toEqual(['whoami'])
	expect(complete('berth', 'admin', 'accounts', '')).toEqual(expect.arrayContaining(['create', 'credit']))
	expect(complete('berth', 'run', 'poet', '--in')).toEqual(['--input', '--inputs'])
	expect(complete('berth', 'webhooks', 'poet', 'redel')).toEqual(['redeliver'])
	expect(complete('berth', 'runs', 'poet', '--stat')).toEqual(['--status'])
	for (const shell of ['zsh', 'fish']) {
		const { stdout } = await berth(['completion', shell])
		for (const word of ['whoami', 'accounts', 'idempotency-key', 'redeliver']) expect(stdout).toContain(word)
	}
})

it('a command loads its own program and no other, so that it starts at once', () => {
	const hook = join(temporary(), 'loaded.mjs')
	writeFileSync(
		hook,
		`import { registerHooks } from 'node:module'
const seen = []
registerHooks({ load(url, context, next) { seen.push(url); return next(url, context) } })
process.on('exit', () => console.error(JSON.stringify(seen)))`,
	)
	const env = { PATH: process.env.PATH, BERTH_URL: host.url, BERTH_TOKEN: account.token }
	const { stderr } = spawnSync(process.execPath, ['--import', hook, 'dist/cli.mjs', 'list'], {
		encoding: 'utf8',
		env,
	})
	const files = (JSON.parse(stderr) as string[]).filter((url) => url.startsWith('file:'))
	expect(
		files.filter((url) => /\/(list|deploy|run|init|webhooks|completion)-\w+\.mjs$/.test(url)),
	).toHaveLength(1)
	const bytes = files.reduce((sum, url) => sum + statSync(new URL(url)).size, 0)
	expect(bytes).toBeLessThan(1_200_000)
})

it('output that cannot be written is told in one sentence', async () => {
	for (const args of [['list'], ['runs'], ['whoami', '--json']]) {
		const line = `"$0" "$@" > /dev/full`
		const { status, stderr } = spawnSync('sh', ['-c', line, process.execPath, launcher, ...args], {
			encoding: 'utf8',
			env: { PATH: process.env.PATH, BERTH_URL: host.url, BERTH_TOKEN: account.token },
		})
		expect([status, stderr]).toEqual([1, 'berth: the output cannot be written (ENOSPC)\n'])
	}
})

it('berth runs takes the same statuses and says the same of a failure, with a name and without', async () => {
	model.scripts.poet = { fault: { status: 400 } }
	const failed = await call('run', 'poet')
	model.scripts.poet = { text: 'a poem' }
	const [, id, message, code] = /^berth: (run_\w+) failed: (.*) \((\w+)\)$/m.exec(failed.stderr) ?? []
	for (const name of [[], ['poet']]) {
		expect((await json('runs', ...name, '--status', 'all')).data.map((one) => one.id)).toContain(id)
		const { stdout } = await call('runs', ...name, '--failed')
		expect(stdout).toContain(`${code}: ${message}\n`)
		const wrong = await call('runs', ...name, '--status', 'gone')
		expect([wrong.code, wrong.stderr]).toEqual([2, expect.stringMatching(/waiting.*live, all/)])
	}
})

it('one is counted as one', async () => {
	expect((await call('memory', 'poet', 'clear', '--yes')).stdout).toBe('Erased 0 files with all versions\n')
	expect([counted(1, 'run'), counted(2, 'run')]).toEqual(['1 run', '2 runs'])
	expect([1, 2].map((n) => counted(n, 'delivery', 'deliveries'))).toEqual(['1 delivery', '2 deliveries'])
})
