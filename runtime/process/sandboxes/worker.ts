/** A process with the runs it executes. Serves one deployment for its whole life, or runs without code of an account's. */
import { isCommon } from './common.ts'
import { endRun, receive, type SandboxedRun, waitsForNothing } from './live-run.ts'
import type { SandboxProcess } from './process.ts'
import type { GuestBundle } from './types.ts'

export interface Worker {
	readonly process: SandboxProcess
	/** Or what the deployments of an account have in common. */
	readonly deployment: string
	readonly runs: Map<number, SandboxedRun>
	/** Every message is answered by one frame, in order: these are still to be answered. */
	readonly owing: { run: SandboxedRun; since: number }[]
	/** The bundles it holds, by the name they have there, with the characters of their texts. The last used is the last. */
	readonly bundles: Map<string, number>
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

/** Concurrent runs of one process: an isolate each. In a common one those of a deployment share one. */
export const maxRuns = (id: string) => (isCommon(id) ? 1_000 : 100)
/** Native memory is only given back when the process ends: a context for each run takes some, a common one does not. */
export const maxServed = (id: string) => (isCommon(id) ? 1_000_000 : 20_000)

export function isFull({ runs, served, deployment }: Worker): boolean {
	return runs.size >= maxRuns(deployment) || served >= maxServed(deployment)
}

export function isIdle({ runs, owing, condemned }: Worker): boolean {
	return runs.size === 0 && owing.length === 0 && !condemned
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
		bundles: new Map(),
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

/** Of the bundles that a common process holds; others hold the versions of one agent. */
const MAX_BUNDLES = 256
const MAX_BUNDLE_CHARS = 32 * 1024 * 1024

/** Two deployments of one agent have nothing in common. */
const nameOf = ({ deployment }: Worker, { job }: SandboxedRun) =>
	isCommon(deployment) ? `${job.deployment} ${job.bundle.digest}` : job.bundle.digest

export function startRun(worker: Worker, run: SandboxedRun): void {
	const { memoryMb, cpuMs, starved = 0, alone = false, inputs, seed, startedAt } = run.job
	const name = nameOf(worker, run)
	worker.runs.set(run.id, run)
	holdBundle(worker, name, run.job.bundle)
	worker.process.allow(allowedMb(worker))
	worker.served += 1
	worker.untrimmed = true
	run.state = 'going'
	owe(worker, run)
	const { id } = run
	worker.process.send([
		...(['start', id, name, memoryMb, cpuMs, starved, inputs, seed, startedAt] as const),
		alone,
	])
}

function holdBundle(worker: Worker, name: string, { agent, scripts }: GuestBundle): void {
	const { bundles, process } = worker
	const known = bundles.delete(name)
	bundles.set(name, agent.length)
	if (known) return
	process.send(['bundle', name, agent, scripts.map(({ name, code }) => ({ name, code }))])
	if (!isCommon(worker.deployment)) return
	let chars = 0
	for (const one of bundles.values()) chars += one
	if (chars <= MAX_BUNDLE_CHARS && bundles.size <= MAX_BUNDLES) return
	const used = new Set(Array.from(worker.runs.values(), (run) => nameOf(worker, run)))
	const unused = Array.from(bundles.keys()).find((one) => !used.has(one))
	if (unused !== undefined) forgetBundle(worker, unused)
}

function forgetBundle({ bundles, process }: Worker, name: string): void {
	bundles.delete(name)
	process.send(['forget', name])
}

/** Answers the runs that it had of a deployment: they are stopped. Nothing of that deployment stays in the process. */
export function forgetDeployment(worker: Worker, deployment: string): SandboxedRun[] {
	const runs = Array.from(worker.runs.values()).filter(({ job }) => job.deployment === deployment)
	for (const run of runs) stopRun(worker, run)
	for (const name of Array.from(worker.bundles.keys()))
		if (name.startsWith(`${deployment} `)) forgetBundle(worker, name)
	return runs
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
