/**
 * Deployments of agents without code share a process, each in an isolate of its own. Data is made to reach another
 * deployment, or to break the process; a guest program of the test's own does what data cannot.
 */
import { cpSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { commonOf } from '../../../../runtime/process/sandboxes/common.ts'
import type { Sandboxes } from '../../../../runtime/process/sandboxes/index.ts'
import { cpuMs } from '../../../../runtime/process/sandboxes/usage.ts'
import { distDir, type Guest, openSandboxes, runGuest, startGuest, text } from '../../../kit/guests.ts'
import { agent, hostile, hostileAnswers, SECRET, script } from '../../../kit/hostile.ts'

async function open(dir = distDir): Promise<Sandboxes> {
	const sandboxes = await openSandboxes({ distDir: dir, warmSpares: 1 })
	onTestFinished(() => sandboxes.close())
	return sandboxes
}

const never = () => undefined
const pidsOf = (sandboxes: Sandboxes, deployment: string) =>
	sandboxes.stats().flatMap((one) => (one.deployment === deployment ? [one.pid] : []))
const waits = async (sandboxes: Sandboxes, guest: Guest) => {
	const started = startGuest(sandboxes, guest, never)
	await expect.poll(() => started.sent.length).toBe(1)
	return started
}

// Proves: sandbox.common-process
test('crafted inputs and answers of one deployment reach no other in their process', async () => {
	const sandboxes = await open()
	const attack: Guest = { agent, inputs: hostile, deployment: 'dep_attacker' }
	const neighbour: Guest = { agent, inputs: { name: 'Ann' }, deployment: 'dep_neighbour' }
	const byItself = await runGuest(sandboxes, { ...neighbour, alone: true }, script)
	expect(byItself.output).toEqual({ said: 'hello' })
	const around = await Promise.all(
		Array.from({ length: 20 }, (_, n) =>
			n % 2 === 0 ? runGuest(sandboxes, attack, hostileAnswers) : runGuest(sandboxes, neighbour, script),
		),
	)
	for (const [n, ran] of around.entries()) {
		if (n % 2 === 0) expect(ran.output).toMatchObject({ said: SECRET })
		else expect(ran).toEqual(byItself)
	}
	expect(await runGuest(sandboxes, neighbour, script)).toEqual(byItself)
	expect(pidsOf(sandboxes, commonOf('acc_test'))).toHaveLength(1)
	expect(pidsOf(sandboxes, 'dep_attacker')).toEqual([])
})

// Proves: sandbox.process-per-deployment
test('code of an owner never executes in the process that deployments share', async () => {
	const sandboxes = await open()
	const common = await waits(sandboxes, { deployment: 'dep_a' })
	for (const guest of [{ program: 'return (await ctx.model("a")).text' }, { tools: '{}' }, { alone: true }]) {
		const run = await waits(sandboxes, { ...guest, deployment: 'dep_a' })
		expect(pidsOf(sandboxes, 'dep_a')).toHaveLength(1)
		run.run.stop()
	}
	process.kill(pidsOf(sandboxes, 'dep_a')[0] as number, 'SIGKILL')
	await expect.poll(() => pidsOf(sandboxes, 'dep_a')).toEqual([])
	common.run.deliver(1, true, JSON.stringify(text('here')), Date.now())
	expect((await common.done).output).toBe('here')
})

// Proves: sandbox.common-process
test('a deployment has a part of the common process, and goes on in its own beyond that', async () => {
	const sandboxes = await open()
	const many = Array.from({ length: 101 }, () => startGuest(sandboxes, { deployment: 'dep_a' }, never))
	await expect.poll(() => many.every(({ sent }) => sent.length === 1)).toBe(true)
	expect(pidsOf(sandboxes, 'dep_a')).toHaveLength(1)
	const other = await waits(sandboxes, { deployment: 'dep_b' })
	expect(pidsOf(sandboxes, 'dep_b')).toEqual([])
	for (const { run } of [...many, other]) run.stop()
	expect((await runGuest(sandboxes, { deployment: 'dep_b' })).output).toBe('fine')
})

// Proves: sandbox.common-process
test('a stopped deployment leaves nothing in the common process, and its neighbours go on', async () => {
	const sandboxes = await open()
	const [mine, other] = [
		await waits(sandboxes, { deployment: 'dep_a' }),
		await waits(sandboxes, { deployment: 'dep_b' }),
	]
	await sandboxes.drop('dep_a')
	expect((await mine.done).end).toMatchObject({ ok: false, code: 'sandbox_lost' })
	other.run.deliver(1, true, JSON.stringify(text('here')), Date.now())
	expect((await other.done).output).toBe('here')
	expect((await runGuest(sandboxes, { deployment: 'dep_a' })).output).toBe('fine')
	expect(pidsOf(sandboxes, commonOf('acc_test'))).toHaveLength(1)
})

/** Counts what its isolate has begun, and loops, breaks or waits as its inputs say. */
const PRELUDE = `
	const runs = new Map()
	let begun = 0
	globalThis.__berth = { tools() {}, agent() {} }
	globalThis.__entry = (name, id, text) => {
		if (name === 'share') return 'shared'
		if (name === 'start') {
			const { does } = JSON.parse(text)
			begun++
			if (does === 'loop') for (;;);
			runs.set(id, does === 'wait' ? '[1,"model","{}"]' : '![0,"ok","' + begun + '"]')
		}
		if (name === 'answer') runs.set(id, '![0,"ok","' + begun + '"]')
		if (name !== 'take') return name === 'drain' ? '![0,"ok","0"]' : ''
		const items = runs.get(id) ?? ''
		runs.set(id, '')
		return items
	}`

async function openWith(prelude: string): Promise<Sandboxes> {
	const dir = `${distDir}.${process.pid}-common`
	for (const part of ['sandbox.mjs', 'chunks'])
		cpSync(join(distDir, part), join(dir, part), { recursive: true })
	onTestFinished(() => rmSync(dir, { recursive: true }))
	writeFileSync(join(dir, 'prelude.js'), prelude)
	return open(dir)
}

// Proves: sandbox.common-process
test('two deployments of one agent do not share an isolate', async () => {
	const sandboxes = await openWith(PRELUDE)
	const begun = async (deployment: string) => (await startGuest(sandboxes, { deployment }, never).done).output
	expect([await begun('dep_a'), await begun('dep_a'), await begun('dep_b')]).toEqual([1, 2, 1])
	expect(pidsOf(sandboxes, commonOf('acc_test'))).toHaveLength(1)
	// Nor does a deployment find what it left before it was stopped.
	await sandboxes.drop('dep_a')
	expect(await begun('dep_a')).toBe(1)
})

// Proves: sandbox.common-limits
test('a deployment that breaks its isolate has a process of its own then, and its neighbours notice nothing', async () => {
	const sandboxes = await openWith(PRELUDE)
	const other = await waits(sandboxes, { deployment: 'dep_b', inputs: { does: 'wait' } })
	const { end } = await startGuest(sandboxes, { deployment: 'dep_a', inputs: { does: 'loop' } }, never).done
	expect(end).toMatchObject({ code: 'sandbox_lost', blameless: true, alone: true })
	expect((await startGuest(sandboxes, { deployment: 'dep_a' }, never).done).end).toMatchObject({ ok: true })
	expect(pidsOf(sandboxes, 'dep_a')).toHaveLength(1)
	other.run.deliver(1, true, '{}', Date.now())
	expect((await other.done).end).toMatchObject({ ok: true })
})

// Proves: sandbox.common-account
test('two accounts share no process, so that one cannot make the other wait', async () => {
	const sandboxes = await openWith(PRELUDE)
	const other = await waits(sandboxes, { deployment: 'dep_b', account: 'acc_b', inputs: { does: 'wait' } })
	const [pid] = pidsOf(sandboxes, commonOf('acc_b')) as [number]
	const loops = startGuest(sandboxes, { deployment: 'dep_a', inputs: { does: 'loop' } }, never)
	await expect.poll(() => pidsOf(sandboxes, commonOf('acc_test'))).toHaveLength(1)
	expect(pidsOf(sandboxes, commonOf('acc_test'))).not.toContain(pid)
	other.run.deliver(1, true, '{}', Date.now())
	expect((await other.done).end).toMatchObject({ ok: true })
	expect((await loops.done).end).toMatchObject({ alone: true })
})

/** One run of the common process waits while another executes in it. */
async function besideLoop(sandboxes: Sandboxes) {
	const other = await waits(sandboxes, { deployment: 'dep_b', inputs: { does: 'wait' } })
	const [pid] = pidsOf(sandboxes, commonOf('acc_test')) as [number]
	const before = cpuMs(pid) ?? 0
	const executing = startGuest(sandboxes, { deployment: 'dep_a', inputs: { does: 'loop' } }, never)
	await expect.poll(() => cpuMs(pid)).toBeGreaterThan(before + 50)
	return { other, executing, pid }
}

// Proves: sandbox.common-limits
test('a run that is stopped in the middle of a turn does not end its neighbours', async () => {
	const sandboxes = await openWith(PRELUDE)
	const { other, executing, pid } = await besideLoop(sandboxes)
	executing.run.stop()
	other.run.deliver(1, true, '{}', Date.now())
	expect((await other.done).end).toMatchObject({ ok: true })
	expect(pidsOf(sandboxes, commonOf('acc_test'))).toEqual([pid])
})

// Proves: sandbox.common-limits
test('a run during which the common process dies is run by itself, and the others count nothing', async () => {
	const sandboxes = await openWith(PRELUDE)
	const { other, executing, pid } = await besideLoop(sandboxes)
	process.kill(pid, 'SIGKILL')
	expect((await executing.done).end).toMatchObject({ code: 'sandbox_lost', blameless: true, alone: true })
	const { end } = await other.done
	expect(end).toMatchObject({ code: 'sandbox_lost', blameless: true })
	expect(end).not.toHaveProperty('alone')
	await waits(sandboxes, { deployment: 'dep_a', inputs: { does: 'wait' } })
	await waits(sandboxes, { deployment: 'dep_b', inputs: { does: 'wait' } })
	expect([pidsOf(sandboxes, 'dep_a').length, pidsOf(sandboxes, 'dep_b').length]).toEqual([1, 0])
})
