import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { shorten } from '../../../../host/owner/cli/wire.ts'
import { settings } from '../../../../host/settings/config.ts'
import { berth, launcher, temporary } from '../../../kit/berth.ts'
import { repository } from '../../../kit/repository.ts'

// Exit codes 0, 1, 2; --json is one document on stdout and everything else is on stderr.

describe('berth', () => {
	// Proves: cli.help
	it('shows help for itself and each command, and ends with 0', async () => {
		const { code, stdout } = await berth(['--help'])
		expect(code).toBe(0)
		const names = [...stdout.matchAll(/^ {2}([a-z]+) /gm)].map(([, name]) => name as string)
		const wanted =
			'login whoami init bundle inspect deploy credentials rotate run runs events cancel list stop start delete update rollback webhooks serve admin settings'
		expect(names).toEqual(expect.arrayContaining(wanted.split(' ')))
		// The help of all is read in test/architecture/commands.test.ts.
		for (const name of ['run', 'admin', 'webhooks'])
			expect(await berth([name, '--help'])).toMatchObject({
				code: 0,
				stderr: '',
				stdout: expect.stringContaining(`Usage: berth ${name}`),
			})
	})

	// Proves: cli.wrong-usage
	it.each([
		[['fly']],
		[['serve', '--port=1']],
		[['runs', 'x', '--limit', 'many']],
		[['runs', 'x', '--status', 'bogus']],
		[['budgets', 'x', '--tokens', '1.5']],
		[['budgets', 'x', '--usd', '-1']],
		[['keys', 'x', 'create', '--expires', 'soon']],
		[['keys', 'x', 'create', '--scopes', 'run,fly']],
		[['rotate', 'x', '--overlap', '99d']],
		[['retain', 'x', '0']],
		[['webhooks', 'x', 'add', 'u', '--events', 'bogus']],
		[['delete', 'x']],
		[['completion', 'tcsh']],
		[['run']],
		[['bundle', '--nonsense']],
		[['admin', 'accounts', 'create']],
		[['login', '--url', 'nowhere']],
	])('ends with 2 when used wrongly: %j', async (args) => {
		const { code, stdout, stderr } = await berth(args)
		expect(code).toBe(2)
		expect(stdout).toBe('')
		expect(stderr).not.toMatch(/^ {4}at /m)
		// Told once.
		expect(stderr.match(/^(berth|error): /gm)).toEqual(['berth: '])
	})

	// Proves: cli.wrong-usage
	it.each([
		[['run', '--json']],
		[['bundle', '--nonsense', '--json']],
		[['login', '--url', 'nowhere', '--json']],
	])('says as one document what was wrong with the usage: %j', async (args) => {
		const { code, stdout } = await berth(args)
		expect(code).toBe(2)
		expect(JSON.parse(stdout)).toMatchObject({ code: 'usage', detail: expect.stringMatching(/^[^:]{4}/) })
	})

	// Proves: cli.wrong-usage
	it.each(['nonsense', 'localhost:8787', 'ftp://x', 'http://'])('refuses BERTH_URL=%s', async (url) => {
		const { code, stderr } = await berth(['list'], { env: { BERTH_URL: url } })
		expect(code).toBe(2)
		expect(stderr).toMatch(
			`berth: BERTH_URL takes the address of a host, as in http://127.0.0.1:8787, not "${url}"`,
		)
	})

	it('tells who is not signed in what to do', async () => {
		const env = { BERTH_URL: 'http://127.0.0.1:1' }
		const { code, stderr } = await berth(['list'], { env })
		expect(code).toBe(1)
		expect(stderr).toBe(
			'berth: not signed in at http://127.0.0.1:1; run: berth login --url http://127.0.0.1:1\n',
		)
		const unreachable = await berth(['list', '--json'], { env: { ...env, BERTH_TOKEN: 'x' } })
		expect(unreachable.code).toBe(1)
		expect(JSON.parse(unreachable.stdout)).toMatchObject({ code: 'unreachable', status: 0 })
	})

	// Proves: cli.pinned-node
	it('runs on the pinned Node whatever Node starts it', async () => {
		const system = existsSync('/usr/bin/node') ? '/usr/bin/node' : process.execPath
		const out = execFileSync(system, [launcher, 'settings', '--json'], { encoding: 'utf8' })
		expect(JSON.parse(out).data).toHaveLength(Object.keys(settings).length)
	})

	// Proves: start.settings-printed
	it('prints every setting of the host with default and help', async () => {
		const { stdout } = await berth(['settings', '--json'])
		const expected = Object.entries(settings).map(([name, row]) => ({
			name,
			default: row.default,
			help: row.help,
		}))
		expect(JSON.parse(stdout)).toEqual({ data: expected, next_cursor: null })
	})
})

