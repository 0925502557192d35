/**
 * Gives back what a busy time has left. V8 looks for garbage only when somebody asks for memory, so a process that has
 * nothing to do keeps all of it: of a host that had a thousand agents deployed, 110 MB for as long as nobody came.
 */
import { Session } from 'node:inspector/promises'
import { performance } from 'node:perf_hooks'
import { getHeapStatistics } from 'node:v8'

export interface IdleMemoryOptions {
	onError: (error: unknown) => void
	lookMs?: number
}

const LOOK_MS = 10_000
/** Looks in a row that must find it idle. */
const IDLE_LOOKS = 2
/** Of the time between two looks. The host's own housekeeping takes less. */
const IDLE_BELOW = 0.02
/** What V8 must have taken from the system since the last time. */
const WORTH_BYTES = 8 * 1024 * 1024

/** One collection stops the process for a tenth of a second: once after a busy time, and only then. */
export function giveBackWhenIdle({ onError, lookMs = LOOK_MS }: IdleMemoryOptions): { stop: () => void } {
	let idleLooks = 0
	let kept = 0
	let before = performance.eventLoopUtilization()

	const look = () => {
		const now = performance.eventLoopUtilization()
		const { utilization } = performance.eventLoopUtilization(now, before)
		before = now
		idleLooks = utilization < IDLE_BELOW ? idleLooks + 1 : 0
		if (idleLooks < IDLE_LOOKS || taken() < kept + WORTH_BYTES) return
		idleLooks = 0
		collect().then(() => {
			kept = taken()
		}, onError)
	}
	const timer = setInterval(look, lookMs).unref()
	return { stop: () => clearInterval(timer) }
}

const taken = () => {
	const { total_heap_size: heap, external_memory: external } = getHeapStatistics()
	return heap + external
}

/** Node's own `gc()` is there with a flag only, and keeps the pages. This is what V8 does when memory runs out. */
async function collect(): Promise<void> {
	const session = new Session()
	session.connect()
	try {
		await session.post('HeapProfiler.collectGarbage')
	} finally {
		session.disconnect()
	}
}
