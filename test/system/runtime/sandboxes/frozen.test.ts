/** A limit of CPU time counts CPU time: a process that stood still in the middle of a turn has not used any. */
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Sandboxes } from '../../../../runtime/process/sandboxes/index.ts'
import { cpuMs } from '../../../../runtime/process/sandboxes/usage.ts'
import { openSandboxes, runGuest, startGuest, text } from '../../../kit/guests.ts'

let sandboxes: Sandboxes
beforeAll(async () => {
	sandboxes = await openSandboxes()
})
afterAll(() => sandboxes.close())

const limitMs = 400
/** Longer than a turn may take by the clock, 1.5 times its CPU time. */
const frozenMs = 1_200
const pid = () => sandboxes.stats().find(({ deployment }) => deployment === 'dep_test')?.pid as number

/** Begins it, and lets its process stand still once it computes. */
async function frozen(program: string) {
	await runGuest(sandboxes, { program: 'return 1' })
	const before = cpuMs(pid()) as number
	const guest = startGuest(sandboxes, { program, cpuMs: limitMs })
	await expect.poll(() => cpuMs(pid())).toBeGreaterThan(before + 50)
	process.kill(pid(), 'SIGSTOP')
	await sleep(frozenMs)
	process.kill(pid(), 'SIGCONT')
	return (await guest.done).end
}

const starved = { ok: false, code: 'sandbox_lost', blameless: true, starved: true }
/** Well below its limit, on a machine that gives it a processor now and then. */
const computes = 'let x = 0; for (const end = 4e7; x < end;) x++; return x'

// Proves: sandbox.starved
test('a turn that was cut off before it had its time is to be run again, and costs no neighbour anything', async () => {
	const neighbour = startGuest(sandboxes, { program: 'return (await ctx.model("a")).text' }, () => undefined)
	await expect.poll(() => neighbour.sent).toHaveLength(1)
	expect(await frozen('for (;;);')).toMatchObject(starved)
	const process = pid()
	expect((await runGuest(sandboxes, { program: computes, cpuMs: limitMs, starved: 1 })).output).toBe(4e7)
	neighbour.run.deliver(1, true, JSON.stringify(text('fine')), Date.now())
	expect((await neighbour.done).end).toEqual({ ok: true, output: '"fine"' })
	expect(pid()).toBe(process)
})

// Proves: sandbox.starved
test('a program that would never end is found out when it is run again', async () => {
	expect(await frozen('for (;;);')).toMatchObject(starved)
	const { end } = await runGuest(sandboxes, { program: 'for (;;);', cpuMs: limitMs, starved: 1 })
	expect(end).toMatchObject({ ok: false, code: 'cpu_limit_reached' })
})

test('CPU time adds up over turns, and the time between them does not', async () => {
	const burn = 'while (x < 2e7) x++; x = 0;'
	const turns = `let x = 0; for (let i = 0; i < 500; i++) { ${burn} await ctx.model("a") }`
	const { end, sent } = await runGuest(sandboxes, { program: turns, cpuMs: limitMs })
	expect(end).toMatchObject({ ok: false, code: 'cpu_limit_reached' })
	expect(sent.length).toBeGreaterThan(1)
	const waits = startGuest(
		sandboxes,
		{ program: 'return (await ctx.model("a")).text', cpuMs: 50 },
		() => undefined,
	)
	await expect.poll(() => waits.sent).toHaveLength(1)
	await sleep(200)
	waits.run.deliver(1, true, JSON.stringify(text('fine')), Date.now())
	expect((await waits.done).end).toEqual({ ok: true, output: '"fine"' })
})
