/** A process with the runs it executes. Serves one deployment for its whole life. */
import { endRun, receive, type SandboxedRun, waitsForNothing } from './live-run.ts'
import type { SandboxProcess } from './process.ts'

export interface Worker {
	readonly process: SandboxProcess
	readonly deployment: string
	readonly runs: Map<number, SandboxedRun>
	/** Every message is answered by one frame, in order: these are still to be answered. */
	readonly owing: { run: SandboxedRun; since: number }[]
	/** Digests of the bundles it holds. */
	readonly bundles: Set<string>
	/** Frames received; tells two turns apart. */
	answered: number
	/** The watch found it in one turn for long, by its CPU time: new runs go elsewhere. */
	computing: boolean
	served: number
	idleSince: number
	/** It may hold isolates that it no longer needs. */
	untrimmed: boolean
	condemned: Verdict | undefined
	turn: Turn | undefined
	idle: { cpuMs: number; looks: number } | undefined
}

/** Why a process is killed; `guilt` where one run has done it, which then ends with that code unless it is over. */
export interface Verdict {
	message: string
	guilt?: { run: SandboxedRun; code: 'agent_error' | 'cpu_limit_reached' | 'memory_limit_reached' }
	/** Where nobody is guilty: whose turn it was, null for nobody's. It alone counts a loss. */
	executing?: SandboxedRun | null
}

/** The turn that the watch found it in; times by the watch's own clock. */
export interface Turn {
	key: string
	since: number
	/** When it was last seen to have used CPU time. */
	movedAt: number
	/** Since when its run is known to be stopped. */
	stoppedAt?: number
	/** CPU time of the process: at the turn's beginning, and when last looked at. */
	cpuMs: number
	usedMs: number
	bytes: number
}

/** Of a whole process, beyond three times what its runs may use: V8's reserves, isolates that are kept. */
const PROCESS_GRACE_MB = 768

/** What all its runs may hold together. */
export function allowedMb({ runs }: Worker): number {
	let allowed = PROCESS_GRACE_MB
	for (const { job } of runs.values()) allowed += 3 * job.memoryMb
	return allowed
}

export function newWorker(process: SandboxProcess, deployment: string): Worker {
	return {
		process,
		deployment,
		runs: new Map(),
		owing: [],
		bundles: new Set(),
		answered: 0,
		computing: false,
		served: 0,
		idleSince: performance.now(),
		untrimmed: false,
		condemned: undefined,
		turn: undefined,
		idle: undefined,
	}
}

export function startRun(worker: Worker, run: SandboxedRun): void {
	const { bundle, memoryMb, cpuMs, starved = 0, alone = false, inputs, seed, startedAt } = run.job
	if (!worker.bundles.has(bundle.digest)) {
		worker.bundles.add(bundle.digest)
		const scripts = bundle.scripts.map(({ name, code }) => ({ name, code }))
		worker.process.send(['bundle', bundle.digest, bundle.agent, scripts])
	}
	worker.runs.set(run.id, run)
	worker.process.allow(allowedMb(worker))
	worker.served += 1
	worker.untrimmed = true
	run.state = 'going'
	owe(worker, run)
	const { id } = run
	worker.process.send([
		...(['start', id, bundle.digest, memoryMb, cpuMs, starved, inputs, seed, startedAt] as const),
		alone,
	])
}

export function deliverTo(
	worker: Worker,
	run: SandboxedRun,
	n: number,
	ok: boolean,
	json: string,
	at: number,
): void {
	if (!run.awaited.delete(n)) return
	owe(worker, run)
	worker.process.send(['deliver', run.id, n, ok, json, at])
}

/** Its isolate is thrown away, whatever it is doing. */
export function stopRun(worker: Worker, run: SandboxedRun): void {
	run.stopped = true
	worker.runs.delete(run.id)
	owe(worker, run)
	worker.process.send(['stop', run.id])
}

function owe(worker: Worker, run: SandboxedRun): void {
	run.owed += 1
	worker.owing.push({ run, since: performance.now() })
}

/** Answers false where the process broke the protocol: it is no longer ours. */
export function onFrame(worker: Worker, frame: unknown): boolean {
	if (!Array.isArray(frame)) return false
	const owed = worker.owing.shift()
	if (!owed || owed.run.id !== frame[0]) return false
	const { run } = owed
	run.owed -= 1
	worker.answered += 1
	worker.computing = false
	for (let i = 1; i < frame.length && run.state === 'going'; i++) {
		const refusal = receive(run, frame[i])
		if (refusal !== undefined) failRun(worker, run, refusal)
	}
	if (waitsForNothing(run)) failRun(worker, run, 'The program waits for something that will never come.')
	if (run.state === 'over') worker.runs.delete(run.id)
	return true
}

function failRun(worker: Worker, run: SandboxedRun, message: string): void {
	if (run.state !== 'going') return
	stopRun(worker, run)
	endRun(run, { ok: false, code: 'agent_error', message })
}

/** The run that executes, or executed when the process died. */
export function markedRun(worker: Worker): SandboxedRun | undefined {
	const id = worker.process.mark.read()
	return worker.owing.find(({ run }) => run.id === id)?.run
}
