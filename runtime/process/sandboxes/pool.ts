/**
 * Which process executes which run. A process belongs to one deployment, or to those of an account whose agents have no
 * code; there are more when one is full or computes for long. Runs that find no room wait in order.
 */
import { commonOf, isCommon, openCommon } from './common.ts'
import { type Exit, endsOf } from './exit.ts'
import { endRun, type SandboxedRun } from './live-run.ts'
import type { SandboxProcess } from './process.ts'
import { Spares, type SparesOptions } from './spares.ts'
import type { SandboxEnd } from './types.ts'
import {
	deliverTo,
	forgetDeployment,
	isFull,
	isIdle,
	maxRuns,
	maxServed,
	newWorker,
	onFrame,
	startRun,
	stopRun,
	type Verdict,
	type Worker,
} from './worker.ts'

const MAX_WORKERS = 4
const MAX_WAITING = 2_000
const SWEEP_MS = 1_000
const TRIM_MS = 5_000

export interface PoolOptions extends SparesOptions {
	/** Processes of all deployments together. */
	maxWorkers: number
}

/** A deployment, or what the deployments of an account have in common. */
interface Deployment {
	readonly workers: Set<Worker>
	starting: number
	waiting: SandboxedRun[]
}

export class SandboxPool {
	readonly workers = new Set<Worker>()
	readonly spares: Spares
	readonly #options: PoolOptions
	readonly #deployments = new Map<string, Deployment>()
	readonly #workerOf = new Map<SandboxedRun, Worker>()
	/** Deployments that wait for any process at all, the longest-waiting first. */
	readonly #starved = new Set<string>()
	readonly #common = openCommon()
	readonly #ending = new Set<Promise<void>>()
	readonly #sweep: NodeJS.Timeout
	readonly #trimming: NodeJS.Timeout
	#closed = false

	constructor(options: PoolOptions, first: SandboxProcess) {
		this.#options = options
		this.spares = new Spares(options, first)
		this.#sweep = setInterval(() => this.#stopIdle(), Math.min(SWEEP_MS, options.idleStopMs)).unref()
		this.#trimming = setInterval(() => this.#trim(), TRIM_MS).unref()
	}

	start(run: SandboxedRun): void {
		const id = this.#enter(run)
		const deployment = this.#deployments.get(id) ?? { workers: new Set(), starting: 0, waiting: [] }
		if (this.#closed) return void setImmediate(endRun, run, lost('The runtime is shutting down.'))
		if (deployment.waiting.length >= MAX_WAITING) {
			const message = `Over ${MAX_WAITING} runs of this deployment wait for a sandbox.`
			return void setImmediate(endRun, run, { ok: false, code: 'agent_error', message })
		}
		this.#deployments.set(id, deployment)
		deployment.waiting.push(run)
		this.#place(id, deployment)
	}

	/** Where the run belongs. */
	#enter(run: SandboxedRun): string {
		const id = run.job.deployment
		const common = commonOf(run.job.account)
		const waiting = this.#deployments.get(common)?.waiting.length ?? 0
		if (waiting >= MAX_WAITING || !this.#common.takes(run.job)) return id
		this.#common.enter(id)
		run.onOver = (end) => this.#common.leave(id, end)
		return common
	}

	deliver(run: SandboxedRun, n: number, ok: boolean, json: string, at: number): void {
		const worker = this.#workerOf.get(run)
		if (worker && run.state === 'going') deliverTo(worker, run, n, ok, json, at)
	}

	stop(run: SandboxedRun): void {
		if (run.state === 'over') return
		run.state = 'over'
		run.onOver?.(undefined)
		const worker = this.#workerOf.get(run)
		if (worker) stopRun(worker, run)
		for (const id of worker ? [] : [run.job.deployment, commonOf(run.job.account)]) {
			const deployment = this.#deployments.get(id)
			if (deployment) deployment.waiting = deployment.waiting.filter((one) => one !== run)
		}
	}

	/** Kills a process; its runs end when it is gone. */
	condemn(worker: Worker, verdict: Verdict): void {
		if (worker.condemned) return
		worker.condemned = verdict
		this.#deployments.get(worker.deployment)?.workers.delete(worker)
		this.#track(worker.process.kill())
	}

	async drop(id: string): Promise<void> {
		const deployment = this.#deployments.get(id)
		this.#deployments.delete(id)
		this.#starved.delete(id)
		if (deployment) loseWaiting(deployment, STOPPED)
		this.#dropCommon(id)
		const going = Array.from(this.workers).filter((worker) => worker.deployment === id)
		await Promise.all(going.map((worker) => worker.process.kill()))
	}

	#dropCommon(id: string): void {
		for (const [name, common] of this.#deployments) {
			if (!isCommon(name)) continue
			const mine = common.waiting.filter(({ job }) => job.deployment === id)
			common.waiting = common.waiting.filter(({ job }) => job.deployment !== id)
			for (const run of mine) endRun(run, lost(STOPPED))
		}
		for (const worker of this.workers)
			if (isCommon(worker.deployment))
				for (const run of forgetDeployment(worker, id)) endRun(run, lost(STOPPED))
	}

