// D3 of the issue: the kernel bounds memory and threads of each sandbox process, where a cgroup can be written.
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, readdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterEach, expect, test } from 'vitest'
import { tryCgroups } from '../../../../runtime/process/sandboxes/cgroup/index.ts'
import { type CgroupFolders, findPlace } from '../../../../runtime/process/sandboxes/cgroup/place.ts'
import type { Sandboxes } from '../../../../runtime/process/sandboxes/index.ts'
import { openSandboxes, startGuest } from '../../../kit/guests.ts'

const [tried, lacking] = tryCgroups()
tried?.close()
const place: CgroupFolders = tried ? findPlace() : { version: 1, dirs: [], leave() {} }
const limitFile = place.version === 1 ? 'memory.limit_in_bytes' : 'memory.max'
const MB = 1024 * 1024

/** The directories of a process's cgroup, by the kernel's account of where it is. */
function dirsOf(pid: number): string[] {
	const paths = readFileSync(`/proc/${pid}/cgroup`, 'utf8')
	const name = /\/(berth-\d+-\d+-\d+)$/m.exec(paths)?.[1]
	expect(name, paths).toBeDefined()
	const dirs = place.dirs.map((dir) => join(dir, name!))
	for (const dir of dirs) expect(paths.split(name!).length - 1, dir).toBe(place.dirs.length)
	return dirs
}
const made = () =>
	place.dirs.flatMap((dir) => readdirSync(dir)).filter((name) => name.startsWith(`berth-${process.pid}-`))

let sandboxes: Sandboxes | undefined
afterEach(async () => {
	await sandboxes?.close()
	sandboxes = undefined
	if (!lacking) place.leave()
})

test('a machine where root can make cgroups has them', () => {
	const root = process.getuid?.() === 0
	const v1 = ['memory', 'pids'].every((one) => {
		const dir = `/sys/fs/cgroup/${one}/tried-by-hand-${process.pid}`
		return root && spawnSync('sh', ['-c', 'mkdir "$0" && rmdir "$0"', dir]).status === 0
	})
	if (v1) expect(lacking).toBeUndefined()
	if (!root) expect(lacking).toMatch(/\w/)
})

// Proves: sandbox.cgroup
test('each process has bounds of its own, and none is left when they are gone', async () => {
	sandboxes = await openSandboxes({ warmSpares: 2 })
	await expect.poll(() => sandboxes!.stats()).toHaveLength(2)
	if (lacking) return expect(sandboxes.layers().join()).toContain(`NOT a cgroup of its own (${lacking})`)
	expect(sandboxes.layers()).toContain('cgroup: bounds of memory and threads')
	const all = sandboxes.stats().map(({ pid }) => dirsOf(pid))
	expect(new Set(all.flat()).size).toBe(2 * place.dirs.length)
	for (const dirs of all) {
		expect(readFileSync(join(dirs[0]!, limitFile), 'utf8')).toBe(`${1_536 * MB}\n`)
		const threads = Number(readFileSync(join(dirs.at(-1)!, 'pids.max'), 'utf8'))
		const current = Number(readFileSync(join(dirs.at(-1)!, 'pids.current'), 'utf8'))
		expect(threads).toBeGreaterThan(3 * current)
		expect(threads).toBeLessThan(2_000)
	}
	await sandboxes.close()
	await expect.poll(() => made()).toEqual([])
})

// Proves: sandbox.cgroup
test('the bound grows with the runs of a process, and shrinks after them', async () => {
	sandboxes = await openSandboxes()
	if (lacking) return expect(sandboxes.layers().join()).toContain('NOT a cgroup')
	const runs = Array.from({ length: 8 }, () =>
		startGuest(sandboxes!, { program: 'await ctx.model("a")', memoryMb: 512 }, () => undefined),
	)
	await expect.poll(() => runs.at(-1)!.sent).toHaveLength(1)
	const { pid } = sandboxes.stats().find(({ deployment }) => deployment !== null)!
	const bound = () => Number(readFileSync(join(dirsOf(pid)[0]!, limitFile), 'utf8')) / MB
	expect(bound()).toBe(Math.ceil((768 + 3 * 8 * 512) / 512) * 512)
	for (const { run } of runs) run.stop()
	await expect.poll(() => bound()).toBe(1_024)
})

// Proves: sandbox.cgroup-kill
test('a run that the kernel stops for its memory ends with that, and its neighbours count nothing', async () => {
	sandboxes = await openSandboxes()
	if (lacking) return expect(sandboxes.layers().join()).toContain('NOT a cgroup')
	const program = `await ctx.model("a"); let all = []
		for (let i = 0; i < 200; i++) all.push(new Uint8Array(1024 * 1024).fill(1))
		return all.length`
	// CPU time that a machine which reclaims pages for a while does not use up: memory ends the run, not the clock.
	const guest = { program, memoryMb: 512, cpuMs: 30_000 }
	const waits = startGuest(sandboxes, guest, () => undefined)
	const greedy = startGuest(sandboxes, guest, () => undefined)
	await expect.poll(() => [waits.sent.length, greedy.sent.length]).toEqual([1, 1])
	const { pid } = sandboxes.stats().find(({ deployment }) => deployment !== null)!
	const [memory] = dirsOf(pid)
	const rssMb = Number(/^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))![1]) / 1024
	// Less than either V8 or the watch would stop.
	writeFileSync(join(memory!, limitFile), String(Math.ceil(rssMb + 60) * MB))
	greedy.run.deliver(
		1,
		true,
		JSON.stringify({ message: { role: 'assistant', content: 'go' }, stop: 'end' }),
		0,
	)
	expect((await greedy.done).end).toMatchObject({
		ok: false,
		code: 'memory_limit_reached',
		message: expect.stringMatching(/SIGKILL: out of memory\.$/),
	})
	expect((await waits.done).end).toMatchObject({ code: 'sandbox_lost', blameless: true })
})

test('what a killed runtime leaves behind is removed at the next start, and what a living one has is not', async () => {
	if (lacking) return expect(place.dirs).toEqual([])
	const file = fileURLToPath(new URL('fixture/runtime.ts', import.meta.url))
	const runtime = spawn(process.execPath, [file, 'guarded'], { stdio: ['ignore', 'pipe', 'inherit'] })
	await once(runtime.stdout, 'data')
	const left = () =>
		place.dirs.flatMap((dir) => readdirSync(dir)).filter((name) => name.startsWith(`berth-${runtime.pid}-`))
	const mine = place.dirs.map((dir) => join(dir, `berth-${process.pid}-1-1`))
	for (const dir of mine) mkdirSync(dir)
	sandboxes = await openSandboxes({ warmSpares: 0 })
	expect(left()).toHaveLength(3 * place.dirs.length)
	// Of an earlier process with this one's number.
	expect(mine.filter((dir) => existsSync(dir))).toEqual([])
	runtime.kill('SIGKILL')
	await once(runtime, 'exit')
	// Any runtime of this machine that starts from here on removes them, those of other tests, too.
	const next = await openSandboxes({ warmSpares: 0 })
	await expect.poll(() => left()).toEqual([])
	await next.close()
	for (const dir of mine) if (existsSync(dir)) rmdirSync(dir)
})
