/** A process never serves two deployments, every start has a stop, and a crash costs only its own run. */
import { afterEach, expect, test, vi } from 'vitest'
import type { Sandboxes } from '../../../../runtime/process/sandboxes/index.ts'
import { isAlive, openSandboxes, runGuest, startGuest, text } from '../../../kit/guests.ts'

let sandboxes: Sandboxes
const open = async (options: Parameters<typeof openSandboxes>[0] = {}) => {
	sandboxes = await openSandboxes(options)
	return sandboxes
}
afterEach(async () => {
	const pids = sandboxes.stats().map(({ pid }) => pid)
	await sandboxes.close()
	await sandboxes.close()
	expect(sandboxes.stats()).toEqual([])
	expect(pids.filter(isAlive)).toEqual([])
})

const asks = { program: 'return (await ctx.model("a")).text' }
const fine = { ok: true, output: '"fine"' }
const never = () => undefined
const pidOf = (deployment: string) => sandboxes.stats().find((one) => one.deployment === deployment)?.pid

// Proves: sandbox.process-per-deployment
test('a deployment gets a spare, keeps its process between runs, and shares it with no other', async () => {
	await open({ warmSpares: 1 })
	const [spare] = sandboxes.stats()
	await runGuest(sandboxes, { ...asks, deployment: 'dep_a' })
	expect(pidOf('dep_a')).toBe(spare!.pid)
	await runGuest(sandboxes, { ...asks, deployment: 'dep_b' })
	await runGuest(sandboxes, { ...asks, deployment: 'dep_a' })
	expect(pidOf('dep_a')).toBe(spare!.pid)
	expect(pidOf('dep_b')).not.toBe(spare!.pid)
	await expect.poll(() => sandboxes.stats().filter(({ deployment }) => deployment === null)).toHaveLength(1)
})

test('a run starts without any spare', async () => {
	await open({ warmSpares: 0 })
	expect((await runGuest(sandboxes, { ...asks, deployment: 'dep_a' })).end).toEqual(fine)
	expect(sandboxes.stats()).toHaveLength(1)
	expect((await runGuest(sandboxes, { ...asks, deployment: 'dep_b' })).end).toEqual(fine)
})

test('the process that showed what the machine allows serves the first deployment, or is stopped when none comes', async () => {
	await open({ warmSpares: 0 })
	const [first] = sandboxes.stats()
	await runGuest(sandboxes, { ...asks, deployment: 'dep_a' })
	expect(sandboxes.stats()).toEqual([{ deployment: 'dep_a', pid: first!.pid }])
	await sandboxes.close()
	await open({ warmSpares: 0, idleStopMs: 100 })
	await expect.poll(() => sandboxes.stats()).toEqual([])
})

// Proves: sandbox.idle-stopped
test('an idle process is stopped', async () => {
	await open({ warmSpares: 0, idleStopMs: 100 })
	await runGuest(sandboxes, asks)
	await expect.poll(() => sandboxes.stats()).toEqual([])
	expect((await runGuest(sandboxes, asks)).end).toEqual(fine)
})

// Proves: sandbox.many-waiting
test('two hundred runs of one deployment that wait on models go on together', async () => {
	await open({ warmSpares: 2 })
	const slow = Array.from({ length: 200 }, () => startGuest(sandboxes, asks, never))
	await expect.poll(() => slow.every(({ sent }) => sent.length === 1)).toBe(true)
	for (const { run } of slow) run.deliver(1, true, JSON.stringify(text('late')), Date.now())
	const outputs = await Promise.all(slow.map(async ({ done }) => (await done).output))
	expect(new Set(outputs)).toEqual(new Set(['late']))
})

// Proves: sandbox.many-waiting
test('a run past all limits of concurrency waits for its turn', async () => {
	await open({ warmSpares: 1, maxProcesses: 1 })
	const first = Array.from({ length: 100 }, () => startGuest(sandboxes, asks, never))
	const next = startGuest(sandboxes, asks, never)
	const other = startGuest(sandboxes, { ...asks, deployment: 'dep_other' }, never)
	await expect.poll(() => first.every(({ sent }) => sent.length === 1)).toBe(true)
	expect([next.sent, other.sent]).toEqual([[], []])
	for (const { run } of first) run.stop()
	await expect.poll(() => next.sent).toHaveLength(1)
	next.run.stop()
	// The only process goes from the deployment that is idle now to the one that waits.
	await vi.waitFor(() => {
		startGuest(sandboxes, { ...asks, deployment: 'dep_other' }, never).run.stop()
		expect(other.sent).toHaveLength(1)
	}, 30_000)
	other.run.stop()
})

// Proves: sandbox.killed-alone
test('runs of a process that is killed from outside are lost, and those of others are not', async () => {
	await open()
	const lost = [1, 2].map(() => startGuest(sandboxes, asks, never))
	const other = startGuest(sandboxes, { ...asks, deployment: 'dep_other' }, never)
	await expect.poll(() => [...lost, other].every(({ sent }) => sent.length === 1)).toBe(true)
	process.kill(pidOf('dep_test')!, 'SIGKILL')
	for (const { done } of lost) expect((await done).end).toMatchObject({ ok: false, code: 'sandbox_lost' })
	other.run.deliver(1, true, JSON.stringify(text('here')), Date.now())
	expect((await other.done).output).toBe('here')
	expect((await runGuest(sandboxes, asks)).end).toEqual(fine)
})

// Proves: sandbox.killed-alone
test('a run that takes its process down gets its code, and its neighbours there are lost', async () => {
	await open()
	const beside = startGuest(sandboxes, asks, never)
	await expect.poll(() => beside.sent).toHaveLength(1)
	const program = 'Promise.reject({ get message() { for (;;); } })'
	const { end } = await runGuest(sandboxes, { program, cpuMs: 100 })
	expect(end).toMatchObject({ ok: false, code: 'cpu_limit_reached' })
	expect((await beside.done).end).toMatchObject({ ok: false, code: 'sandbox_lost' })
})

test('a stopped run ends its loop, and is heard of no more', async () => {
	await open()
	const looping = startGuest(sandboxes, { program: 'ctx.log("info", "on"); for (;;);', cpuMs: 60_000 })
	const ended = vi.fn()
	void looping.done.then(ended)
	await expect.poll(() => pidOf('dep_test')).toBeDefined()
	const pid = pidOf('dep_test')!
	looping.run.stop()
	looping.run.stop()
	looping.run.deliver(1, true, '{}', Date.now())
	await expect.poll(() => isAlive(pid)).toBe(false)
	expect(ended).not.toHaveBeenCalled()
	expect((await runGuest(sandboxes, asks)).end).toEqual(fine)
})

// Proves: sandbox.idle-stopped
test('a dropped deployment loses its runs and its process, and can begin anew', async () => {
	await open()
	const { done, sent } = startGuest(sandboxes, asks, never)
	await expect.poll(() => sent).toHaveLength(1)
	const pid = pidOf('dep_test')!
	await sandboxes.drop('dep_test')
	expect(isAlive(pid)).toBe(false)
	expect((await done).end).toMatchObject({ code: 'sandbox_lost' })
	expect((await runGuest(sandboxes, asks)).end).toEqual(fine)
})
