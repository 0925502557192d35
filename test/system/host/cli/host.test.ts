import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it, test } from 'vitest'
import { bundleOf, deploy as deployThere } from '../../../kit/agent.ts'
import { berth, launcher, temporary, terminal } from '../../../kit/berth.ts'
import type { TestAccount, TestHost } from '../../../kit/host.ts'
import { type ModelServer, startModelServer } from '../../../kit/model-server.ts'
import { repository } from '../../../kit/repository.ts'
import { sharedHost } from '../../../kit/shared-host.ts'

// The owner's way with the command line alone.

const KEY = 'sk-live-marked-key-of-the-owner'
let host: TestHost
let model: ModelServer
let account: TestAccount
let env: Record<string, string>

beforeAll(async () => {
	model = await startModelServer(
		{ poet: { text: 'a poem' }, slow: { text: 'late', delayMs: 60_000 } },
		{ key: KEY },
	)
	host = await sharedHost()
	account = await host.account({ plan: 'team' })
	env = { BERTH_URL: host.url, BERTH_TOKEN: account.token, PROVIDER_KEY: KEY }
})
afterAll(async () => {
	await host?.close()
	await model?.close()
})

const modelOf = (name: string) => `{ provider: openai, name: ${name}, base_url: "${model.openaiUrl}" }`
const inputs = `inputs:
  type: object
  required: [topic]
  additionalProperties: false
  properties: { topic: { type: string }, lines: { type: integer } }
`
const prompt = 'Write about {{topic}}.\n'

const agent = () =>
	repository({ 'agent.yaml': `name: poet\nmodel: ${modelOf('poet')}\n${inputs}`, 'prompt.md': prompt })

interface List<T> {
	data: T[]
	next_cursor: string | null
}

const run = (...args: string[]) => berth(args, { env })

async function json<T = Record<string, unknown>>(...args: string[]): Promise<T> {
	const result = await run(...args, '--json')
	if (result.code !== 0) throw new Error(`berth ${args.join(' ')}: ${result.code}\n${result.stderr}`)
	return JSON.parse(result.stdout) as T
}

/** For tests of other commands, without the one that deploys. */
const deploy = async (name: string, of = 'poet') =>
	deployThere(
		host,
		account,
		await bundleOf({ model: modelOf(of), yaml: inputs, files: { 'prompt.md': prompt } }),
		name,
		KEY,
	)

