/** Architecture, "sandbox": own user, mount and network namespace where the machine allows it, and which layers hold. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test, vi } from 'vitest'
import { type Launcher, launchers } from '../../../runtime/sandbox/launch/index.ts'
import { startProcess } from '../../../runtime/sandbox/process.ts'
import { distDir, isAlive, openSandboxes, runGuest } from './guests.ts'

const all = launchers({ distDir, dataDir: '/nonexistent' })
const names = all.map(({ name }) => name)

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
		const allowed = !launcher.name.startsWith('namespaces') || (await works(launcher))
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

test('starting fails with the reasons when no way works', async () => {
	const broken = { ...all[0]!, name: 'broken', file: 'sh', args: ['-c', 'exit 3'] }
	await expect(openSandboxes({ launchers: [broken] })).rejects.toThrow(
		'No sandbox can be started on this machine: (broken: ended with 3)',
	)
})

test('code that escaped into Node sees no files, network, processes or environment when namespaces hold', async () => {
	const dataDir = mkdtempSync(join(tmpdir(), 'berth-data-'))
	const fixture = fileURLToPath(new URL('fixture', import.meta.url))
	const [strongest] = launchers({ distDir: fixture, dataDir })
	const holds = await works(all[0]!)
	if (!holds) {
		// Nothing to prove here but that the host says so.
		const sandboxes = await openSandboxes()
		expect(sandboxes.layers().join()).toContain('NOT its own file system')
		return sandboxes.close()
	}
	// Node's own permission model is left out: what is shown is what the kernel refuses.
	const args = strongest!.args.filter((arg) => arg !== '--permission' && !arg.startsWith('--allow-'))
	const escaped = await startProcess({ ...strongest!, args })
	const [seen] = await new Promise<[Record<string, unknown>]>((resolve) => {
		escaped.events = { onFrame: (frame) => resolve(frame as [Record<string, unknown>]), onExit: () => {} }
	})
	const { pid } = escaped
	await escaped.kill()
	rmSync(dataDir, { recursive: true })
	expect(isAlive(pid)).toBe(false)
	expect(seen).toEqual({
		env: { TZ: 'UTC' },
		uid: process.getuid?.() === 0 ? 65534 : 0,
		root: expect.not.arrayContaining(['etc', 'home', 'root', 'proc', 'tmp', 'var', 'dev', 'run']),
		passwd: 'ENOENT',
		processes: 'ENOENT',
		package: 'ENOENT',
		overwrites: 'EROFS',
		writes: 'EROFS',
		mounts: expect.toSatisfy((status) => status !== 0),
		unshares: expect.toSatisfy((status) => status !== 0),
		signals: 'ESRCH',
		interfaces: [],
	})
	expect(existsSync('/berth-was-here')).toBe(false)
})

test.each(names)(
	'no process outlives a runtime that is killed, even one in a loop, when started %s',
	async (name) => {
		const launcher = all.find((one) => one.name === name)!
		if (name.startsWith('namespaces') && !(await works(launcher))) return
		const file = fileURLToPath(new URL('fixture/runtime.ts', import.meta.url))
		const runtime = spawn(process.execPath, [file, name], { stdio: ['ignore', 'pipe', 'inherit'] })
		const [line] = (await once(runtime.stdout.setEncoding('utf8'), 'data')) as [string]
		const pids = JSON.parse(line) as number[]
		expect(pids.length).toBeGreaterThanOrEqual(3)
		expect(pids.every(isRunning)).toBe(true)
		runtime.kill('SIGKILL')
		await vi.waitFor(() => expect(pids.filter(isRunning)).toEqual([]), 5_000)
	},
)

/** Not merely waiting for a parent to take notice of its end. */
function isRunning(pid: number): boolean {
	return isAlive(pid) && !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'))
}
