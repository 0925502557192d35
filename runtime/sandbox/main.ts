/**
 * The sandbox process: everything that is the owner's or a model's executes in here. It has an empty environment, one
 * pipe to the runtime and nothing else. It believes the runtime, and the runtime believes nothing it says.
 */
import { fileURLToPath } from 'node:url'
import { inheritedStream, openChannel } from '../channel.ts'
import { type Bundle, openIsolates } from './child/isolates.ts'
import { begin, deliver, type GuestRun, type Turn, usedMs } from './child/run.ts'
import { CHANNEL_FD, MAX_FRAME_BYTES, READY, type ToChild } from './messages.ts'

const FLUSH_MS = 5

const isolates = openIsolates(fileURLToPath(new URL('prelude.js', import.meta.url)))
const bundles = new Map<string, Bundle>()
const runs = new Map<number, GuestRun>()

let flushedAt = 0

warmUp()
const channel = openChannel(inheritedStream(CHANNEL_FD), {
	maxFrameBytes: MAX_FRAME_BYTES,
	onMessage: (message) => handle(message as ToChild),
	onClose: () => process.exit(0),
})
channel.send([READY])

function handle(message: ToChild): void {
	switch (message[0]) {
		case 'bundle': {
			const [, digest, agent, scripts] = message
			bundles.set(digest, { agent, scripts })
			return
		}
		case 'start': {
			const [, id, digest, memoryMb, cpuMs, inputs, seed, at] = message
			const { run, turn } = begin(isolates, {
				id,
				digest,
				bundle: bundles.get(digest)!,
				memoryMb,
				cpuMs,
				inputs,
				seed,
				at,
			})
			if (run) runs.set(id, run)
			answer(id, turn)
			return
		}
		case 'deliver': {
			const [, id, n, ok, json, at] = message
			const run = runs.get(id)
			answer(id, run ? deliver(run, n, ok, json, at) : { items: '', state: 'going' })
			return
		}
		case 'stop':
			answer(message[1], { items: '', state: 'breached' })
	}
}

/** The run's number stands first, whatever the items are: they cannot speak for another run. */
function answer(id: number, { items, state }: Turn): void {
	channel.sendText(items === '' ? `[${id}]` : `[${id},${items}]`)
	flushInTime()
	if (state === 'going') return
	const run = runs.get(id)
	runs.delete(id)
	if (!run) return
	if (state === 'ended') isolates.give(run.cell, usedMs(run))
	else isolates.discard(run.cell)
}

/** Many messages may lie in one read: what the first of them came to must not wait for the last. */
function flushInTime(): void {
	const now = performance.now()
	if (now - flushedAt < FLUSH_MS) return
	flushedAt = now
	channel.flush()
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
		inputs: '{}',
		seed: '0'.repeat(32),
		at: 0,
	}
	const { run } = begin(isolates, start)
	if (!run) return
	deliver(run, 1, true, '{"message":{"role":"assistant","content":""},"stop":"end"}', 0)
	isolates.discard(run.cell)
}
