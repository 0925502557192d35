import { fileURLToPath } from 'node:url'
import { afterEach, expect, test, vi } from 'vitest'
import { openRuntime, type Runtime, type RuntimeOptions } from '../../../../runtime/supervisor/start.ts'
import { fakeBudgets } from '../../../kit/engine/fake-budgets.ts'
import { fakeFiles } from '../../../kit/engine/fake-files.ts'
import { fakeMemory } from '../../../kit/engine/fake-memory.ts'

// The host's handle on its runtime, against a small program that behaves as each test needs.

const entry = fileURLToPath(new URL('./fixture.mjs', import.meta.url))
const started: Runtime[] = []
afterEach(async () => {
	await Promise.all(started.splice(0).map((handle) => handle.close(0)))
})

async function start(how: string, options: Partial<RuntimeOptions> = {}) {
	const handle = openRuntime({ entry, ...options })
	started.push(handle)
	await handle.start(
		{
			masterKeyFile: how,
			mayGenerate: true,
			egressAllow: [],
			providerTimeoutMs: 60_000,
			dataDir: '.',
			warmSpares: 0,
			idleStopMs: 1000,
		},
		{
			calls: {
				'bundle.get': () => new Uint8Array(),
				'run.commit': () => ({}),
				'run.end': () => ({}),
				...fakeMemory(),
				'approval.get': () => ({ decision: null }),
				...fakeBudgets(),
				...fakeFiles().calls,
				'credential.lease': () => ({ status: 'gone' as const }),
				'credential.store': () => ({ credential: null }),
				'credential.release': () => ({ credential: null }),
				'tools.lock': () => ({ locks: {} }),
			},
			notes: {
				'credential.state': () => undefined,
				'run.left': () => undefined,
				'sealing_key.unreadable': () => undefined,
				log: () => undefined,
			},
		},
	)
	return handle
}
const gone = (pid: number) => {
	try {
		process.kill(pid, 0)
		return false
	} catch {
		return true
	}
}
const told = (handle: Runtime) => JSON.parse(handle.layers()[0] as string)

// Proves: credential.empty-environment
test('the runtime is started with an empty environment', async () => {
	vi.stubEnv('BERTH_TEST_MARK', 'marked')
	const handle = await start('works')
	expect(told(handle)).toEqual({ env: [], mayGenerate: true })
	expect(await handle.call('stats', {})).toEqual({ runs: 0, sandboxes: [] })
})

test('a start is refused with the code of the runtime, and leaves no process', async () => {
	await expect(start('refuses')).rejects.toMatchObject({
		code: 'master_key_missing',
		message: 'copy the file',
	})
})

test('a start is refused at once when the process dies before it is ready', async () => {
	await expect(start('dies at start')).rejects.toMatchObject({
		code: 'runtime_exited',
		message: expect.stringContaining('exit code 3'),
	})
})

// Proves: credential.master-key-missing, sandbox.runtime-restarted
test('a runtime that is killed is replaced, its host told, and never allowed to make a new master key', async () => {
	const handle = await start('works')
	const [pid, restarted] = [handle.pid() as number, vi.fn()]
	handle.onRestart(restarted)
	process.kill(pid, 'SIGKILL')
	await expect.poll(() => handle.pid()).toBeUndefined()
	await expect(handle.call('stats', {})).rejects.toMatchObject({ code: 'closed' })
	handle.notify('run.go', { run: 'run_1' })
	await expect.poll(() => restarted).toHaveBeenCalledTimes(1)
	expect(handle.pid()).not.toBe(pid)
	expect(told(handle).mayGenerate).toBe(false)
	expect(await handle.call('stats', {})).toEqual({ runs: 0, sandboxes: [] })
})

test('a call that is under way when the runtime dies is rejected', async () => {
	const handle = await start('hangs')
	const call = handle.call('shutdown', { graceMs: 0, toolsMs: 0 })
	process.kill(handle.pid() as number, 'SIGKILL')
	await expect(call).rejects.toMatchObject({ code: 'closed' })
})

test('a runtime that breaks the protocol is killed', async () => {
	const exits: string[] = []
	const handle = await start('breaks the protocol', { onExit: (how) => exits.push(how) })
	await expect.poll(() => exits).toContain('signal SIGKILL')
	await handle.close(0)
})

// Proves: sandbox.runtime-restarted
test('restarts wait longer each time and are given up in the end', async () => {
	const [exits, gaveUp]: [number[], Error[]] = [[], []]
	await start('dies after start', {
		onExit: () => exits.push(performance.now()),
		onGiveUp: (error) => gaveUp.push(error),
	})
	await expect.poll(() => gaveUp).toHaveLength(1)
	const waits = exits.slice(1).map((at, i) => at - (exits[i] as number))
	expect(waits).toHaveLength(6)
	expect(waits.at(-1)).toBeGreaterThan(3000)
	expect(gaveUp[0]?.message).toMatch(/exit code 4/)
})

test('close waits for the process, kills one that hangs, and may be called twice', async () => {
	const handle = await start('works')
	const pid = handle.pid() as number
	await Promise.all([handle.close(0), handle.close(0)])
	expect(gone(pid)).toBe(true)
	expect(handle.pid()).toBeUndefined()
})