	async close(): Promise<void> {
		this.#closed = true
		clearInterval(this.#sweep)
		clearInterval(this.#trimming)
		for (const deployment of this.#deployments.values())
			loseWaiting(deployment, 'The runtime is shutting down.')
		await Promise.all([this.spares.close(), ...Array.from(this.workers, (worker) => worker.process.kill())])
		await Promise.allSettled(this.#ending)
	}

	#place(id: string, deployment: Deployment): void {
		for (;;) {
			const run = deployment.waiting[0]
			if (!run) break
			const worker = choose(deployment) ?? this.#grow(id, deployment)
			if (!worker) return
			deployment.waiting.shift()
			this.#workerOf.set(run, worker)
			startRun(worker, run)
		}
		this.#starved.delete(id)
	}

	/** One more process for a deployment, at once where a spare is there. */
	#grow(id: string, deployment: Deployment): Worker | undefined {
		const { starting, waiting, workers } = deployment
		// One less where some of its runs are in the common process.
		const most = this.#common.has(id) ? MAX_WORKERS - 1 : MAX_WORKERS
		if (this.#closed || workers.size + starting >= most) return undefined
		if (starting * maxRuns(id) >= waiting.length) return undefined
		if (this.workers.size >= this.#options.maxWorkers && !this.#stopIdlest()) {
			this.#starved.add(id)
			return undefined
		}
		const spare = this.spares.take()
		if (spare) return this.#adopt(id, deployment, spare)
		deployment.starting += 1
		this.#track(this.#startFor(id, deployment))
		return undefined
	}

	async #startFor(id: string, deployment: Deployment): Promise<void> {
		try {
			const process = await this.#options.start()
			deployment.starting -= 1
			if (this.#closed || this.#deployments.get(id) !== deployment) return await process.kill()
			this.#adopt(id, deployment, process)
			this.#place(id, deployment)
		} catch (error) {
			deployment.starting -= 1
			this.#options.onError(error)
			if (deployment.workers.size === 0) loseWaiting(deployment, 'No sandbox could be started.')
		}
	}

	#adopt(id: string, deployment: Deployment, process: SandboxProcess): Worker {
		const worker = newWorker(process, id)
		this.workers.add(worker)
		deployment.workers.add(worker)
		process.events = {
			onFrame: (frame) => this.#onFrame(worker, frame),
			onExit: (exit) => this.#onExit(worker, exit),
		}
		return worker
	}

	#onFrame(worker: Worker, frame: unknown): void {
		if (worker.condemned) return
		const run = worker.owing[0]?.run
		if (!onFrame(worker, frame)) {
			const message = 'The program broke the way its effects are sent.'
			this.condemn(worker, run ? { message, guilt: { run, code: 'agent_error' } } : { message })
			return
		}
		if (run?.state === 'over') this.#workerOf.delete(run)
		if (worker.runs.size === 0) {
			worker.idleSince = performance.now()
			if (worker.served >= maxServed(worker.deployment) && worker.owing.length === 0) this.#stop(worker)
		}
		const deployment = this.#deployments.get(worker.deployment)
		if (deployment && deployment.waiting.length > 0) this.#place(worker.deployment, deployment)
	}

	#onExit(worker: Worker, exit: Exit): void {
		this.#forget(worker)
		for (const { run } of worker.owing) this.#workerOf.delete(run)
		for (const [run, end] of endsOf(worker, exit)) {
			this.#workerOf.delete(run)
			endRun(run, end)
		}
		for (const id of [worker.deployment, ...this.#starved]) {
			const deployment = this.#deployments.get(id)
			if (deployment) this.#place(id, deployment)
		}
	}

	/** Ends a process that has nothing to do. */
	#stop(worker: Worker): void {
		this.#forget(worker)
		this.#track(worker.process.kill())
	}

	#forget(worker: Worker): void {
		this.workers.delete(worker)
		const deployment = this.#deployments.get(worker.deployment)
		if (!deployment) return
		deployment.workers.delete(worker)
		if (deployment.workers.size + deployment.starting + deployment.waiting.length === 0) {
			this.#deployments.delete(worker.deployment)
		}
	}

	#stopIdle(): void {
		const before = performance.now() - this.#options.idleStopMs
		for (const worker of this.workers) if (isIdle(worker) && worker.idleSince < before) this.#stop(worker)
	}

	/** Until it has been idle for longer than it keeps what it does not need. */
	#trim(): void {
		const before = performance.now() - TRIM_MS
		for (const worker of this.workers) {
			if (!worker.untrimmed || worker.condemned) continue
			worker.untrimmed = !isIdle(worker) || worker.idleSince >= before
			worker.process.send(['trim'])
		}
	}

	#stopIdlest(): boolean {
		const [idlest] = Array.from(this.workers)
			.filter(isIdle)
			.sort((a, b) => a.idleSince - b.idleSince)
		if (idlest) this.#stop(idlest)
		return idlest !== undefined
	}

	#track(promise: Promise<void>): void {
		const settled = promise.finally(() => this.#ending.delete(settled))
		this.#ending.add(settled)
	}
}

function choose({ workers }: Deployment): Worker | undefined {
	let best: Worker | undefined
	for (const worker of workers) {
		const { runs } = worker
		if (worker.condemned || worker.computing || isFull(worker)) continue
		if (!best || runs.size < best.runs.size) best = worker
	}
	return best
}

const STOPPED = 'The deployment was stopped.'

function lost(message: string): SandboxEnd {
	return { ok: false, code: 'sandbox_lost', message, blameless: false }
}

function loseWaiting(deployment: Deployment, message: string): void {
	const { waiting } = deployment
	deployment.waiting = []
	for (const run of waiting) endRun(run, lost(message))
}
