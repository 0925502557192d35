// How a host starts, says no, stops, and leaves nothing behind.
import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import postgres from 'postgres'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { parseDatabaseUrl } from '../../../host/db/url.ts'
import { until } from '../../kit/agent.ts'
import { cloneTemplate, dropDatabase, startHost, type TestHost } from '../../kit/host.ts'
import { sharedHost } from '../../kit/shared-host.ts'

const lives = (pid: number) => {
	try {
		return readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.[0] !== 'Z'
	} catch {
		return false
	}
}

describe('one host on its embedded database', () => {
	let host: TestHost

	beforeAll(async () => {
		host = await startHost({ database: 'embedded', env: { GUARD_JUDGE_KEY: 'sk-marked' } })
	})

	afterAll(async () => {
		await host?.close()
	})

	// Proves: observe.ready, start.whole-when-ready
	test('a host starts on its embedded database and is a whole one when it says so', async () => {
		const ready = await host.call('/readyz')
		expect(ready).toMatchObject({ status: 200, body: { status: 'ok', sandbox: expect.any(Array) } })
		expect((await host.call('/healthz')).body).toEqual({ status: 'ok' })
		const log = host.logs().join('\n')
		expect(log.indexOf('database open')).toBeLessThan(log.indexOf('runtime ready'))
		expect(log.indexOf('runtime ready')).toBeLessThan(log.indexOf('Berth is ready'))
		expect(log).toMatch(/"sandbox":\["/)
		for (const secret of ['master.key', 'operator.token']) {
			expect(statSync(join(host.dataDir, secret)).mode & 0o777).toBe(0o600)
		}
	})

	// Proves: start.second-host
	test('a second host on one DATA_DIR is refused and told why', async () => {
		const second = startHost({ database: 'embedded', dataDir: host.dataDir })
		await expect(second).rejects.toThrow(/Another host is running on DATA_DIR .*DATABASE_URL/)
		expect((await host.call('/readyz')).status).toBe(200)
	})

	// Proves: credential.empty-environment
	test('no secret of the environment reaches the host’s children', async () => {
		const [, ...children] = host.processes()
		const told = children.filter((pid) => readFileSync(`/proc/${pid}/environ`, 'utf8').includes('sk-marked'))
		expect(children.length).toBeGreaterThan(0)
		expect(told).toEqual([])
	})

	// Proves: start.database-restarted
	test('a host answers 503 while its database is gone, and is back by itself when it was killed', async () => {
		const { token } = await host.account()
		const file = join(host.dataDir, 'postgres', 'data', 'postmaster.pid')
		process.kill(Number.parseInt(readFileSync(file, 'utf8'), 10), 'SIGKILL')
		const seen = new Set<string>()
		const ask = async () => {
			const { status, body } = await host.call('/v1/account', { token })
			seen.add(`${status} ${body.code ?? 'ok'}`)
			return status
		}
		await Promise.all(Array.from({ length: 4 }, () => expect.poll(ask, { interval: 5 }).toBe(200)))
		expect([...seen].filter((answer) => answer !== '200 ok' && answer !== '503 overloaded')).toEqual([])
		await expect.poll(async () => (await host.call('/readyz')).status).toBe(200)
	})

	// Proves: observe.ready, sandbox.runtime-restarted
	test('a host is back by itself when its runtime is killed', async () => {
		const runtime = host
			.processes()
			.find((pid) => readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes('runtime.mjs')) as number
		// Several ask at once, so that one is heard while it is gone.
		let down = false
		const look = async () => {
			down ||= (await host.call('/readyz')).status === 503
			return down
		}
		const looks = Array.from({ length: 4 }, () => expect.poll(look, { interval: 1 }).toBe(true))
		process.kill(runtime, 'SIGKILL')
		await Promise.all(looks)
		await expect.poll(async () => (await host.call('/readyz')).status).toBe(200)
	})

	// Proves: start.host-killed
	test('nothing is left when a host is killed, and it starts again on what it had', async () => {
		const { token, email } = await host.account()
		const below = host.processes()
		await host.kill('SIGKILL')
		await expect.poll(() => below.filter(lives)).toEqual([])
		host = await host.again()
		expect((await host.call('/v1/account', { token })).body).toMatchObject({ email })
	})

	// Proves: start.stop
	test('a host that is asked to stop ends with 0, and every process with it', async () => {
		const below = host.processes()
		expect(below.length).toBeGreaterThan(3)
		expect(await host.kill('SIGTERM')).toEqual({ code: 0, signal: null })
		expect(below.filter(lives)).toEqual([])
	})
})

// Proves: account.first-operator
test('the first operator signs in once by the printed link, and each start prints one until a password is set', async () => {
	const host = await startHost({})
	const linkIn = (lines: string[]) => /http\S+\/sign-in\?link=(bsi_\w+)/.exec(lines.join('\n'))?.[1]
	const first = await until(async () => linkIn(host.logs()))
	await host.kill('SIGTERM')
	const again = await host.again()
	const link = await until(async () => linkIn(again.logs()))
	expect(link).not.toBe(first)
	const signed = await again.call('/sign-in', {
		method: 'POST',
		body: new URLSearchParams({ link, password: 'a long password' }),
		headers: { 'sec-fetch-site': 'same-origin' },
	})
	expect(signed.status).toBe(303)
	const cookie = (signed.headers.get('set-cookie') ?? '').split(';')[0] as string
	expect((await again.call('/v1/admin/accounts', { headers: { cookie } })).status).toBe(200)
	await again.kill('SIGTERM')
	const last = await again.again()
	expect(linkIn(last.logs())).toBeUndefined()
	await last.close()
})

// Proves: start.settings-fault
test.each([
	[{ HOST: '192.0.2.1' }, 'Berth cannot listen at HOST 192.0.2.1 (EADDRNOTAVAIL)'],
	[
		{ GUARD_JUDGE: 'openai', GUARD_JUDGE_URL: 'http://127.0.0.1:9', GUARD_JUDGE_MODEL: 'm' },
		'GUARD_JUDGE=openai: The judge',
	],
])('a host that cannot have what its settings name says so in a sentence, with %j', async (env, message) => {
	const error = await startHost({ env: env as Record<string, string> }).catch(String)
	expect(error).toContain(message)
	expect(error).not.toMatch(/^ {4}at /m)
})

// Proves: start.settings-fault
test('a host names all faults of its settings at once, those between settings too, and no secret', async () => {
	const env = { GUARD_JUDGE: 'openai', PORT: 'x', EGRESS_ALLOW: 'http://x/', GUARD_JUDGE_KEY: 'sk marked' }
	const error = await startHost({ env, database: 'mysql://u:hidden@h/x' }).catch(String)
	const [, ...lines] = (error as string).split('\n')
	expect(lines.map((line) => line.split(/[:= ]/, 1)[0]).sort()).toEqual([
		'DATABASE_URL',
		'EGRESS_ALLOW',
		'GUARD_JUDGE_KEY',
		'GUARD_JUDGE_MODEL',
		'GUARD_JUDGE_URL',
		'PORT',
	])
	expect(error).not.toMatch(/marked|hidden/)
})

// Proves: start.plain-refusals
test('a host says in plain words that its port is taken, or that its DATA_DIR is no folder', async () => {
	const first = await sharedHost()
	const said = async (options: Parameters<typeof startHost>[0]) => {
		const error = await startHost(options).catch(String)
		expect(error).not.toMatch(/\n\s+at /)
		return error
	}
	const port = Number(new URL(first.url).port)
	expect(await said({ port })).toContain(`HOST 127.0.0.1, PORT ${port} (EADDRINUSE)`)
	await first.close()
	const file = join(mkdtempSync(join(tmpdir(), 'berth-file-')), 'data')
	writeFileSync(file, '')
	expect(await said({ database: 'embedded', dataDir: file })).toContain(
		`DATA_DIR ${file} cannot be made or written`,
	)
	// A folder that takes no folder: Node's own `mkdir` would never return.
	for (const dataDir of ['/proc/x', '/proc/x/y'])
		expect(await said({ database: 'embedded', dataDir })).toContain(
			`DATA_DIR ${dataDir} cannot be made or written (ENOENT)`,
		)
	rmSync(dirname(file), { recursive: true })
})

// Proves: credential.master-key-other
test('a host whose master key is not the database’s is refused and told to copy the file', async () => {
	const url = await cloneTemplate()
	const first = await startHost({ database: url })
	// Another DATA_DIR has no key, and may not make one: this database has its own.
	await expect(startHost({ database: url })).rejects.toThrow(/no master key in .*Copy the file/)
	const other = join(first.dataDir, 'other.key')
	writeFileSync(other, `${randomBytes(32).toString('base64url')}\n`, { mode: 0o600 })
	await expect(startHost({ database: url, env: { MASTER_KEY_FILE: other } })).rejects.toThrow(
		/is not this database's. Copy the file/,
	)
	const fits = await startHost({ database: url, env: { MASTER_KEY_FILE: join(first.dataDir, 'master.key') } })
	await Promise.all([first.close(), fits.close()])
	await dropDatabase(url)
})

// Proves: start.launcher
test('the launcher takes no setting that is mistyped, and ends with 1', async () => {
	const mistyped = spawn(process.execPath, ['host/owner/cli/bin/berth.mjs', 'serve'], {
		env: { PATH: process.env.PATH, GUARD_JUGDE: 'builtin' },
		stdio: 'ignore',
	})
	expect(await once(mistyped, 'exit')).toEqual([1, null])
})

// How it hands settings and signals on: test/system/host/cli/host.test.ts.
test('a host does not outlive its launcher that is killed', async () => {
	const dataDir = mkdtempSync(join(tmpdir(), 'berth-launch-'))
	const url = await cloneTemplate()
	const launcher = spawn(process.execPath, ['host/owner/cli/bin/berth.mjs', 'serve'], {
		env: { PATH: process.env.PATH, PORT: '0', DATA_DIR: dataDir, DATABASE_URL: url },
		stdio: ['ignore', 'pipe', 'inherit'],
	})
	let said = ''
	launcher.stdout.on('data', (chunk) => {
		said += chunk
	})
	await expect.poll(() => said).toContain('Berth is ready')
	const pid = Number(/"pid":(\d+)/.exec(said)?.[1])
	launcher.kill('SIGKILL')
	try {
		await expect.poll(() => lives(pid)).toBe(false)
	} finally {
		if (lives(pid)) process.kill(pid, 'SIGKILL')
	}
	rmSync(dataDir, { recursive: true, force: true })
	await dropDatabase(url)
})

// Proves: journal.lease
test('a host holds a lease while it runs and gives it back when it stops', async () => {
	const url = await cloneTemplate()
	const sql = postgres({ ...parseDatabaseUrl(url), max: 1 })
	const host = await startHost({ database: url, env: { HOST_LEASE_SECONDS: '1' } })
	const lease = async () => {
		const [row] = await sql<{ until: Date; left: number }[]>`
			select lease_until as until, extract(epoch from lease_until - now())::float8 as left from hosts`
		return row && { until: row.until.getTime(), left: row.left }
	}
	const before = await lease()
	await expect.poll(async () => (await lease())?.until).toBeGreaterThan(before?.until ?? 0)
	await expect.poll(async () => (await lease())?.left).toBeGreaterThan(0)
	await host.close()
	expect(await lease()).toBeUndefined()
	await sql.end()
	await dropDatabase(url)
})
