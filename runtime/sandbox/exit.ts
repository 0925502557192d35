/** What the end of a process means for the runs it had: the one at fault gets its code, the others are run again. */
import { constants } from 'node:os'
import type { LiveRun } from './live-run.ts'
import type { SandboxEnd } from './types.ts'
import { markedRun, type Verdict, type Worker } from './worker.ts'

/** How V8 and the allocator end a process that has no memory left, or that is broken beyond repair. */
const CRASHES = new Set(['SIGTRAP', 'SIGABRT', 'SIGSEGV', 'SIGILL', 'SIGBUS'])
/** Exit codes above it name the signal, where a shell stood between. */
const SIGNAL_CODES = 128

export interface Exit {
	signal: NodeJS.Signals | null
	code: number | null
}

export function endsOf(worker: Worker, exit: Exit): [LiveRun, SandboxEnd][] {
	const { condemned } = worker
	const signal = exit.signal ?? signalNamed(exit.code)
	const crashed = !condemned && signal !== undefined && CRASHES.has(signal)
	const guilt = crashed ? outOfMemory(markedRun(worker)) : condemned?.guilt
	const ended = `The sandbox process ended with ${signal ?? exit.code}`
	const message = condemned?.message ?? (guilt ? `${ended}: out of memory.` : `${ended}.`)
	return Array.from(worker.runs.values(), (run) => {
		const code = run === guilt?.run ? guilt.code : 'sandbox_lost'
		return [run, { ok: false, code, message }]
	})
}

function outOfMemory(run: LiveRun | undefined): Verdict['guilt'] {
	return run && { run, code: 'memory_limit_reached' }
}

function signalNamed(code: number | null): string | undefined {
	if (code === null || code <= SIGNAL_CODES) return undefined
	return Object.entries(constants.signals).find(([, number]) => number === code - SIGNAL_CODES)?.[0]
}
