/**
 * The sandbox process: everything that is the owner's or a model's executes in here. It has an empty environment, one
 * pipe to the runtime and nothing else. It believes the runtime, and the runtime believes nothing it says.
 */
import { read, readSync, writeSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { splitLines } from '../wire/channel.ts'
import { CHANNEL_FD, MAX_FRAME_BYTES, READY, type ToChild } from '../wire/sandbox.ts'
import { type Bundle, LONG_IDLE_MS, openIsolates } from './isolates.ts'
import { begin, deliver, type GuestRun, type Turn } from './run.ts'
import { openShared } from './shared.ts'

const FLUSH_MS = 5
const READ_BYTES = 64 * 1024

const isolates = openIsolates(fileURLToPath(new URL('prelude.js', import.meta.url)))
const shared = openShared(isolates)
const bundles = new Map<string, Bundle>()
const runs = new Map<number, GuestRun>()

const input = Buffer.allocUnsafeSlow(READ_BYTES)
const take = splitLines(
	MAX_FRAME_BYTES,
	(line) => {
		handle(JSON.parse(line) as ToChild)
		return undefined
	},
	() => false,
	() => process.exit(1),
)
let outgoing = `${JSON.stringify([READY])}\n`
let flushedAt = 0
/** Nothing came for a while. */
let idle = false

warmUp()
flush()
serve()

/**
 * Blocks for the next messages: while runs come there is nothing else to wait for, and a stream on the event loop would
 * cost more than what most turns do. One pass of the loop between two reads makes contexts for the runs to come.
 */
function serve(): void {
	if (idle) {
		idle = false
		// V8 gives memory back in tasks of the event loop, which therefore goes on meanwhile.
		read(CHANNEL_FD, input, 0, READ_BYTES, null, (error, bytes) => served(error ? 0 : bytes))
	} else served(readSync(CHANNEL_FD, input))
}

function served(bytes: number): void {
	if (bytes === 0) process.exit(0)
	take(Buffer.from(input.subarray(0, bytes)))
	flush()
	setImmediate(serve)
}

function flush(): void {
	if (outgoing === '') return
	let bytes = Buffer.from(outgoing)
	outgoing = ''
	while (bytes.length > 0) bytes = bytes.subarray(writeSync(CHANNEL_FD, bytes))
}

function handle(message: ToChild): void {
	switch (message[0]) {
		case 'bundle': {
			const [, name, agent, scripts] = message
			bundles.set(name, { agent, scripts })
			return
		}
		case 'start': {
			const [, id, digest, memoryMb, cpuMs, starved, inputs, seed, at, alone] = message
			const start = {
				id,
				digest,
				bundle: bundles.get(digest)!,
				memoryMb,
				cpuMs,
				starved,
				inputs,
				seed,
				at,
				alone,
			}
			const together = shared.begin(start)
			if (together) return void answer(id, together)
			const { run, turn } = begin(isolates, start)
			if (run) runs.set(id, run)
			answer(id, turn)
			return
		}
		case 'deliver': {
			const [, id, n, ok, json, at] = message
			const together = shared.deliver(id, n, ok, json)
			if (together) return void answer(id, together)
			const run = runs.get(id)
			answer(id, run ? deliver(run, n, ok, json, at) : { items: '', state: 'going' })
			return
		}
		case 'stop':
			shared.stop(message[1])
			answer(message[1], { items: '', state: 'breached' })
			return
		case 'forget':
			bundles.delete(message[1])
			shared.forget(message[1])
			return
		case 'trim':
			isolates.trim()
			shared.trim(LONG_IDLE_MS)
			idle = true
	}
}

/** The run's number stands first, whatever the items are: they cannot speak for another run. */
function answer(id: number, { items, state }: Turn): void {
	outgoing += items === '' ? `[${id}]\n` : `[${id},${items}]\n`
	flushInTime()
	if (state === 'going') return
	const run = runs.get(id)
	runs.delete(id)
	if (!run) return
	if (state === 'ended') isolates.give(run.cell, run.usedMs)
	else isolates.discard(run.cell)
}

/** Many messages may lie in one read: what the first of them came to must not wait for the last. */
function flushInTime(): void {
	const now = performance.now()
	if (now - flushedAt < FLUSH_MS) return
	flushedAt = now
	flush()
}

/** One run of nothing, so that the first real one finds compiled code. */
function warmUp(): void {
	const agent = JSON.stringify({ name: '', prompt: '', skills: [], memory: false, output: null })
	const bundle = { agent, scripts: [{ name: 'warm', code: '__berth.tools("", {})' }] }
	const start = {
		id: 0,
		digest: '',
		bundle,
		memoryMb: 16,
		cpuMs: 1_000,
		starved: 0,
		alone: true,
		inputs: '{}',
		seed: '0'.repeat(32),
		at: 0,
	}
	const { run } = begin(isolates, start)
	if (!run) return
	deliver(run, 1, true, '{"message":{"role":"assistant","content":""},"stop":"end"}', 0)
	isolates.discard(run.cell)
}
