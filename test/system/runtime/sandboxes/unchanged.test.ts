/** Which contexts serve another run: those that the run before has left as they were. */

import { join } from 'node:path'
import { setImmediate as idle } from 'node:timers/promises'
import { beforeAll, expect, onTestFinished, test } from 'vitest'
import { type Isolates, openIsolates } from '../../../../runtime/sandbox/isolates.ts'
import { distDir } from '../../../kit/guests.ts'

const AGENT = JSON.stringify({ name: 'a', prompt: '', skills: [], memory: false, output: null })
/** The first contexts of an isolate remember nothing. */
const WARM = 3
let isolates: Isolates
let bundles = 0

beforeAll(() => {
	isolates = openIsolates(join(distDir, 'prelude.js'))
})

/** Runs of one agent, each whole in one turn. */
function agentOf(program: string) {
	const digest = `d${++bundles}`
	const code = `(() => { let fresh = 0; __berth.agent(async (inputs, ctx) => { fresh++; ${program} }) })()`
	const bundle = { agent: AGENT, scripts: [{ name: 'agent.js', code }], changed: 0 }
	const run = async (inputs: object = {}) => {
		const cell = isolates.take(digest, bundle, 64, false)
		onTestFinished(() => isolates.discard(cell))
		const { context, entry } = cell.room!
		entry.applySync(undefined, ['begin', AGENT, JSON.stringify(inputs), '0'.repeat(32), 1])
		for (const script of cell.scripts) script.runSync(context)
		entry.applySync(undefined, ['go'])
		const sent = String(entry.applySync(undefined, ['drain']))
		isolates.give(cell, 0)
		await idle()
		return { context, sent }
	}
	return Object.assign(run, { bundle })
}

const harmless = `
	class Own extends Error { constructor() { super('own'); this.name = 'Own'; this.toString = () => 'x' } }
	const made = Object.defineProperty({}, 'x', { get: () => 1, configurable: true })
	Object.assign(made, { y: new Map([[1, [...'abc'].map((c) => c.at(0))]]), z: /(b)/.exec('abc') })
	console.log(String(new Own()), JSON.stringify(made), Math.random(), Date.now(), new URL('https://a.example/b').href)
	return structuredClone([fresh, RegExp.$1, new Intl.NumberFormat('en').format(5), new Uint8Array(4).length])`

// Proves: sandbox.fresh-context
test('a context that a run leaves as it was serves the next, which finds nothing of it', async () => {
	const run = agentOf(`const before = RegExp.$1; console.count(); ${harmless.replace('RegExp.$1', 'before')}`)
	for (let i = 0; i < WARM; i++) await run()
	const { context, sent } = await run()
	expect(sent).toContain('[1,\\"\\",\\"5\\",4]')
	for (let i = 0; i < 20; i++) expect(await run()).toEqual({ context, sent })
})

const changes = [
	'globalThis.left = 1',
	'left = 1',
	'delete globalThis.Intl',
	'Array.prototype.left = 1',
	'Array.prototype.push.call(Array.prototype, 1)',
	'delete Array.prototype.at',
	'Array.prototype.at = () => 1',
	'const { at } = Array.prototype; Object.defineProperty(Array.prototype, "at", { get: () => at, configurable: true })',
	'Object.defineProperty(Array.prototype, "at", { writable: false })',
	'Reflect.defineProperty(Math, "max", { enumerable: true })',
	'Object.defineProperties(JSON, { parse: { enumerable: true } })',
	'Map.prototype.__defineGetter__("size", () => 1)',
	'Set.prototype.__defineSetter__("size", () => 1)',
	'Object.defineProperty.call(null, RegExp.prototype, "flags", { get: () => "g" })',
	'Object.freeze(Map.prototype)',
	'Object.seal(Intl)',
	'Object.preventExtensions(globalThis.console)',
	'Object.setPrototypeOf(Map.prototype, {})',
	'Map.prototype.__proto__ = {}',
	'Object.getPrototypeOf(async () => {}).left = 1',
	'Object.getPrototypeOf((function* () {})()).__proto__.left = 1',
	'Object.getPrototypeOf([].values().map((x) => x)).left = 1',
	'Object.getPrototypeOf(Iterator.from({ next() {} })).left = 1',
	'Object.getPrototypeOf("".matchAll(/x/g)).left = 1',
	'Object.getPrototypeOf(new Intl.Segmenter().segment("")).left = 1',
	'Object.getPrototypeOf(new Intl.Segmenter().segment("")[Symbol.iterator]()).left = 1',
	'console.log = () => {}',
	'Error.stackTraceLimit = 3',
	'Error.prepareStackTrace = () => 1',
	'URL.prototype.left = 1',
	'Uint8Array.left = 1',
	'Object.getPrototypeOf(Uint8Array.prototype).left = 1',
	'Date.left = 1',
	'crypto.left = 1',
	'ctx.log.left = 1',
	'ctx.signal.constructor.left = 1',
	'try { ctx.model("x".repeat(5e6)) } catch {}; await ctx.model("x".repeat(5e6)).catch((error) => { error.constructor.left = 1 })',
]

// Proves: sandbox.fresh-context
test.each(changes)('a context is not used again after %s', async (change) => {
	const run = agentOf(`if (inputs.change) { ${change} } return 1`)
	for (let i = 0; i < WARM; i++) await run()
	const { context } = await run()
	expect((await run()).context).toBe(context)
	await run({ change: true })
	expect((await run()).context).not.toBe(context)
})

// Proves: sandbox.fresh-context
test('built-in functions take no members, so that none is left', async () => {
	const run = agentOf('Array.prototype.at.left = 1; return [Array.prototype.at.left ?? null]')
	for (let i = 0; i < WARM + 2; i++) expect((await run()).sent).toContain('[null]')
})

test('a bundle whose runs change their contexts is not looked at any more', async () => {
	const run = agentOf('globalThis.left = [globalThis.left]; return globalThis.left')
	for (let i = 0; i < 30; i++) expect((await run()).sent).toContain('[null]')
	expect(run.bundle.changed).toBe(5)
})