const offline = { BERTH_URL: 'http://127.0.0.1:1', BERTH_TOKEN: 'x' }

describe('berth init, bundle, inspect', () => {
	// Proves: bundle.template
	it('make an agent that builds, and look inside', async () => {
		const folder = join(temporary(), 'My First Agent')
		const made = await berth(['init', folder, '--json'])
		expect(JSON.parse(made.stdout)).toMatchObject({
			folder,
			files: expect.arrayContaining(['agent.yaml', 'types/berth/index.d.ts']),
		})
		expect(JSON.parse(made.stdout).next).toEqual([
			`cd '${folder}'`,
			'berth test',
			'berth dev',
			'git init && git add -A && git commit -m "A new agent"',
			'berth deploy . --name my-first',
		])
		const env = { npm_lifecycle_event: 'berth', INIT_CWD: temporary() }
		const cloned = await berth(['init', 'two', '--template', 'team', '--json'], { env })
		expect(JSON.parse(cloned.stdout).next).toEqual([
			'npm run berth -- test two',
			'npm run berth -- dev two/writer two/researcher',
			'git -C two init && git -C two add -A && git -C two commit -m "A new agent"',
			'npm run berth -- deploy two/researcher (README.md says more)',
		])
		expect(await berth(['init', '/dev/null/agent'])).toMatchObject({
			code: 1,
			stderr: 'berth: /dev/null/agent: not a directory (ENOTDIR)\n',
		})
		expect(await berth(['init', folder])).toMatchObject({
			code: 1,
			stderr: `berth: ${folder} is not empty\n`,
		})
		const unbuilt = await berth(['bundle', folder, '--json'])
		expect(unbuilt.code).toBe(1)
		expect(JSON.parse(unbuilt.stdout)).toMatchObject({ code: 'bundle_invalid' })
		expect(unbuilt.stderr).toContain('commit the agent first')
		const file = join(temporary(), 'no.agent')
		writeFileSync(file, 'no zip')
		const unread = await berth(['inspect', file, '--json'])
		expect(unread.code).toBe(1)
		const problem = JSON.parse(unread.stdout)
		expect(problem).toEqual({
			type: 'urn:berth:problem:bundle_invalid',
			title: 'Invalid bundle',
			detail: `The bundle has one fault: ${problem.errors[0].message}`,
			code: 'bundle_invalid',
			errors: [{ path: file, message: `${file}: is not a zip file` }],
		})
		expect((await berth(['deploy', file, '--name', 'x'], { env: offline })).stderr).toContain(
			`${file}: is not a zip file`,
		)
		const missing = await berth(['inspect', `${file}s`, '--json'])
		expect(JSON.parse(missing.stdout)).toEqual({
			type: 'urn:berth:problem:failed',
			title: 'Failed',
			detail: `${file}s cannot be read (ENOENT)`,
			code: 'failed',
		})
	})

	// Proves: bundle.left-out-named
	it('say what was left out, and write the bundle of the commit', async () => {
		const { root, write, git } = repository({
			'agent.yaml': 'name: small\nmodel: { provider: openai, name: m }\n',
			'prompt.md': 'Hello.',
		})
		write({ 'prompt.md': 'Changed.' })
		const file = join(temporary(), 'out.agent')
		const nowhere = join(root, 'none', 'out.agent')
		expect(await berth(['bundle', '--output', nowhere], { cwd: root })).toMatchObject({
			code: 1,
			stderr: expect.stringContaining(`berth: --output ${nowhere} cannot be written (ENOENT)`),
		})
		const built = await berth(['bundle', '--output', file, '--json'], { cwd: root })
		expect(built.code).toBe(0)
		expect(JSON.parse(built.stdout)).toMatchObject({
			file,
			commit: git('rev-parse', 'HEAD'),
			left_out: [{ path: 'prompt.md', change: 'changed' }],
		})
		expect(built.stderr).toMatch(/left out because not committed:\n {2}changed {2}prompt\.md\n$/)
		const inspected = JSON.parse((await berth(['inspect', file, '--json'])).stdout)
		expect(inspected).toMatchObject({ digest: JSON.parse(built.stdout).digest, agent: { name: 'small' } })
		writeFileSync(file, readFileSync(file).fill(0, 40, 60))
		expect(await berth(['inspect', file])).toMatchObject({ code: 1, stdout: '' })
	})

	// Proves: bundle.all-faults
	it('tell every fault of an agent with file and line', async () => {
		const { root } = repository({
			'agent.yaml': 'name: small\nmodel: { provider: openai, name: m }\nlimit: 1\n',
		})
		const { code, stderr } = await berth(['bundle', root])
		expect(code).toBe(1)
		const faults = [
			'agent.yaml:3 /limit: unknown member "limit"',
			'agent.yaml:1 /prompt: there is no file prompt.md',
		]
		expect(stderr).toBe(faults.map((one) => `berth: ${one}\n`).join(''))
	})
})