describe('berth deploy', () => {
	// Proves: cli.wizard
	it('creates, seals, starts, shows the run key once and a request that works as it stands', async () => {
		const { root } = agent()
		const result = await run(
			'deploy',
			root,
			'--name',
			'first',
			'--provider-key-env',
			'PROVIDER_KEY',
			'--verbose',
			'--json',
		)
		expect(result.code).toBe(0)
		const { run_key: runKey, request } = JSON.parse(result.stdout)
		expect(runKey).toMatch(/^brk_/)
		expect(request.body).toEqual({ inputs: { topic: '<topic>', lines: 1 } })
		expect(request.curl).toContain(`-H 'Authorization: Bearer ${runKey}'`)
		const { method, url, headers, body } = request
		const answer = await fetch(url, { method, headers, body: JSON.stringify(body) })
		expect(await answer.json()).toMatchObject({ status: 'succeeded', output: 'a poem' })
		// Sealed on this machine: what went over the wire is shown, and neither the key nor a whole secret is in it.
		expect(result.stderr).toMatch(/PUT .*\/credentials\/provider/)
		expect(result.stderr).not.toContain(KEY)
		expect(result.stderr).not.toContain(runKey)
		expect(model.requests.at(-1)?.headers.authorization).toBe(`Bearer ${KEY}`)
		expect((await json<List<{ name: string }>>('list')).data.map(({ name }) => name)).toContain('first')
		expect(JSON.stringify(await json('list'))).not.toContain('brk_')
	})

	// Proves: cli.dry-run, deployment.dry-run
	it('checks everything and creates nothing with --dry-run', async () => {
		const before = await json('list')
		const { root, write, commit } = agent()
		expect(await json('deploy', root, '--name', 'dry', '--dry-run')).toMatchObject({
			ok: true,
			credentials: [{ name: 'provider', needed_by: 'openai' }],
		})
		const given = (...options: string[]) => run('deploy', root, '--name', 'dry', '--dry-run', ...options)
		expect(await given('--provider-key-env', 'NOT_SET')).toMatchObject({
			code: 1,
			stderr: expect.stringContaining('NOT_SET is not set'),
		})
		expect(await given('--bearer-env', 'crm=PATH')).toMatchObject({
			code: 2,
			stderr: expect.stringContaining('the agent needs no --bearer-env'),
		})
		write({ 'agent.yaml': 'name: poet\nmodel: { provider: platform, name: m }\n', 'prompt.md': 'x' })
		commit()
		const refused = await given()
		expect(refused).toMatchObject({ code: 1, stdout: '' })
		expect(refused.stderr).toContain('(platform_provider_refused)')
		expect(await json('list')).toEqual(before)
	})

	// Proves: cli.failure, cli.wizard-script
	it('leaves nothing behind where the provider refuses the key and nobody can be asked', async () => {
		const { root } = agent()
		const result = await berth(
			['deploy', root, '--name', 'wrong', '--provider-key-env', 'PROVIDER_KEY', '--json'],
			{
				env: { ...env, PROVIDER_KEY: 'sk-wrong' },
			},
		)
		expect(result.code).toBe(1)
		expect(JSON.parse(result.stdout)).toMatchObject({ code: 'credential_rejected', status: 422 })
		expect(result.stderr).toContain('nothing is left of it')
		expect((await json<List<{ name: string }>>('list')).data.map(({ name }) => name)).not.toContain('wrong')
	})

	// Proves: cli.wizard-script
	it('says which option is missing where nobody can be asked', async () => {
		const { root } = agent()
		expect(await run('deploy', root, '--name', 'x')).toMatchObject({
			code: 2,
			stderr: expect.stringContaining('berth: the agent needs provider (openai): --provider-key-env VAR\n'),
		})
		expect(await run('deploy', root)).toMatchObject({
			code: 2,
			stderr: 'berth: give the deployment a name: --name N\n',
		})
	})

	// Proves: cli.wizard-terminal, cli.wizard
	it('is a wizard on a terminal: asks for name and key, and shows neither the key nor a colour', async () => {
		const { root } = agent()
		const { code, screen } = await terminal(['deploy', root], env, [
			['Name of the deployment', 'asked\r'],
			['Key for openai (not shown)', `${KEY}\r`],
		])
		expect({ code, screen }).toMatchObject({ code: 0 })
		expect(screen).toContain(`goes to ${new URL(model.url).origin} only`)
		expect(screen).toMatch(/Run key \(shown this once\): brk_/)
		expect(screen).not.toContain(KEY)
	})
})

describe('berth run', () => {
	let deployed: Promise<unknown> | undefined
	const runner = () => (deployed ??= deploy('runner'))

	// Proves: cli.run
	it('gives the output, and the run as JSON', async () => {
		await runner()
		expect(await run('run', 'runner', '--input', 'topic=sea', 'lines=3')).toMatchObject({
			code: 0,
			stdout: 'a poem\n',
			stderr: '',
		})
		expect(await json('run', 'runner', '--inputs', '{"topic":"sea"}')).toMatchObject({
			status: 'succeeded',
			inputs: { topic: 'sea' },
			usage: { model_calls: 1 },
		})
	})

	// Proves: cli.run-modes
	it('streams events, starts without waiting, lists runs and shows what happened in one', async () => {
		await runner()
		const streamed = await run('run', 'runner', '-i', 'topic=sea', '--stream', '--json')
		const types = streamed.stdout
			.trim()
			.split('\n')
			.map((line) => JSON.parse(line).type)
		expect(types[0]).toBe('run.started')
		expect(types.at(-1)).toBe('run.completed')
		const { id } = await json<{ id: string }>('run', 'runner', '-i', 'topic=sea', '--async')
		const events = await run('events', id, '--follow')
		expect(events.stdout).toContain('run.completed')
		const told = await json<List<{ type: string }>>('events', id)
		expect(told.data.at(-1)?.type).toBe('run.completed')
		const { data } = await json<List<{ id: string }>>('runs', 'runner', '--status', 'succeeded')
		expect(data.map((one) => one.id)).toContain(id)
	})

	// Proves: cli.failure, cli.input-once
	it('ends with 1 and the code where inputs are wrong, and with 2 where one is given twice', async () => {
		await runner()
		const { code, stderr } = await run('run', 'runner', '--input', 'lines=many')
		expect(code).toBe(1)
		expect(stderr).toContain('(inputs_invalid)')
		expect(stderr).toContain('/topic: is required')
		expect(stderr).toContain('/lines: must be integer, is string')
		expect(await run('run', 'runner', '--input', 'topic=a', '--input', 'topic=b')).toMatchObject({
			code: 2,
			stderr: expect.stringContaining('--input gives topic more than once'),
		})
	})

	it('cancels a run', async () => {
		await deploy('sleeper', 'slow')
		const { id } = await json<{ id: string }>('run', 'sleeper', '-i', 'topic=x', '--async')
		expect(await json('cancel', id)).toMatchObject({ id, status: 'cancelled' })
	})
})

