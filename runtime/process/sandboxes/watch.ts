/**
 * The watch from outside, for what V8's own limits miss: loops that they do not interrupt, memory that they do not count,
 * a process that no longer answers. It looks closely only at processes that owe an answer for a while, so in calm times
 * it costs next to nothing.
 */
import { workClock } from '../../lib/clock.ts'
import { isCommon } from './common.ts'
import type { SandboxedRun } from './live-run.ts'
import { cpuMs, residentBytes } from './usage.ts'
import { allowedMb, markedRun, type Verdict, type Worker } from './worker.ts'

const LOOK_MS = 50
/** CPU time, not the clock's: on a busy machine a process that waits for its turn must not bring more processes. */
const COMPUTES_MS = 40
/** A turn may use more than its run has by this factor and this much: the sandbox's own limit comes first. */
const CPU_FACTOR = 1.5
const CPU_GRACE_MS = 800
/** Of a turn that uses no CPU: a process that waits for something it must not wait for. */
const STUCK_MS = 15_000
/** Of a run that the engine has stopped and that still executes. In a common process its turn is cut off before that. */
const STOPPED_MS = 500
const STOPPED_COMMON_MS = 5_000
/** Growth within one turn: twice the run's own memory, which the collector may need to move it, and this. */
const MEMORY_GRACE_MB = 160
const BYTES_PER_MB = 1024 * 1024
const IDLE_LOOK_MS = 1_000
/** CPU share of a process that owes no answer, over so many looks in a row. */
const IDLE_SHARE = 0.8
const IDLE_LOOKS = 5

export interface Watch {
	close(): void
}

export function openWatch(
	workers: ReadonlySet<Worker>,
	condemn: (worker: Worker, verdict: Verdict) => void,
): Watch {
	// A machine that stands still takes no time: its sandboxes stood still, too.
	const clock = workClock()
	const look = setInterval(() => {
		const [now, time] = [performance.now(), clock()]
		for (const worker of workers) {
			const oldest = worker.owing[0]
			if (!oldest || worker.condemned || now - oldest.since < LOOK_MS) continue
			const verdict = judgeTurn(worker, time)
			if (verdict) condemn(worker, verdict)
		}
	}, LOOK_MS).unref()
	const idleLook = setInterval(() => {
		for (const worker of workers) {
			if (burnsIdle(worker)) condemn(worker, IDLE_BURNER)
			else if (isSwollen(worker)) condemn(worker, SWOLLEN)
			else worker.process.allow(allowedMb(worker))
		}
	}, IDLE_LOOK_MS).unref()
	return {
		close() {
			clearInterval(look)
			clearInterval(idleLook)
		},
	}
}

function judgeTurn(worker: Worker, now: number): Verdict | undefined {
	const { pid } = worker.process
	const run = markedRun(worker)
	const key = `${run?.id} ${worker.answered}`
	const usedMs = cpuMs(pid) ?? 0
	const bytes = residentBytes(pid) ?? 0
	if (worker.turn?.key !== key) worker.turn = { key, since: now, movedAt: now, cpuMs: usedMs, usedMs, bytes }
	const { turn } = worker
	if (usedMs > turn.usedMs) Object.assign(turn, { usedMs, movedAt: now })
	worker.computing = usedMs - turn.cpuMs >= COMPUTES_MS
	if (!run) return now - turn.since > STUCK_MS ? silent(null) : undefined
	const { cpuMs: limitMs, memoryMb } = run.job
	if (run.stopped) turn.stoppedAt ??= now
	if (
		turn.stoppedAt !== undefined &&
		now - turn.stoppedAt > (isCommon(worker.deployment) ? STOPPED_COMMON_MS : STOPPED_MS)
	) {
		return { message: 'A stopped run did not end.', guilt: { run, code: 'agent_error' } }
	}
	if (bytes - turn.bytes > (2 * memoryMb + MEMORY_GRACE_MB) * BYTES_PER_MB) {
		const message = 'The program used more memory than limits.memory_mb allows.'
		return { message, guilt: { run, code: 'memory_limit_reached' } }
	}
	if (usedMs - turn.cpuMs > CPU_FACTOR * limitMs + CPU_GRACE_MS) {
		const message = `The program used up its ${limitMs} ms of CPU time.`
		return { message, guilt: { run, code: 'cpu_limit_reached' } }
	}
	return now - turn.movedAt > CPU_FACTOR * limitMs + STUCK_MS ? silent(run) : undefined
}

const IDLE_BURNER: Verdict = { message: 'The sandbox used CPU time without having been asked anything.' }
const SWOLLEN: Verdict = { message: 'The sandbox held more memory than its runs may use.' }
const silent = (executing: SandboxedRun | null): Verdict => ({
	message: 'The sandbox did not answer.',
	executing,
})

/** Only a process that has been taken over does this: nothing executes in it unless it owes an answer. */
function burnsIdle(worker: Worker): boolean {
	if (worker.owing.length > 0) {
		worker.idle = undefined
		return false
	}
	const usedMs = cpuMs(worker.process.pid)
	if (usedMs === undefined) return false
	const { cpuMs: before, looks } = worker.idle ?? { cpuMs: usedMs, looks: 0 }
	const burning = usedMs - before > IDLE_SHARE * IDLE_LOOK_MS
	worker.idle = { cpuMs: usedMs, looks: burning ? looks + 1 : 0 }
	return worker.idle.looks >= IDLE_LOOKS
}

/** What grows a little in many turns, and was never much in one. */
function isSwollen(worker: Worker): boolean {
	return (residentBytes(worker.process.pid) ?? 0) > allowedMb(worker) * BYTES_PER_MB
}
