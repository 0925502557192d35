/**
 * Issue "an agent is deployed and answers", Show: whatever a guest does, its run ends with its code and within a bound,
 * a neighbour's runs end as on a calm day, and no process stays behind.
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Sandboxes } from '../../../../runtime/process/sandboxes/index.ts'
import {
	calls,
	type Guest,
	isAlive,
	openSandboxes,
	runGuest,
	type Sent,
	startGuest,
	text,
} from '../../../kit/guests.ts'

type Code = 'ok' | 'agent_error' | 'cpu_limit_reached' | 'memory_limit_reached'

const CPU_MS = 100

const loops: Record<string, string> = {
	'loops at once': 'for (;;);',
	'loops in the continuation of an effect': 'await ctx.model("a"); for (;;);',
	'loops through promises': 'for (;;) await 0',
	'loops through then':
		'const again = () => void Promise.resolve().then(again); again(); await new Promise(() => {})',
	'loops through queueMicrotask':
		'const again = () => queueMicrotask(again); again(); await new Promise(() => {})',
	'loops in a catastrophic regular expression': '/^(a+)+$/.test("a".repeat(40) + "b")',
	'loops in a sort comparator': 'Array.from({ length: 9 }, (_, i) => i).sort(() => { for (;;); })',
	'loops in the description of what it throws': 'throw { get why() { for (;;); } }',
	'loops in the members of what it logs': 'console.log(new Map([[1, { get why() { for (;;); } }]]))',
	'loops in the message getter of an error it throws':
		'const e = new Error("x"); Object.defineProperty(e, "message", { get() { for (;;); } }); throw e',
	'loops in a proxy it throws':
		'const trap = () => { for (;;); }; throw new Proxy({}, { get: trap, getPrototypeOf: trap, has: trap, ownKeys: trap })',
	'loops in a rejection that nothing handles':
		'Promise.reject({ get message() { for (;;); }, get stack() { for (;;); } }); await ctx.model("a")',
	'loops in toJSON of its output': 'return { toJSON() { for (;;); } }',
	'loops in toJSON of an argument': 'await ctx.tools.call("t", { toJSON() { for (;;); } })',
	'loops in a then of its output': 'return { then() { for (;;); } }',
	'loops in prepareStackTrace': 'Error.prepareStackTrace = () => { for (;;); }; return new Error("x").stack',
	'loops in a symbol that its tools are read by':
		'Object.defineProperty(Object.prototype, "then", { get() { for (;;); }, configurable: true }); await ctx.model("a")',
	'multiplies numbers without end': 'let x = 3n ** 100000n; for (;;) x = x * x % (2n ** 3000000n)',
}

const hogs: Record<string, string> = {
	'grows its heap': 'const all = []; for (;;) all.push(new Array(1000).fill(all.length))',
	'grows its heap after an effect':
		'await ctx.model("a"); const all = []; for (;;) all.push({ all, text: String(all.length).repeat(100) })',
	'grows a map': 'const all = new Map(); for (let i = 0; ; i++) all.set(i, { i })',
	'catches the error of an allocation and goes on':
		'const all = []; for (;;) { try { for (;;) all.push(new Array(100000).fill(1)) } catch {} }',
	'makes many typed arrays': 'const all = []; for (;;) all.push(new Uint8Array(64 * 1024).fill(1))',
	'catches the refusal of a buffer and goes on':
		'const all = []; for (;;) { try { all.push(new Uint8Array(1024 * 1024).fill(1)) } catch { all.push({}) } }',
	'splits a string of many characters': '"x".repeat(2 ** 28).split("").join()',
	'spreads a long string': '[...".".repeat(5e8)]',
	'fills a huge array': 'const all = []; for (;;) all.push(new Array(6e7).fill(0))',
	'makes many formatters, whose memory is not V8’s':
		'const all = []; for (;;) all.push(new Intl.DateTimeFormat("de"))',
	'blows up a number': 'let x = 10n; const all = []; for (;;) { x = x * x; all.push(x.toString()) }',
	'joins strings without end':
		'let s = "x"; const all = []; for (;;) { s += s; all.push(s.slice(1) + "y"); s = s.slice(0, 2 ** 20); all.push([...s]) }',
}

describe('a guest', () => {
	let sandboxes: Sandboxes
	const pids = new Set<number>()

	beforeAll(async () => {
		sandboxes = await openSandboxes({ warmSpares: 2 })
	})
	afterAll(async () => {
		for (const { pid } of sandboxes.stats()) pids.add(pid)
		await sandboxes.close()
		expect([...pids].filter(isAlive)).toEqual([])
	})

	/** One neighbour's run: effects, a tool, a result that depends on all of it. */
	const neighbour: Guest = {
		deployment: 'dep_neighbour',
		tools: '{ add: { description: "adds", input: {}, run: ({ a, b }) => a + b } }',
		program:
			'const { text } = await ctx.model("q"); const sum = await ctx.tools.call("add", { a: inputs.a, b: 2 }); return { text, sum: sum.structured, at: Date.now() }',
		inputs: { a: 40 },
	}

	async function attack(guest: Guest, expected: Code[]): Promise<void> {
		const calm = runGuest(sandboxes, neighbour)
		const attacker = runGuest(sandboxes, { deployment: 'dep_attacker', cpuMs: CPU_MS, ...guest })
		const beside = Array.from({ length: 3 }, () => runGuest(sandboxes, neighbour))
		for (const { pid } of sandboxes.stats()) pids.add(pid)
		const { end } = await attacker
		expect(expected).toContain(end.ok ? 'ok' : end.code)
		const { output } = await calm
		expect(output).toMatchObject({ text: 'fine', sum: 42 })
		for (const { output: other } of await Promise.all(beside)) expect(other).toEqual(output)
	}

	// Proves: sandbox.loops-cut
	test.each(Object.entries(loops))('ends with its code when it %s', async (_name, program) => {
		await attack({ program }, ['cpu_limit_reached'])
	})

	// Proves: sandbox.memory-cut
	test.each(Object.entries(hogs))('ends with its code when it %s', async (_name, program) => {
		await attack({ program, cpuMs: 1_000 }, ['memory_limit_reached', 'cpu_limit_reached', 'agent_error'])
	})

	// The run ends as memory_limit_reached, even where the program or the loop would live on with the error.
	// Proves: sandbox.memory-cut
	test.each([
		['buffers', 'all.push(new ArrayBuffer(1 << 20, { maxByteLength: 1 << 28 }))'],
		['views', 'all.push(new Uint8Array(1 << 20))'],
		['views of a class of its own', 'all.push(new (class extends Float64Array {})(1 << 17))'],
		['views of a prototype’s constructor', 'all.push(new (new Int8Array(1).constructor)(1 << 20))'],
		['views from lists', 'all.push(Uint16Array.of(...new Array(10_000).fill(1)))'],
		['copies of views', 'all.push(new Uint8Array(1 << 20).slice(), new Uint8Array(1 << 18).toReversed())'],
		[
			'copies of buffers',
			'all.push(new ArrayBuffer(1 << 20).slice(0), new ArrayBuffer(1).transfer(1 << 20))',
		],
	])('ends with its memory when a tool makes %s without end', async (_name, more) => {
		// More than it takes to fill the memory on a busy machine.
		const cpuMs = 20_000
		const endless = `const all = []; for (;;) ${more}`
		const caught = `const all = []; const more = () => { for (;;) ${more} }; try { more() } catch { all.length = 0 }; return 'fine'`
		for (const body of [endless, caught]) {
			const tools = `{ hog: { description: 'x', input: {}, run: async () => { ${body} } } }`
			const program = 'return ctx.tools.call("hog", {})'
			await attack({ tools, program, cpuMs }, ['memory_limit_reached'])
		}
		const tools = `{ hog: { description: 'x', input: {}, run: () => { ${endless} } } }`
		// By what it has seen: a run that gets no processor begins again.
		const model = ({ messages }: Sent['args']) =>
			(messages as unknown[]).length === 1 ? calls({ id: 'c1', name: 'hog', input: {} }) : text('done')
		const looped = await runGuest(sandboxes, { tools, cpuMs }, ({ method, args }) =>
			method === 'model' ? model(args) : method === 'tools.list' ? { tools: [] } : { run: true },
		)
		expect(looped.end).toMatchObject({ ok: false, code: 'memory_limit_reached' })
	})

	test('may go on after it asked for a buffer of an absurd length, and reuses what it gave back', async () => {
		const program = `
			const refused = [() => new ArrayBuffer(2 ** 40), () => new Uint8Array(2 ** 40), () => new Uint8Array(-1)]
				.map((make) => { try { make(); return 'made' } catch (error) { return error instanceof RangeError } })
			let sum = 0
			for (let i = 0; i < 200; i++) sum += new Uint8Array(1 << 20).length
			const a = Uint8Array.from([3, 1, 2])
			class Own extends Uint8Array {}
			return { refused, sum, sorted: [...a.toSorted()], own: new Own(2) instanceof Uint8Array,
				name: Uint8Array.name, view: new Uint8Array(a.buffer, 1, 2)[1], species: a.map((x) => x + 1).constructor === Uint8Array }`
		expect((await runGuest(sandboxes, { program })).output).toEqual({
			refused: [true, true, true],
			sum: 200 * 2 ** 20,
			sorted: [1, 2, 3],
			own: true,
			name: 'Uint8Array',
			view: 2,
			species: true,
		})
	})

	// Proves: sandbox.memory-cut
	test('cannot get memory that its limit does not count', async () => {
		const program = `
			const ways = [
				() => new ArrayBuffer(8, { maxByteLength: 900e6 }),
				() => new (class extends ArrayBuffer {})(8, { maxByteLength: 900e6 }),
				() => Reflect.construct(ArrayBuffer, [8, { maxByteLength: 900e6 }]),
				() => new (new Uint8Array(8).buffer.constructor)(8, { maxByteLength: 900e6 }),
				() => new (Object.getPrototypeOf(class extends ArrayBuffer {}))(8, { maxByteLength: 900e6 }),
				() => new ArrayBuffer[Symbol.species](8, { maxByteLength: 900e6 }),
				() => new ArrayBuffer(8).transfer(),
			]
			return ways.map((make) => { const b = make(); return [typeof b.resize, b.resizable ?? false, b.byteLength] })`
		const { output } = await runGuest(sandboxes, { program })
		expect(output).toEqual(Array.from({ length: 7 }, () => ['undefined', false, 8]))
	})

	// Proves: sandbox.no-host-handle
	test('finds no way to the host from its globals', async () => {
		const program = `
			const reached = []
			for (const [name, get] of Object.entries({
				require: () => require, process: () => process, module: () => module, Buffer: () => Buffer,
				fetch: () => fetch, setTimeout: () => setTimeout, WebAssembly: () => WebAssembly,
				SharedArrayBuffer: () => SharedArrayBuffer, Atomics: () => Atomics, WeakRef: () => WeakRef,
				FinalizationRegistry: () => FinalizationRegistry, entry: () => __entry, berth: () => __berth,
				throughConstructor: () => (() => {}).constructor.constructor('return process')(),
				throughContext: () => ctx.constructor.constructor('return process')(),
				throughModel: () => ctx.model.constructor('return typeof require === "undefined" ? undefined : require')(),
				throughError: () => { try { null.x } catch (e) { return e.constructor.constructor('return process')() } },
			})) {
				try { if ((await get()) !== undefined) reached.push(name) } catch {}
			}
			try { await import('node:fs'); reached.push('import') } catch {}
			return reached`
		expect((await runGuest(sandboxes, { program })).output).toEqual([])
	})

	// Proves: sandbox.frames-safe
	test.each(['Array', 'Object', 'String', 'Number', 'Boolean'])(
		'breaks neither its frames nor its process with a toJSON for every %s',
		async (name) => {
			const deployment = 'dep_poisoned'
			const poison = `${name}.prototype.toJSON = () => RESULT
				for (const text of ['a', 'b']) try { ctx.log('info', text) } catch {}
				await ctx.model('a').catch(() => {})
				return [1]`
			const waiting = startGuest(
				sandboxes,
				{ deployment, program: 'return (await ctx.model("a")).text' },
				() => undefined,
			)
			for (const result of ['undefined', `'"],[9,"'`, '[0, "ok", "1"]', '({ toString: () => "]" })']) {
				const { end } = await runGuest(sandboxes, { deployment, program: poison.replace('RESULT', result) })
				// A function has it, too: the value never ends, and is no JSON.
				const endless = name === 'Object' && result.startsWith('({')
				expect(end).toMatchObject(endless ? { ok: false, code: 'agent_error' } : { ok: true })
			}
			waiting.run.deliver(1, true, JSON.stringify(text('unharmed')), Date.now())
			expect((await waiting.done).output).toBe('unharmed')
			expect(sandboxes.stats().filter((one) => one.deployment === deployment)).toHaveLength(1)
		},
	)

	// Proves: sandbox.frames-safe
	test('cannot poison what its own run is bounded by', async () => {
		const poison = `
			const bad = () => { for (;;); }
			JSON.stringify = () => '1],[2,"model","{}"'; JSON.parse = () => ({ code: 'x' })
			Promise.prototype.then = () => new Promise(() => {})
			String.prototype.slice = Array.prototype.push = Map.prototype.get = Object.keys = bad
			Object.prototype.toJSON = () => 'poison'
			Array.prototype[Symbol.iterator] = function* () { yield 'drain' }`
		for (const program of [
			`${poison}; return 1`,
			`const r = await ctx.model("a"); ${poison}; await ctx.model("b"); return r.text`,
		]) {
			await attack({ program }, ['ok', 'agent_error', 'cpu_limit_reached'])
		}
	})

	// Proves: sandbox.floods-cut
	test('is cut off when it floods effects, logs or large arguments', async () => {
		const floods = [
			'for (;;) ctx.model("a")',
			'for (;;) ctx.log("info", "x".repeat(10000))',
			'const big = "x".repeat(3e6); for (;;) ctx.memory.write("a", big)',
			'await Promise.all(Array.from({ length: 5000 }, () => ctx.model("a"))); for (;;);',
			'await ctx.memory.write("a", "x".repeat(5e6))',
		]
		for (const program of floods) {
			const { end, sent } = await runGuest(
				sandboxes,
				{ deployment: 'dep_attacker', program, cpuMs: CPU_MS, memoryMb: 128 },
				() => undefined,
			)
			expect(end).toMatchObject({ ok: false })
			expect(sent.length).toBeLessThanOrEqual(10_000)
			expect(sent.filter(({ method }) => method !== 'log').length).toBeLessThanOrEqual(1_001)
			expect(sent.filter(({ method }) => method === 'log').length).toBeLessThanOrEqual(1_000)
		}
	})

	test('is cut off when it waits for something that never comes', async () => {
		const { end } = await runGuest(sandboxes, { program: 'await new Promise(() => {})' })
		expect(end).toMatchObject({
			ok: false,
			code: 'agent_error',
			message: expect.stringContaining('never come'),
		})
	})

	test('fails alone when it overflows its stack or throws what cannot be read', async () => {
		for (const program of [
			'const f = () => f() + 1; f()',
			'throw Object.create(null)',
			'throw undefined',
			'throw new Proxy(new Error(), { get() { throw 1 }, getPrototypeOf() { throw 2 } })',
			'return { toJSON() { throw new Error("no") } }',
			'return 10n',
		]) {
			const { end } = await runGuest(sandboxes, { program })
			expect(end.ok ? 'ok' : end.code).toMatch(/ok|agent_error/)
		}
	})
})
