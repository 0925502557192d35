/**
 * A process that breaks costs the run that executed: it ends, and the others are run again without counting it. A guest program of
 * the test's own sends whatever the inputs say, as a program would that has taken over the guest's side.
 */
import { cpSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Sandboxes } from '../../../../runtime/process/sandboxes/index.ts'
import { cpuMs } from '../../../../runtime/process/sandboxes/usage.ts'
import { distDir, openSandboxes, startGuest } from '../../../kit/guests.ts'

const PRELUDE = `
	let sends = ''
	globalThis.__berth = { tools() {}, agent() {} }
	globalThis.__entry = (name, ...args) => {
		if (name === 'begin') sends = JSON.parse(args[1]).sends ?? '[1,"model","{}"]'
		if (name === 'go' && sends === 'loop') for (;;);
		if (name === 'deliver') sends = '![0,"ok","1"]'
		if (name !== 'drain') return ''
		const text = sends
		sends = ''
		return text
	}`

// Beside the shipped one, so that it finds what that finds.
const dir = `${distDir}.${process.pid}-blame`
let sandboxes: Sandboxes

beforeAll(async () => {
	for (const part of ['sandbox.mjs', 'chunks'])
		cpSync(join(distDir, part), join(dir, part), { recursive: true })
	writeFileSync(join(dir, 'prelude.js'), PRELUDE)
	sandboxes = await openSandboxes({ distDir: dir })
})
afterAll(async () => {
	await sandboxes.close()
	rmSync(dir, { recursive: true })
})

const never = () => undefined
const guest = (sends?: string) =>
	startGuest(sandboxes, { inputs: { sends }, cpuMs: 60_000, alone: true }, never)
const pid = () => sandboxes.stats().find(({ deployment }) => deployment === 'dep_test')?.pid as number

async function twoThatWait() {
	const waiting = [guest(), guest()]
	await expect.poll(() => waiting.every(({ sent }) => sent.length === 1)).toBe(true)
	return waiting
}
const lost = (blameless: boolean) => ({ ok: false, code: 'sandbox_lost', blameless })

// Proves: sandbox.forged-frames
test.each(['[1,"log"', '[1,"log","{}"]]', '],[', '1]\n[2', '\u0000', 'undefined,'])(
	'a frame with %j in it is the fault of the run it was about',
	async (sends) => {
		const waiting = await twoThatWait()
		const { done } = guest(sends)
		expect((await done).end).toMatchObject({ ok: false, code: 'agent_error' })
		const unharmed = sends.includes('\n')
		for (const { run } of unharmed ? waiting : []) run.deliver(1, true, '{}', Date.now())
		for (const { done } of waiting)
			expect((await done).end).toMatchObject(unharmed ? { ok: true } : lost(true))
	},
)

// Proves: sandbox.blame
test('an unexpected exit counts for the run that executed, and for no other', async () => {
	const waiting = await twoThatWait()
	const executing = guest('loop')
	const queued = guest()
	const before = cpuMs(pid())!
	await expect.poll(() => cpuMs(pid())).toBeGreaterThan(before + 50)
	process.kill(pid(), 'SIGKILL')
	expect((await executing.done).end).toMatchObject(lost(false))
	for (const { done } of [...waiting, queued]) expect((await done).end).toMatchObject(lost(true))
})

// Proves: sandbox.blame
test('a stopped run that does not end counts for no other', async () => {
	const waiting = await twoThatWait()
	guest('loop').run.stop()
	for (const { done } of waiting) expect((await done).end).toMatchObject(lost(true))
})

// Proves: sandbox.blame
test('a process that is killed while its runs wait counts for none of them', async () => {
	const waiting = await twoThatWait()
	process.kill(pid(), 'SIGKILL')
	for (const { done } of waiting) expect((await done).end).toMatchObject(lost(true))
})

// Proves: sandbox.forged-frames
test('a program that has taken over its side cannot forge the numbers of its effects', async () => {
	for (const n of ['2', '-1', '1.5', '"1"', 'null', '1e9', '"]"', '[1]']) {
		const { done, sent } = guest(`[${n},"model","{}"]`)
		expect((await done).end).toMatchObject({ ok: false, code: 'agent_error' })
		expect(sent).toEqual([])
	}
})
