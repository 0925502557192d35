/**
 * The watch from outside, for what V8's own limits miss: loops that they do not interrupt, memory that they do not count,
 * a process that no longer answers. It looks closely only at processes that owe an answer for a while, so in calm times
 * it costs next to nothing.
 */
import { cpuMs, residentBytes } from './usage.ts'
import { markedRun, type Verdict, type Worker } from './worker.ts'

const LOOK_MS = 50
/** A turn may use more than its run has by this factor and this much: the sandbox's own limit comes first. */
const CPU_FACTOR = 1.5
const CPU_GRACE_MS = 800
/** Of a turn that uses no CPU: a process that waits for something it must not wait for. */
const STUCK_MS = 15_000
/** Of a run that the engine has stopped and that still executes. */
const STOPPED_MS = 250
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
	const look = setInterval(() => {
		const now = performance.now()
		for (const worker of workers) {
			const oldest = worker.owing[0]
			if (!oldest || worker.condemned || now - oldest.since < LOOK_MS) continue
			const verdict = judgeTurn(worker, now)
			if (verdict) condemn(worker, verdict)
		}
	}, LOOK_MS)
	const idleLook = setInterval(() => {
		for (const worker of workers) {
			if (burnsIdle(worker)) condemn(worker, innocent('It used CPU time without having been asked anything.'))
		}
	}, IDLE_LOOK_MS)
	look.unref()
	idleLook.unref()
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
	if (worker.turn?.key !== key) worker.turn = { key, since: now, cpuMs: usedMs, bytes }
	const { turn } = worker
	if (!run) return now - turn.since > STUCK_MS ? innocent('It does not answer.') : undefined
	const { cpuMs: limitMs, memoryMb } = run.job
	if (run.stoppedAt !== undefined && now - Math.max(turn.since, run.stoppedAt) > STOPPED_MS) {
		return innocent('A stopped run did not end.')
	}
	if (bytes - turn.bytes > (2 * memoryMb + MEMORY_GRACE_MB) * BYTES_PER_MB) {
		return {
			guilty: run,
			code: 'memory_limit_reached',
			message: 'The program used more memory than limits.memory_mb allows.',
		}
	}
	if (usedMs - turn.cpuMs > CPU_FACTOR * limitMs + CPU_GRACE_MS) {
		return {
			guilty: run,
			code: 'cpu_limit_reached',
			message: `The program used up its ${limitMs} ms of CPU time.`,
		}
	}
	return now - turn.since > CPU_FACTOR * limitMs + STUCK_MS ? innocent('It does not answer.') : undefined
}

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

function innocent(message: string): Verdict {
	return { guilty: undefined, code: 'cpu_limit_reached', message }
}