describe('deployments', () => {
	// Proves: cli.deployments, deployment.rollback
	it('are stopped, started, updated, rolled back, given a new run key and deleted', async () => {
		const { root, write, commit } = agent()
		await json('deploy', root, '--name', 'life', '--provider-key-env', 'PROVIDER_KEY')
		expect(await json('stop', 'life', '--drain', '0')).toMatchObject({ state: 'stopped', in_flight: [] })
		expect(await json('start', 'life')).toMatchObject({ state: 'running' })
		write({ 'prompt.md': 'Second version about {{topic}}.\n' })
		commit()
		expect(await json('update', 'life', root)).toMatchObject({ version: 2 })
		expect(await json('rollback', 'life')).toMatchObject({ version: 1 })
		expect(await run('rollback', 'life')).toMatchObject({
			code: 1,
			stderr: 'berth: life has no version before 1\n',
		})
		expect(await json('rollback', 'life', '--to', '2')).toMatchObject({ version: 2 })
		const rotated = await json('rotate', 'life')
		expect(rotated).toMatchObject({ run_key: expect.stringMatching(/^brk_/) })
		expect((await run('rotate', 'life')).stdout).toMatch(
			/^first run key: key_\w+ in place of key_\w+\nRun key \(shown this once\): brk_/,
		)
		expect((await run('rotate', 'life', '--key', String(rotated.id))).stderr).toMatch(
			/Rotate key_\w+ instead/,
		)
		for (const [given, told] of [
			['{"a": 1,}', 'its value is no JSON: '],
			['[1]', 'its value is other JSON'],
			['@package.json/none', 'cannot be read (ENOTDIR)'],
		] as const)
			expect((await run('run', 'life', '--inputs', given)).stderr).toContain(told)
		const big = join(temporary(), 'big.md')
		writeFileSync(big, 'x'.repeat(2_000_000))
		const refused = await run('memory', 'life', 'put', 'a.md', big)
		expect(refused).toMatchObject({ code: 1, stderr: expect.stringContaining(`berth: ${big}: `) })
		expect(await json('credentials', 'life')).toMatchObject({
			data: [{ name: 'provider', state: 'ready' }],
			next_cursor: null,
		})
		expect(await json('credentials', 'life', '--provider-key-env', 'PROVIDER_KEY')).toMatchObject({
			data: [{ version: 2 }],
		})
		expect(await json('delete', 'life', '--yes')).toMatchObject({ deleted: true })
		expect(await run('stop', 'life')).toMatchObject({
			code: 1,
			stderr: expect.stringContaining('no deployment named "life"'),
		})
	})

	// Proves: deployment.limit-names-slots, deployment.running-holds-slot
	it('name what holds the slots when the plan is used up', async () => {
		const { token, email } = await host.account({ plan: 'free' })
		const own = { env: { ...env, BERTH_TOKEN: token } }
		const { root } = agent()
		const args = (name: string) => ['deploy', root, '--name', name, '--provider-key-env', 'PROVIDER_KEY']
		expect((await berth(args('one'), own)).code).toBe(0)
		const { code, stderr } = await berth(args('two'), own)
		expect(code).toBe(1)
		const problem = JSON.parse((await berth([...args('two'), '--json'], own)).stdout)
		expect(problem).toMatchObject({
			type: 'urn:berth:problem:running_agent_limit_reached',
			title: 'Limit of running agents reached',
			status: 409,
			detail: expect.any(String),
			instance: '/v1/deployments',
			code: 'running_agent_limit_reached',
			limit: 1,
			slots: [{ deployment: expect.stringMatching(/^dep_/), name: 'one', state: 'running' }],
			request_id: expect.any(String),
		})
		expect(stderr).toContain('(running_agent_limit_reached)')
		expect(stderr).toContain('one is running since')
		const who = JSON.parse((await berth(['whoami', '--json'], own)).stdout)
		expect(who).toMatchObject({ email, plan: { name: 'free' }, slots: { used: 1, limit: 1 } })
	})
})