describe('berth login', () => {
	// Proves: cli.login-stored
	it('keeps the token readable by its owner only, and sends it to no other host', async () => {
		const seen: unknown[] = []
		const server = createServer((request, response) => {
			seen.push(request.headers.authorization)
			response.writeHead(200, { 'content-type': 'application/json' }).end(
				JSON.stringify({
					id: 'acc_1',
					email: 'a@example.com',
					plan: { name: 'free', running_agents: 1, retain_days: null, paid: false },
					slots: { used: 0, limit: 1, held: [] },
					credits: 2500,
					tester: false,
					operator: false,
					has_password: false,
					alert_mail: true,
					sends_mail: false,
					created_at: '2026-01-01T00:00:00.000Z',
				}),
			)
		})
		await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
		onTestFinished(() => void server.close())
		const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
		const env = { XDG_CONFIG_HOME: temporary() }
		const login = await berth(['login', '--url', url, '--token', '-'], { env, input: 'bpt_secret\n' })
		expect(login).toMatchObject({ code: 0, stdout: `Signed in at ${url} as a@example.com\n` })
		expect(statSync(join(env.XDG_CONFIG_HOME, 'berth/login.json')).mode & 0o777).toBe(0o600)
		const who = await berth(['whoami', '--json'], { env })
		expect(JSON.parse(who.stdout)).toMatchObject({ host: url, email: 'a@example.com' })
		expect(seen).toEqual(['Bearer bpt_secret', 'Bearer bpt_secret'])
		const elsewhere = await berth(['whoami'], { env: { ...env, BERTH_URL: 'http://127.0.0.1:1' } })
		expect(elsewhere.stderr).toContain('not signed in at http://127.0.0.1:1')
	})
})

describe('what is shown of the wire', () => {
	// Proves: cli.wire-shortened
	it('has every secret shortened', () => {
		const jwe = ['eyJhbGciOiJFQ0RILUVTIiwiZW5jIjoiQTI1NkdDTSJ9', '', 'aaaa', 'bbbb', 'cccc'].join('.')
		const secret = 'x'.repeat(43)
		const texts = [`brk_01_${secret}`, `whsec_${secret}=`, jwe, `local_${secret}`, `Bearer ${secret}`]
		for (const text of texts) {
			expect(shorten(`before ${text} after`)).toMatch(/^before .{10,25}…\(\d+ characters\) after$/)
		}
		expect(shorten('nothing to hide in run_01m7ykj0t5e008m7jg89shf4k8')).toContain(
			'run_01m7ykj0t5e008m7jg89shf4k8',
		)
	})
})
