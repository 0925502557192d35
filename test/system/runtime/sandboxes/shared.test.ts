/**
 * Runs of an agent without code share a context. Inputs and answers are made to reach other runs, or to break it; a guest
 * program of the test's own does what data cannot.
 */
import { cpSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import type IsolatedVm from 'isolated-vm'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import type { Sandboxes } from '../../../../runtime/process/sandboxes/index.ts'
import {
	type AnswerEffect,
	calls,
	distDir,
	type Guest,
	openSandboxes,
	runGuest,
	startGuest,
	text,
} from '../../../kit/guests.ts'
import { agent, hostile, hostileAnswers, SECRET, script } from '../../../kit/hostile.ts'

const ivm = createRequire(import.meta.url)('isolated-vm') as typeof IsolatedVm
let sandboxes: Sandboxes

beforeAll(async () => {
	sandboxes = await openSandboxes()
})
afterAll(() => sandboxes.close())

const neighbour: Guest = { agent, inputs: { name: 'Ann' } }
// Proves: sandbox.shared-context
test('crafted inputs and answers reach no run beside them', async () => {
	const byItself = await runGuest(sandboxes, { ...neighbour, alone: true }, script)
	expect(byItself.output).toEqual({ said: 'hello' })
	const attack = { agent, inputs: hostile }
	// Turns of both kinds alternate in one process, and later runs find what earlier ones left.
	const around = await Promise.all(
		Array.from({ length: 20 }, (_, n) =>
			n % 2 === 0 ? runGuest(sandboxes, attack, hostileAnswers) : runGuest(sandboxes, neighbour, script),
		),
	)
	for (const [n, ran] of around.entries()) {
		if (n % 2 === 0) expect(ran.output).toMatchObject({ said: SECRET })
		else expect(ran).toEqual(byItself)
	}
	const after = await runGuest(sandboxes, neighbour, script)
	expect(after).toEqual(byItself)
	expect(JSON.stringify(after)).not.toContain(SECRET)
	// What a run alone asks for is what it asks for in company: a journal of the one is replayed in the other.
	const hostileAlone = await runGuest(sandboxes, { ...attack, alone: true }, hostileAnswers)
	expect(around[0]).toEqual(hostileAlone)
})

// Proves: sandbox.shared-frozen
test('in a shared context nothing that runs have in common can be changed, and no text becomes code', () => {
	const snapshot = ivm.Isolate.createSnapshot([{ code: readFileSync(join(distDir, 'prelude.js'), 'utf8') }])
	const isolate = new ivm.Isolate({ snapshot })
	onTestFinished(() => isolate.dispose())
	const context = isolate.createContextSync()
	const json = JSON.stringify({ name: 'n', ...agent })
	const probe = `
		const entry = globalThis.__entry
		delete globalThis.__entry
		entry('open')
		const shared = entry('share', ${JSON.stringify(json)})
		const seen = new Set()
		const open = []
		const walk = (value, path) => {
			if ((typeof value !== 'object' && typeof value !== 'function') || value === null || seen.has(value)) return
			seen.add(value)
			if (!Object.isFrozen(value)) open.push(path)
			walk(Object.getPrototypeOf(value), path + '.__proto__')
			for (const key of Reflect.ownKeys(value)) {
				const { value: held, get, set } = Reflect.getOwnPropertyDescriptor(value, key)
				for (const one of [held, get, set]) walk(one, path + '.' + String(key))
			}
		}
		walk(globalThis, 'globalThis')
		for (const one of [async () => {}, function* () {}, [], /x/, new Map(), Promise.resolve(), ''[Symbol.iterator](), [].values(), new Map().values(), new Set().values(), ''.matchAll(/x/g)])
			walk(Object.getPrototypeOf(one), Object.prototype.toString.call(one))
		const compilers = [() => {}, async () => {}, function* () {}, async function* () {}]
			.map((one) => one.constructor)
			.filter((one) => typeof one === 'function' && one !== Object)
		JSON.stringify({ shared, open, seen: seen.size > 500, eval: typeof eval, compilers: compilers.length })`
	expect(JSON.parse(isolate.compileScriptSync(probe).runSync(context) as string)).toEqual({
		shared: 'shared',
		open: [],
		seen: true,
		eval: 'undefined',
		compilers: 0,
	})
})

// Proves: sandbox.shared-limits
test('a run that breaks the shared context ends with its limit, and its neighbours go on by themselves', async () => {
	const small = { agent: { prompt: '{{x}}'.repeat(12_800) }, memoryMb: 16 }
	const waiting = [1, 2, 3].map((n) =>
		startGuest(sandboxes, { ...small, inputs: { x: `${n}` } }, () => undefined),
	)
	await expect.poll(() => waiting.every(({ sent }) => sent.length === 1)).toBe(true)
	// A hundred megabytes, from eight thousand characters.
	const greedy = await runGuest(sandboxes, { ...small, inputs: { x: 'x'.repeat(8_000) } })
	expect(greedy.end).toMatchObject({ ok: false, code: 'memory_limit_reached' })
	for (const { run, done } of waiting) {
		// Where it took the process along, they have been told.
		run.deliver(1, true, JSON.stringify(text('well')), Date.now())
		expect((await done).end).toMatchObject({ code: 'sandbox_lost', blameless: true })
	}
	const next = await runGuest(sandboxes, { ...small, inputs: { x: 'y' } })
	expect(next.output).toBe('fine')
})

// Proves: sandbox.shared-limits
test('a run of unusual size or CPU time is given a context of its own', async () => {
	const big: AnswerEffect = ({ n }) =>
		n < 4 ? calls({ id: 'c', name: 't', input: { q: 'z'.repeat(200_000) } }) : text('{"said":"done"}')
	const once = startGuest(sandboxes, { agent, inputs: { name: 'A' } }, big)
	expect((await once.done).end).toMatchObject({ code: 'sandbox_lost', blameless: true, alone: true })
	const whole = await runGuest(sandboxes, { agent, inputs: { name: 'A' } }, big)
	expect(whole.output).toEqual({ said: 'done' })
	const long = await runGuest(sandboxes, { agent, inputs: { name: 'n'.repeat(1_000_000) } }, () =>
		text('{"said":"read"}'),
	)
	expect(long.output).toEqual({ said: 'read' })
	// Less than none: the kernel may count a turn as 0 ms.
	const spent = await runGuest(sandboxes, { agent: { prompt: 'Slow.' }, cpuMs: -1 })
	expect(spent.end).toMatchObject({ ok: false, code: 'cpu_limit_reached' })
})

const PRELUDE = `
	const runs = new Map()
	globalThis.__berth = { tools() {}, agent() {} }
	globalThis.__entry = (name, id, text) => {
		if (name === 'share') return 'shared'
		if (name === 'start') {
			const { does } = JSON.parse(text)
			if (does === 'loop') for (;;);
			if (does === 'throw') throw new Error('out')
			runs.set(id, does === 'frame' ? '[1,"model","{}"]]\\n[7,[0,"ok","1"]' : '[1,"model","{}"]')
		}
		if (name === 'answer') runs.set(id, '![0,"ok","1"]')
		if (name !== 'take') return does(name)
		const items = runs.get(id) ?? ''
		runs.set(id, '')
		return items
	}
	const does = (name) => (name === 'drain' ? '![0,"ok","2"]' : '')`

// Proves: sandbox.shared-limits
test('a turn that does not end, an error and a forged frame cost no neighbour its run', async () => {
	const dir = `${distDir}.${process.pid}-shared`
	for (const part of ['sandbox.mjs', 'chunks'])
		cpSync(join(distDir, part), join(dir, part), { recursive: true })
	onTestFinished(() => rmSync(dir, { recursive: true }))
	writeFileSync(join(dir, 'prelude.js'), PRELUDE)
	const own = await openSandboxes({ distDir: dir })
	onTestFinished(() => own.close())
	const never = () => undefined
	for (const does of ['loop', 'throw', 'frame']) {
		const waiting = startGuest(own, {}, never)
		await expect.poll(() => waiting.sent.length).toBe(1)
		const { end } = await startGuest(own, { inputs: { does } }, never).done
		expect(end).toMatchObject({ code: 'sandbox_lost', blameless: true, alone: true })
		waiting.run.deliver(1, true, '{}', Date.now())
		// A frame alone does not break the context: it is only not sent.
		const goesOn = does === 'frame' ? { ok: true } : { code: 'sandbox_lost', blameless: true, alone: true }
		expect((await waiting.done).end).toMatchObject(goesOn)
	}
	// The second time each has a context of its own.
	expect((await runGuest(own, { inputs: { does: 'loop' } })).end).toEqual({ ok: true, output: '2' })
})