describe('berth webhooks', () => {
	it('adds, lists, pings, shows deliveries and sends one again', async () => {
		await deploy('hooked')
		const endpoint = await json<{ id: string }>(
			'webhooks',
			'hooked',
			'add',
			`${model.url}/hook`,
			'--events',
			'run.completed',
		)
		expect(endpoint).toMatchObject({ secret: expect.stringMatching(/^whsec_/), events: ['run.completed'] })
		expect(await json('webhooks', 'hooked', 'list')).toMatchObject({ data: [{ id: endpoint.id }] })
		// A model server takes no webhook.
		expect((await run('webhooks', 'hooked', 'ping')).code).toBe(1)
		const { data } = await json<List<{ id: string; type: string }>>('webhooks', 'hooked', 'deliveries')
		expect(data[0]).toMatchObject({ type: 'ping' })
		expect(await json('webhooks', 'hooked', 'redeliver', String(data[0]?.id))).toMatchObject({
			id: expect.stringMatching(/^dlv_/),
		})
		expect(await run('webhooks', 'hooked', 'explode')).toMatchObject({ code: 2 })
		expect(await run('webhooks', 'hooked', 'add', 'nowhere')).toMatchObject({ code: 2 })
		await run('webhooks', 'hooked', 'remove', endpoint.id)
	})
})

describe('berth admin', () => {
	// Proves: cli.admin-local
	it('works on the host’s own machine before any sign-in, through DATA_DIR', async () => {
		const local = { env: { BERTH_URL: host.url, DATA_DIR: host.dataDir } }
		const email = 'made@example.com'
		const made = await berth(
			[
				'admin',
				'accounts',
				'create',
				'--email',
				email,
				'--plan',
				'team',
				'--token',
				'--json',
				'--password-stdin',
			],
			{
				...local,
				input: 'a long enough password\n',
			},
		)
		expect(JSON.parse(made.stdout)).toMatchObject({
			email,
			plan: 'team',
			has_password: true,
			token: expect.stringMatching(/^bpt_/),
		})
		const admin = async (...args: string[]) =>
			JSON.parse((await berth(['admin', 'accounts', ...args, '--json'], local)).stdout)
		expect(await admin('credit', email, '12.5')).toMatchObject({ credits: 2512.5 })
		expect(await admin('set', email, '--tester', '--plan', 'free')).toMatchObject({
			tester: true,
			plan: 'free',
		})
		expect(await admin('set', email, '--no-tester', '--disabled')).toMatchObject({
			tester: false,
			disabled: true,
		})
		const guard = async (...args: string[]) =>
			JSON.parse((await berth(['admin', 'guard', ...args, '--json'], local)).stdout).switches
		expect(await guard('pause')).toMatchObject({ maintenance: true })
		expect(await guard('resume')).toMatchObject({ maintenance: false })
		expect(await guard('budget', '5000')).toMatchObject({ budget_tokens: 5000 })
		expect(await guard('budget', 'none')).toMatchObject({ budget_tokens: null })
		const elsewhere = await berth(['admin', 'accounts', 'list'], {
			env: { BERTH_URL: host.url, DATA_DIR: temporary() },
		})
		expect(elsewhere).toMatchObject({ code: 1, stderr: expect.stringContaining('not signed in') })
	})

	// Proves: cli.admin-local
	it('works there as well after somebody has signed in, also where the sign-in is over', async () => {
		const config = temporary()
		const env = { XDG_CONFIG_HOME: config, DATA_DIR: host.dataDir }
		const login = async (token: string) => {
			const done = await berth(['login', '--url', host.url, '--token', token], { env })
			expect(done, done.stderr).toMatchObject({ code: 0 })
		}
		const list = (more: Record<string, string> = {}) =>
			berth(['admin', 'accounts', 'list', '--json'], { env: { ...env, ...more } })
		const somebody = await host.account()
		await login(somebody.token)
		const note = 'is no operator; '
		expect(await list()).toMatchObject({ code: 0, stderr: expect.stringContaining(note) })
		// A token that is named is used alone, and without the file there is nothing else.
		expect(await list({ BERTH_URL: host.url, BERTH_TOKEN: somebody.token })).toMatchObject({
			code: 1,
			stderr: expect.stringContaining(`BERTH_TOKEN is of ${somebody.email}, which is no operator`),
		})
		expect(await list({ BERTH_URL: host.url, BERTH_TOKEN: host.operator })).toMatchObject({ code: 0 })
		const empty = temporary()
		const fails = async (stderr: string, more: Record<string, string>) =>
			expect(await list(more)).toMatchObject({ code: 1, stderr: expect.stringContaining(stderr) })
		await fails(
			`${somebody.email}, which is signed in at ${host.url}, is no operator, and there is no ${empty}`,
			{
				DATA_DIR: empty,
			},
		)
		writeFileSync(
			join(config, 'berth', 'login.json'),
			JSON.stringify({ url: host.url, token: `${somebody.token.slice(0, -6)}aaaaaa` }),
		)
		const over = `the sign-in at ${host.url} is over`
		expect(await list()).toMatchObject({ code: 0, stderr: expect.stringContaining(`${over}; `) })
		await fails(`${over}, and there is no ${empty}`, { DATA_DIR: empty })
		const boss = await host.account({ operator: true })
		await login(boss.token)
		expect(await list()).toMatchObject({ code: 0, stderr: '' })
	})
})

