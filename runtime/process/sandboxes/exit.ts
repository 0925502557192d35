/**
 * What the end of a process means for the runs it had. The run that was executing is at fault: it ends with its code, or is
 * run again and this loss counts. The others, and runs that only waited, are run again and nothing counts. In a common
 * process the fault may be another deployment's: nothing counts, and the run that was executing is run again by itself.
 */
import { constants } from 'node:os'
import { isCommon } from './common.ts'
import type { SandboxedRun } from './live-run.ts'
import type { SandboxEnd } from './types.ts'
import { markedRun, type Worker } from './worker.ts'

/** How V8 and the allocator end a process that has no memory left, or that is broken beyond repair. */
const CRASHES = new Set(['SIGTRAP', 'SIGABRT', 'SIGSEGV', 'SIGILL', 'SIGBUS'])
/** Exit codes above it name the signal, where a shell stood between. */
const SIGNAL_CODES = 128

export interface Exit {
	/** What ended it, where it was a signal. */
	signal: NodeJS.Signals | null
	code: number | null
	/** The kernel killed it, as its cgroup had no memory left. */
	outOfMemory: boolean
}

export function endsOf(worker: Worker, exit: Exit): [SandboxedRun, SandboxEnd][] {
	const { condemned } = worker
	const signal = exit.signal ?? signalNamed(exit.code)
	const crashed = signal !== undefined && CRASHES.has(signal)
	const outOfMemory = !condemned && (exit.outOfMemory || crashed)
	const executing = condemned ? (condemned.guilt?.run ?? condemned.executing) : markedRun(worker)
	const code = outOfMemory ? 'memory_limit_reached' : condemned?.guilt?.code
	// A launcher does not hand on what killed the process below it.
	const by = exit.outOfMemory ? 'SIGKILL' : (signal ?? exit.code)
	const ended = `The sandbox process ended with ${by}`
	const message = condemned?.message ?? (outOfMemory && executing ? `${ended}: out of memory.` : `${ended}.`)
	return Array.from(worker.runs.values(), (run) => {
		if (isCommon(worker.deployment)) {
			const apart = run === executing && { alone: true as const }
			return [run, { ok: false, code: 'sandbox_lost', message, blameless: true, ...apart }]
		}
		if (run === executing && code) return [run, { ok: false, code, message }]
		const waited = condemned ? executing === null : run.owed === 0
		const blameless = executing ? run !== executing : waited
		return [run, { ok: false, code: 'sandbox_lost', message, blameless }]
	})
}

function signalNamed(code: number | null): string | undefined {
	if (code === null || code <= SIGNAL_CODES) return undefined
	return Object.entries(constants.signals).find(([, number]) => number === code - SIGNAL_CODES)?.[0]
}
