/** Inside the isolate: what a program and its tools are given, and that all of it is the same when run again. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Sandboxes } from '../../../../runtime/process/sandboxes/index.ts'
import { type Guest, openSandboxes, runGuest, START } from '../../../kit/guests.ts'

let sandboxes: Sandboxes
beforeAll(async () => {
	sandboxes = await openSandboxes()
})
afterAll(() => sandboxes.close())

const run = (guest: Guest) => runGuest(sandboxes, guest)

describe('the clock and the random source', () => {
	const program = `
		const draw = () => [Date.now(), new Date().toISOString(), performance.now(), Math.random(), crypto.randomUUID(),
			[...crypto.getRandomValues(new Uint8Array(4))], new Intl.DateTimeFormat('en', { timeStyle: 'long' }).format()]
		const first = draw()
		await ctx.model('a')
		return [first, draw()]`

	// Proves: program.deterministic
	test('stand at the newest delivery and come from the seed, so that a second run is equal', async () => {
		const one = await run({ program })
		const two = await run({ program })
		expect(one.output).toEqual(two.output)
		const [first, second] = one.output as unknown[][]
		expect(first!.slice(0, 3)).toEqual([START, new Date(START).toISOString(), 0])
		expect(first![6]).toMatch(/^3:04:05\sAM UTC$/)
		expect(second!.slice(0, 3)).toEqual([START + 1_000, new Date(START + 1_000).toISOString(), 1_000])
		expect(first![4]).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
	})

	// Proves: program.deterministic
	test('differ with another seed', async () => {
		const one = await run({ program: 'return Array.from({ length: 4 }, Math.random)' })
		const other = await run({
			program: 'return Array.from({ length: 4 }, Math.random)',
			seed: `${'0'.repeat(31)}1`,
		})
		expect(one.output).not.toEqual(other.output)
		for (const number of [...(one.output as number[]), ...(other.output as number[])])
			expect(number).toSatisfy((n) => n >= 0 && n < 1)
	})

	// Proves: program.time-zone
	test('tell nothing of the machine: time zone and locale are fixed', async () => {
		const program =
			'const { timeZone, locale } = Intl.DateTimeFormat().resolvedOptions(); return [timeZone, locale, new Date(0).getHours(), new Date(2026, 0, 1).toISOString(), Date().slice(0, 15)]'
		expect((await run({ program })).output).toEqual([
			'UTC',
			'en-US',
			0,
			'2026-01-01T00:00:00.000Z',
			'Fri Jan 02 2026',
		])
	})
})

describe('a context', () => {
	// Proves: sandbox.globals
	test('has no name on its globals that is not meant to be there', async () => {
		const { output } = await run({ program: 'return Object.getOwnPropertyNames(globalThis).sort()' })
		expect(output).toEqual(globals)
	})

	// Proves: sandbox.no-host-handle
	test('holds no handle of the host anywhere its globals lead to', async () => {
		const program = `
			const seen = new Set(), found = []
			const visit = (value, path) => {
				if ((typeof value !== 'object' && typeof value !== 'function') || value === null || seen.has(value)) return
				seen.add(value)
				const name = Object.prototype.toString.call(value) + ' ' + (typeof value.constructor === 'function' ? value.constructor.name : '')
				if (/\\b(Reference|ExternalCopy|Isolate|Callback|Dereference|NativeModule)\\b/.test(name)) found.push(path)
				for (const key of Reflect.ownKeys(value)) {
					const { value: inner, get, set } = Reflect.getOwnPropertyDescriptor(value, key)
					for (const one of [inner, get, set]) visit(one, path + '.' + String(key))
				}
				visit(Object.getPrototypeOf(value), path + '.__proto__')
			}
			visit(globalThis, 'globalThis'); visit(ctx, 'ctx'); visit(inputs, 'inputs')
			return { found, seen: seen.size }`
		const { output } = await run({ program })
		expect(output).toMatchObject({ found: [], seen: expect.toSatisfy((n) => n > 500) })
	})

	// Proves: sandbox.fresh-context
	test('is not one that an earlier run has changed', async () => {
		const program =
			'const before = [globalThis.left, Array.prototype.left]; globalThis.left = Array.prototype.left = inputs.n; return before'
		for (const n of [1, 2, 3]) expect((await run({ program, inputs: { n } })).output).toEqual([null, null])
	})

	test('has the small standard functions that programs expect', async () => {
		const program = `
			const copy = structuredClone({ d: new Date(5), m: new Map([[1, new Set([2])]]), b: new Uint8Array([1, 2]), n: [1, , 3] })
			const url = new URL('../x y?b=2&a=%C3%A9#h', 'https://U:p@Example.com:443/d/e/f')
			url.searchParams.append('c', 'ü ')
			return [copy.d.getTime(), copy.m.get(1).has(2), [...copy.b], copy.n.length, url.href, url.searchParams.get('a'), url.origin,
				[...new TextEncoder().encode('é🦊')], new TextDecoder().decode(new Uint8Array([0xc3, 0xa9, 0xff, 0xf0, 0x9f, 0xa6, 0x8a])),
				btoa('hello'), atob('aGVsbG8='), ctx.signal.aborted, await new Promise((r) => queueMicrotask(() => r('micro')))]`
		const { output } = await run({ program })
		expect(output).toEqual([
			...[
				5,
				true,
				[1, 2],
				3,
				'https://U:p@example.com/d/x%20y?b=2&a=%C3%A9&c=%C3%BC+#h',
				'é',
				'https://example.com',
			],
			...[[0xc3, 0xa9, 0xf0, 0x9f, 0xa6, 0x8a], 'é\ufffd🦊', 'aGVsbG8=', 'hello', false, 'micro'],
		])
	})

	// Proves: event.logs-kept, program.console-logs
	test('writes console lines and ctx.log to the log, in order and bounded', async () => {
		const { sent, end } = await run({
			program:
				'console.log("a", { b: 1 }, 2n); console.error(new Error("bad")); ctx.log("debug", "d", { x: 1 }); ctx.log("info", "x".repeat(20000), "y".repeat(40000))',
		})
		expect(end.ok).toBe(true)
		expect(sent.slice(0, 3).map(({ args }) => args)).toEqual([
			{ level: 'info', message: 'a {"b":1} 2n' },
			{ level: 'error', message: 'Error: bad' },
			{ level: 'debug', message: 'd', data: { x: 1 } },
		])
		expect(JSON.stringify(sent[3]!.args).length).toBeLessThan(25_000)
	})

	// Proves: program.console-logs
	test('shows what JSON has no form for, and Node’s directives', async () => {
		const { sent, end } = await run({
			program: `
				const round = { a: 1 }; round.self = round
				console.log(new Map([[1, 2]]), { a: [1, { b: 2n }] }, round)
				console.log('%s is %d years', 'Ada', 36)
				console.assert(false, 'x')
				ctx.log('info', 'd', { a: 2n, m: new Map([[1, 2]]), round })`,
		})
		expect(end.ok).toBe(true)
		expect(sent.map(({ args }) => args)).toEqual([
			{ level: 'info', message: 'Map(1) {1 => 2} {"a":[1,{"b":2n}]} {"a":1,"self":[Circular]}' },
			{ level: 'info', message: 'Ada is 36 years' },
			{ level: 'error', message: 'Assertion failed: x' },
			{
				...{ level: 'info', message: 'd' },
				data: { a: '2n', m: 'Map(1) {1 => 2}', round: { a: 1, self: '[Circular]' } },
			},
		])
	})

	// Proves: program.console-logs
	test.each([
		[`{ code: 42, why: 'because' }`, '{"code":42,"why":"because"}'],
		[`new Map([['k', 2n]])`, 'Map(1) {"k" => 2n}'],
		[`'only text'`, 'only text'],
		['null', 'null'],
	])('tells what was thrown, even %s', async (thrown, message) => {
		const { end } = await run({ program: `throw ${thrown}` })
		expect(end).toMatchObject({ ok: false, code: 'agent_error', message })
		const tools = `{ t: { description: 'x', input: {}, run() { throw ${thrown} } } }`
		const { output } = await run({ tools, program: 'return ctx.tools.call("t", {})' })
		expect(output).toEqual({ ok: false, output: message })
	})

	// Proves: program.console-logs
	test('logs a rejection that nothing handles and goes on', async () => {
		const { logs, output } = await run({
			program: 'Promise.reject(new Error("left alone")); await ctx.model("a"); return "on"',
		})
		expect([logs, output]).toEqual([['Unhandled rejection: left alone'], 'on'])
	})
})

// Proves: event.logs-kept
test('what a program wrote leaves before the end that a limit or a fault at its top level gives it', async () => {
	const wrote = `ctx.log('info', 'one'); console.error('two');`
	const cpu = await run({ cpuMs: 100, program: `${wrote} for (;;);` })
	expect([cpu.end, cpu.logs]).toMatchObject([{ code: 'cpu_limit_reached' }, ['one', 'two']])
	const script = await run({ script: `console.log('one'); throw new Error('two')` })
	expect([script.end, script.logs]).toMatchObject([{ code: 'agent_error', message: 'two' }, ['one']])
	const memory = await run({
		program: `${wrote} await ctx.memory.list(); const all = []; for (;;) all.push(new Array(1e5).fill(1))`,
	})
	expect([memory.end, memory.logs]).toMatchObject([{ code: 'memory_limit_reached' }, ['one', 'two']])
	const late = await run({ cpuMs: 100, program: `${wrote} try { for (;;); } finally {}` })
	expect(late.logs).toEqual(['one', 'two'])
})

/** ECMAScript's own, without what trimming takes, and the few that the guest program adds. */
const globals = `
	AbortController AbortSignal AggregateError Array ArrayBuffer AsyncDisposableStack BigInt BigInt64Array BigUint64Array
	Boolean DataView Date DisposableStack Error EvalError Float16Array Float32Array Float64Array Function Infinity
	Int16Array Int32Array Int8Array Intl Iterator JSON Map Math NaN Number Object Promise Proxy RangeError ReferenceError
	Reflect RegExp Set String SuppressedError Symbol SyntaxError TextDecoder TextEncoder TypeError URIError URL
	URLSearchParams Uint16Array Uint32Array Uint8Array Uint8ClampedArray WeakMap WeakSet atob btoa console crypto
	decodeURI decodeURIComponent encodeURI encodeURIComponent escape eval globalThis isFinite isNaN parseFloat parseInt
	performance queueMicrotask structuredClone undefined unescape`.match(/\S+/g)