// Proves: cli.admin-cause
test('berth admin names the file or variable that keeps it out', async () => {
	const folder = temporary()
	const file = join(folder, 'operator.token')
	const env = { DATA_DIR: folder, BERTH_URL: host.url, XDG_CONFIG_HOME: temporary() }
	const said = async (more: Record<string, string> = {}) => {
		const { code, stderr } = await berth(['admin', 'accounts', 'list'], { env: { ...env, ...more } })
		expect(code).toBe(1)
		return stderr
	}
	expect(await said()).toContain(`not signed in at ${host.url}, and there is no ${file}`)
	writeFileSync(file, `local_${'0'.repeat(64)}\n`)
	const stale = `the host at ${host.url} does not take the token in ${file}: it is another host's`
	expect(await said()).toContain(stale)
	expect(await said({ BERTH_URL: '' })).toMatch(/ BERTH_URL /)
	rmSync(file)
	mkdirSync(file)
	expect(await said()).toContain(`${file} cannot be read (EISDIR)`)
	expect(await said({ BERTH_URL: 'https://berth.invalid', DATA_DIR: '' })).toContain(
		'https://berth.invalid is not this machine and DATA_DIR is not set, so no local token is sent there',
	)
})

describe('berth serve', () => {
	// Proves: cli.serve-environment, cli.judge-hint, start.launcher
	it('hands the host its settings and nothing else of the environment, and ends it on SIGTERM', async () => {
		const dataDir = temporary()
		const child = spawn(process.execPath, [launcher, 'serve'], {
			env: {
				PATH: process.env.PATH,
				PORT: '0',
				DATA_DIR: dataDir,
				OPENAI_API_KEY: 'sk-of-the-shell',
				OTEL_SERVICE_NAME: 'x',
			},
			stdio: ['ignore', 'pipe', 'pipe'],
		})
		let log = ''
		let told = ''
		child.stderr.setEncoding('utf8').on('data', (text: string) => {
			told += text
		})
		child.stdout.setEncoding('utf8').on('data', (text: string) => {
			log += text
		})
		await expect.poll(() => log).toContain('Berth is ready')
		const pid = Number(/"pid":(\d+)/.exec(log)?.[1])
		const environment = readFileSync(`/proc/${pid}/environ`, 'utf8')
		expect(environment).toContain(`DATA_DIR=${dataDir}`)
		expect(environment).toContain('OTEL_SERVICE_NAME=x')
		expect(environment).not.toContain('sk-of-the-shell')
		expect(told).toMatch(
			/^OPENAI_API_KEY is set\. GUARD_JUDGE=builtin,openai .* GUARD_JUDGE_KEY=\$OPENAI_API_KEY .*\n$/,
		)
		child.kill('SIGTERM')
		const [code] = await once(child, 'exit')
		expect(code).toBe(0)
		expect(() => process.kill(pid, 0)).toThrow('ESRCH')
	})
})
