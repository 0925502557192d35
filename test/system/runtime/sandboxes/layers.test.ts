/** Own user, mount and network namespace where the machine allows it, and which layers hold. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { FIRST_UID, type Launcher, launchers } from '../../../../runtime/process/sandboxes/launch/index.ts'
import { startProcess } from '../../../../runtime/process/sandboxes/process.ts'
import { distDir, isAlive, openSandboxes, runGuest } from '../../../kit/guests.ts'

const all = launchers({ distDir, dataDir: '/nonexistent' })
const names = all.map(({ name }) => name)

const needsMachine = (name: string) => /^(bwrap|namespaces) /.test(name)

/** Whether this machine lets a process have namespaces is the machine's; where it does not, the others are what holds. */
async function works(launcher: Launcher): Promise<boolean> {
	try {
		await (await startProcess(launcher)).kill()
		return true
	} catch {
		return false
	}
}

test.each(all.map((launcher) => [launcher.name, launcher] as const))(
	'a run executes the same when started %s',
	async (_name, launcher) => {
		const allowed = !needsMachine(launcher.name) || (await works(launcher))
		const sandboxes = await openSandboxes({ launchers: allowed ? [launcher] : all })
		const { output } = await runGuest(sandboxes, {
			program: 'return [(await ctx.model("a")).text, Date.now(), Math.random()]',
		})
		expect(output).toMatchObject(['fine', expect.any(Number), expect.any(Number)])
		const pids = sandboxes.stats().map(({ pid }) => pid)
		for (const pid of pids) {
			expect(readFileSync(`/proc/${pid}/oom_score_adj`, 'utf8')).toBe('1000\n')
			expect(readFileSync(`/proc/${pid}/limits`, 'utf8')).toMatch(/^Max core file size +0 +0 /m)
		}
		await sandboxes.close()
		expect(pids.filter(isAlive)).toEqual([])
	},
)

// Proves: sandbox.weaker-layers-named
test('a weaker way is taken and named when the stronger ones do not work', async () => {
	const broken = {
		...all[0]!,
		name: 'broken',
		file: 'sh',
		args: ['-c', 'echo "unshare: not permitted" >&2; exit 1'],
	}
	const missing = { ...all[0]!, name: 'missing', file: 'berth-no-such-command' }
	const sandboxes = await openSandboxes({ launchers: [broken, missing, all.at(-1)!] })
	const layers = sandboxes.layers().join('\n')
	await sandboxes.close()
	expect(layers).toContain('NOT its own file system')
	expect(layers).toContain('broken: ended with 1 unshare: not permitted')
	expect(layers).toContain('missing: spawn berth-no-such-command ENOENT')
})

// Proves: sandbox.weaker-layers-named
test('starting fails with the reasons when no way works', async () => {
	const broken = { ...all[0]!, name: 'broken', file: 'sh', args: ['-c', 'exit 3'] }
	await expect(openSandboxes({ launchers: [broken] })).rejects.toThrow(
		'No sandbox can be started on this machine: (broken: ended with 3)',
	)
})

// Proves: sandbox.escaped-code
test.each(names.filter(needsMachine))(
	'code that escaped into Node sees no files, network, processes or environment when started %s',
	async (name) => {
		const dataDir = mkdtempSync(join(tmpdir(), 'berth-data-'))
		const fixture = fileURLToPath(new URL('fixture', import.meta.url))
		const one = all.find((launcher) => launcher.name === name)!
		if (!(await works(one))) {
			// Nothing to prove here but that the host says so.
			const sandboxes = await openSandboxes({ launchers: [one, all.at(-1)!] })
			expect(sandboxes.layers().join()).toMatch(/NOT its own file system.*\((bwrap|namespaces) \(/)
			return sandboxes.close()
		}
		const launcher = launchers({ distDir: fixture, dataDir }).find((other) => other.name === name)!
		// Node's own permission model is left out: what is shown is what the kernel refuses.
		const args = launcher.args.filter((arg) => arg !== '--permission' && !arg.startsWith('--allow-'))
		const escaped = await startProcess({ ...launcher, args: [...args, String(process.pid)] })
		const [seen] = await new Promise<[Record<string, unknown>]>((resolve) => {
			escaped.events = { onFrame: (frame) => resolve(frame as [Record<string, unknown>]), onExit: () => {} }
		})
		const { pid } = escaped
		await escaped.kill()
		rmSync(dataDir, { recursive: true })
		expect(isAlive(pid)).toBe(false)
		expect(seen).toEqual({
			env: { TZ: 'UTC' },
			uid: expect.toSatisfy((uid) => uid >= FIRST_UID || (uid === 0 && !name.includes('root'))),
			root: expect.not.arrayContaining(['etc', 'home', 'root', 'proc', 'tmp', 'var', 'dev', 'run']),
			passwd: 'ENOENT',
			processes: 'ENOENT',
			package: 'ENOENT',
			overwrites: 'EROFS',
			writes: 'EROFS',
			mounts: expect.toSatisfy((status) => status !== 0),
			unshares: expect.toSatisfy((status) => status !== 0),
			signals: 'ESRCH',
			interfaces: name.startsWith('bwrap') ? 'ERR_SYSTEM_ERROR' : 'none',
		})
		expect(existsSync('/berth-was-here')).toBe(false)
	},
)

// Proves: sandbox.own-user
test('each sandbox has a user of its own where the host is root', async () => {
	const sandboxes = await openSandboxes({ warmSpares: 3 })
	await expect.poll(() => sandboxes.stats()).toHaveLength(3)
	const users = sandboxes.stats().map(({ pid }) => statSync(`/proc/${pid}`).uid)
	await sandboxes.close()
	const isRoot = process.getuid?.() === 0
	expect(new Set(users).size).toBe(isRoot ? 3 : 1)
	for (const uid of users) expect(uid >= FIRST_UID).toBe(isRoot)
})

// Proves: sandbox.ends-with-runtime
test.each(names)(
	'no process outlives a runtime that is killed, even one in a loop, when started %s',
	async (name) => {
		const launcher = all.find((one) => one.name === name)!
		if (needsMachine(name) && !(await works(launcher))) return
		const file = fileURLToPath(new URL('fixture/runtime.ts', import.meta.url))
		const runtime = spawn(process.execPath, [file, name], { stdio: ['ignore', 'pipe', 'inherit'] })
		const [line] = (await once(runtime.stdout.setEncoding('utf8'), 'data')) as [string]
		const pids = JSON.parse(line) as number[]
		expect(pids.length).toBeGreaterThanOrEqual(3)
		expect(pids.every(isRunning)).toBe(true)
		runtime.kill('SIGKILL')
		await expect.poll(() => pids.filter(isRunning)).toEqual([])
	},
)

/** Not merely waiting for a parent to take notice of its end. */
function isRunning(pid: number): boolean {
	return isAlive(pid) && !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'))
}
