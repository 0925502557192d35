/** What a run allocates in the sandbox, counted instead of timed: in the process's own isolate, and in its guest's. */
import { spawn } from 'node:child_process'
import { closeSync, mkdtempSync, openSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import type { Duplex, Readable } from 'node:stream'
import { expect, onTestFinished, test } from 'vitest'
import { snapshotFlags } from '../../../../runtime/process/sandboxes/launch/node.ts'
import type { GuestScript, ToChild } from '../../../../runtime/wire/sandbox.ts'
import { calls, distDir, START, text } from '../../../kit/guests.ts'

/** An isolate that runs code is replaced after 50. */
const WARM_UP = 10
const RUNS = 30
/** Less where nothing was counted. */
const LEAST = 5_000
/** Nothing is collected before it is counted. Code is not optimised: how much of it is would be a matter of time. */
const FLAGS = [
	...['--expose-gc', '--no-opt', '--no-maglev', '--min-semi-space-size=128', '--max-semi-space-size=128'],
	...snapshotFlags(),
	'--no-warnings',
	...['--import', new URL('../../../kit/sandbox-heap.mjs', import.meta.url).href],
]
const AGENT = JSON.stringify({
	...{ name: 'test', prompt: 'You help {{name}}.', model: {}, inputs: {}, output: null },
	...{ skills: [], memory: false },
})
const PROGRAM = `__berth.agent(async (inputs, ctx) => {
	ctx.log('began')
	return { text: await ctx.loop() }
})`

interface Counted {
	used: number
	kept: number
	guests: number
	isolates: number
}

/** The shipped sandbox without its launcher. This test is its runtime. */
function startSandbox() {
	const folder = mkdtempSync(join(tmpdir(), 'berth-mark-'))
	const fd = openSync(join(folder, 'mark'), 'w+')
	rmSync(folder, { recursive: true })
	const stdio = ['ignore', 'ignore', 'pipe', 'pipe', fd] as const
	const child = spawn(process.execPath, [...FLAGS, join(distDir, 'sandbox.mjs')], {
		env: {},
		stdio: [...stdio],
	})
	closeSync(fd)
	onTestFinished(() => void child.kill('SIGKILL'))
	const pipe = child.stdio[3] as Duplex
	const send = (message: ToChild) => void pipe.write(`${JSON.stringify(message)}\n`)
	const [frame, counted] = [linesOf(pipe), linesOf(child.stderr as Readable)]
	const count = async (): Promise<Counted> => {
		send(['forget', 'COUNT'])
		return JSON.parse(await counted())
	}
	return { send, frame, count }
}

function linesOf(stream: Readable): () => Promise<string> {
	const lines = createInterface({ input: stream })[Symbol.asyncIterator]()
	return async () => {
		const { value, done } = await lines.next()
		if (done) throw new Error('the sandbox ended')
		return value
	}
}

/** Bytes that a run allocates in each of the two isolates. `more`: characters more that the model says. */
async function allocated(scripts: GuestScript[], more: number): Promise<{ own: number; guest: number }> {
	const { send, frame, count } = startSandbox()
	expect(await frame()).toBe('["ready"]')
	send(['bundle', 'b', AGENT, scripts])
	let id = 0
	const one = async () => {
		send(['start', ++id, 'b', 256, 60_000, 0, '{"name":"Ann"}', '0'.repeat(32), START, false])
		for (let models = 0; ; ) {
			for (const [n, method, said] of JSON.parse(await frame()).slice(1)) {
				if (method === 'log') continue
				if (n === 0) return expect([method, said]).toEqual(['ok', expect.stringContaining('It said hello.')])
				const answer =
					method !== 'model'
						? { ok: true, output: 'hello' }
						: models++ === 0
							? calls({ id: 'c', name: 'echo', input: { text: 'hello' } })
							: text(`It said hello.${'x'.repeat(more)}`)
				send(['deliver', id, n, true, JSON.stringify(answer), START])
			}
		}
	}
	const some = async (runs: number) => {
		for (let n = 0; n < runs; n++) await one()
	}
	await some(WARM_UP)
	const before = await count()
	await some(RUNS)
	const after = await count()
	expect(after.isolates).toBe(before.isolates)
	return { own: (after.used - before.kept) / RUNS, guest: (after.guests - before.guests) / RUNS }
}

const code = [{ name: 'agent.js', code: PROGRAM }]

/** Bytes of both isolates. As it is (2026-11-23): 17,200 and 10,900, with agent.ts 21,700 and 250,200, of which most is its context. */
// Proves: run.allocations
test.each([
	['without code', [], { own: 30_000, guest: 25_000 }],
	['with agent.ts', code, { own: 30_000, guest: 290_000 }],
])('a run of an agent %s allocates no more in the sandbox than it did', async (_, scripts, most) => {
	const [asItIs, more] = [await allocated(scripts, 0), await allocated(scripts, 20_000)]
	expect(asItIs.own).toBeGreaterThan(LEAST)
	expect(asItIs.own).toBeLessThan(most.own)
	expect(more.own).toBeGreaterThan(most.own)
	expect(asItIs.guest).toBeGreaterThan(LEAST)
	expect(asItIs.guest).toBeLessThan(most.guest)
	expect(more.guest).toBeGreaterThan(most.guest)
})
