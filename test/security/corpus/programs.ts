// Programs of an owner who means harm, as bodies of `async (inputs, ctx) => …`. Each ends with one of its codes;
// what it may not reach, it says by returning an empty list.

export interface HostileProgram {
	name: string
	body: string
	/** Codes of the run, or `ok`. */
	ends: string[]
	/** Of a run that succeeds. */
	output?: unknown
	/** Runs for the whole CPU limit, 10 s: only in the corpus's long form; with less CPU in test/system/runtime/sandboxes/attacks.test.ts. */
	slow?: boolean
}

const cpu = ['cpu_limit_reached']
const memory = ['memory_limit_reached', 'cpu_limit_reached']
const fails = ['agent_error']
const either = ['ok', 'agent_error', 'output_invalid']

const loops: Record<string, string> = {
	'a loop': 'for (;;);',
	'a loop of promises': 'for (;;) await 0',
	'a loop after an effect': 'await ctx.memory.list(); for (;;);',
	'a description that loops': 'throw { get [Symbol.toStringTag]() { for (;;); } }',
	'a toJSON that loops': 'return { toJSON() { for (;;); } }',
	'a then that loops': 'return { then() { for (;;); } }',
	'a regular expression that backtracks': 'return /^(a+)+$/.test("a".repeat(40) + "b")',
	'a proxy that loops': 'return new Proxy({}, { ownKeys() { for (;;); } })',
}

const hogs: Record<string, string> = {
	'a heap that grows': 'const all = []; for (;;) all.push(new Array(1000).fill(all.length))',
	'buffers without end': 'const all = []; for (;;) all.push(new Uint8Array(1 << 20).fill(1))',
	'a string that doubles': 'let s = "x"; const all = []; for (;;) { s += s; all.push(s.split("")) }',
	'formatters without end': 'const all = []; for (;;) all.push(new Intl.DateTimeFormat("de"))',
}

const poisons: Record<string, string> = {
	'Array.prototype.toJSON gives nothing':
		'Array.prototype.toJSON = () => undefined; ctx.log("info", "a"); ctx.log("info", "b")',
	'Object.prototype.toJSON gives a frame':
		'Object.prototype.toJSON = () => \'"],[0,"ok","\'; ctx.log("info", "a"); ctx.log("info", "b")',
	'String.prototype.toJSON throws':
		'String.prototype.toJSON = () => { throw 1 }; ctx.log("info", "a"); ctx.log("info", "b")',
	'JSON.stringify is taken over': 'JSON.stringify = () => "]"; ctx.log("info", "a"); ctx.log("info", "b")',
	'Promise.prototype.then never calls':
		'Promise.prototype.then = () => new Promise(() => {}); await ctx.memory.list()',
	'Array iterators lie':
		'Array.prototype[Symbol.iterator] = function* () { yield "x" }; await ctx.memory.list()',
	'Object.prototype has a then':
		'Object.defineProperty(Object.prototype, "then", { get() { return undefined }, configurable: true }); await ctx.memory.list()',
	'Symbol.species is taken over':
		'Object.defineProperty(Array, Symbol.species, { get() { throw 1 } }); await ctx.memory.list()',
	'RegExp.prototype.exec is taken over': 'RegExp.prototype.exec = () => { throw 1 }; await ctx.memory.list()',
	'Map.prototype.get is taken over': 'Map.prototype.get = () => () => {}; await ctx.memory.list()',
}

const ways = (names: string[]) =>
	`const found = []; for (const name of ${JSON.stringify(names)}) if (typeof globalThis[name] !== 'undefined') found.push(name); return 'found ' + found`

const reaches: Record<string, string> = {
	'Node from globals': ways([
		'process',
		'require',
		'module',
		'Buffer',
		'global',
		'__dirname',
		'fetch',
		'XMLHttpRequest',
		'WebSocket',
		'setTimeout',
		'setImmediate',
		'WebAssembly',
		'SharedArrayBuffer',
		'Atomics',
		'WeakRef',
		'FinalizationRegistry',
		'Worker',
		'Deno',
		'Bun',
	]),
	'Node through constructors':
		'const found = []; for (const f of [ctx.model, ctx.log, ctx.tools.call, ctx.memory.read, console.log]) { try { const p = await f.constructor("return typeof process === \'undefined\' ? 0 : process")(); if (p) found.push(f.name) } catch {} } return "found " + found',
	'Node through an error’s frames':
		'const found = []; Error.prepareStackTrace = (_, frames) => frames; for (const frame of new Error().stack ?? []) { for (const get of ["getThis", "getFunction", "getEvalOrigin"]) { try { const it = frame[get]?.(); if (it && it.process) found.push(get) } catch {} } } return "found " + found',
	'a module': 'try { await import("node:fs"); return "found import" } catch { return "found " }',
	'the entry of its isolate': ways(['__entry', '__berth', 'berth', '_ivm', 'ivm', '$0']),
	'its neighbours’ memory':
		'const found = []; for (const path of ["../x", "/etc/passwd", "..%2fx", "a/../../x"]) { try { await ctx.memory.read(path); found.push(path) } catch {} } return "found " + found',
	'a tool that is not its own':
		'const found = []; for (const name of ["guard_verify", "constructor", "__proto__", "toString", "../tool"]) { try { const { ok } = await ctx.tools.call(name, {}); if (ok) found.push(name) } catch {} } return "found " + found',
}

const throws: Record<string, [body: string, ends: string[]]> = {
	'undefined is thrown': ['throw undefined', fails],
	'a thing without a prototype is thrown': ['throw Object.create(null)', fails],
	'a proxy is thrown that throws': [
		'throw new Proxy(new Error(), { get() { throw 1 }, getPrototypeOf() { throw 2 } })',
		fails,
	],
	'the stack overflows': ['const f = () => f() + 1; f()', fails],
	'it waits for ever': ['await new Promise(() => {})', fails],
	'a big number is returned': ['return 10n', either],
	'a circle is returned': ['const a = {}; a.a = a; return a', either],
	'a function is returned': ['return () => 1', either],
	'the output is 20 MB': ['return "x".repeat(20_000_000)', fails],
	'a model is asked 5,000 times at once': [
		'await Promise.all(Array.from({ length: 5_000 }, () => ctx.model("a")))',
		['step_limit_reached', 'agent_error'],
	],
	'a model is asked with half a pair': ['await ctx.model("\\ud800"); return "asked"', either],
	'a megabyte is logged a thousand times': [
		'for (let n = 0; n < 1_000; n++) ctx.log("info", "x".repeat(1_000_000))',
		either,
	],
	'a log that cannot be read': ['ctx.log("info", "a", { get a() { throw 1 } }); return 1', either],
	'memory under a name that is none': ['await ctx.memory.write("../../x", "y")', fails],
	'memory of 100 MB': [
		'await ctx.memory.write("a", "x".repeat(1e8))',
		['agent_error', 'memory_limit_reached'],
	],
}

const of = (family: string, ends: string[], bodies: Record<string, string>, output?: unknown) =>
	Object.entries(bodies).map(([name, body]) => ({ name: `${family} ${name}`, body, ends, output }))

export const hostilePrograms: HostileProgram[] = [
	...of('spends CPU by', cpu, loops).map((one) => ({ ...one, slow: true })),
	...of('spends memory by', memory, hogs),
	...of('poisons:', either, poisons),
	...of('looks for', ['ok'], reaches, 'found '),
	...Object.entries(throws).map(([name, [body, ends]]) => ({ name: `ends oddly: ${name}`, body, ends })),
]
