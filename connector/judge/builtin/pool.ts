/**
 * A few worker threads, started when first needed, and a bounded queue before them. A full queue is an error the
 * caller can name (`capacity`); a job over its time ends its worker, which is replaced.
 */
import { existsSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { Worker } from 'node:worker_threads'
import { JudgeError } from '../types.ts'
import type { Calls, Tool } from './calls.ts'

export interface PoolSettings {
	/** Threads at most; default: one less than the machine has, at least one, at most four. */
	threads?: number
	/** Calls that may wait while all threads work. */
	waiting?: number
	/** Bound on one call, in milliseconds. */
	timeoutMs?: number
}

const WAITING = 64
const JOB_TIMEOUT_MS = 10_000

interface Job {
	tool: Tool
	call: unknown
	resolve(answer: unknown): void
	reject(error: Error): void
}

interface Seat {
	worker: Worker
	job: Job | null
	timer?: NodeJS.Timeout
}

export function createPool(settings: PoolSettings) {
	const threads = settings.threads ?? Math.min(4, Math.max(1, availableParallelism() - 1))
	const seats = new Set<Seat>()
	const queue: Job[] = []
	let closed = false

	function run<T extends Tool>(tool: T, call: Calls[T][0], signal: AbortSignal): Promise<Calls[T][1]> {
		if (closed) return Promise.reject(new JudgeError('unavailable', 'The judge is closed.'))
		if (queue.length >= (settings.waiting ?? WAITING)) {
			return Promise.reject(new JudgeError('capacity', 'The judge has as many calls waiting as it may.'))
		}
		return new Promise<Calls[T][1]>((resolve, reject) => {
			const abort = () => {
				const place = queue.indexOf(job)
				if (place >= 0) queue.splice(place, 1)
				reject(signal.reason)
			}
			const job: Job = {
				tool,
				call,
				resolve(answer) {
					signal.removeEventListener('abort', abort)
					resolve(answer as Calls[T][1])
				},
				reject(error) {
					signal.removeEventListener('abort', abort)
					reject(error)
				},
			}
			signal.addEventListener('abort', abort, { once: true })
			queue.push(job)
			next()
		})
	}

	function next(): void {
		if (!queue.length) return
		let seat = [...seats].find((one) => !one.job)
		if (!seat && seats.size < threads) seat = hire()
		if (!seat) return
		const job = queue.shift()!
		const taken = seat
		taken.job = job
		taken.worker.ref()
		taken.timer = setTimeout(
			() => dismiss(taken, new JudgeError('unavailable', 'The judge took too long.')),
			settings.timeoutMs ?? JOB_TIMEOUT_MS,
		)
		taken.worker.postMessage({ tool: job.tool, call: job.call })
	}

	function hire(): Seat {
		const seat: Seat = { worker: new Worker(workerFile()), job: null }
		seat.worker.unref()
		seats.add(seat)
		seat.worker.on('message', (message: { answer: unknown } | { error: string }) => {
			const job = release(seat)
			if ('error' in message) job?.reject(new JudgeError('unavailable', message.error))
			else job?.resolve(message.answer)
			next()
		})
		seat.worker.on('error', (error) =>
			dismiss(seat, new JudgeError('unavailable', 'The judge failed.', { cause: error })),
		)
		return seat
	}

	function release(seat: Seat): Job | null {
		const { job } = seat
		clearTimeout(seat.timer)
		seat.job = null
		seat.worker.unref()
		return job
	}

	function dismiss(seat: Seat, error: Error): void {
		seats.delete(seat)
		release(seat)?.reject(error)
		void seat.worker.terminate()
		next()
	}

	async function close(): Promise<void> {
		closed = true
		for (const job of queue.splice(0)) job.reject(new JudgeError('unavailable', 'The judge is closed.'))
		const workers = [...seats].map((seat) => {
			release(seat)?.reject(new JudgeError('unavailable', 'The judge is closed.'))
			return seat.worker.terminate()
		})
		seats.clear()
		await Promise.all(workers)
	}

	return { run, close }
}

/** Beside this file when run from the sources; beside the bundle, or one above its chunks, when built. */
function workerFile(): URL {
	const names = ['../worker.ts', './judge-worker.mjs', '../judge-worker.mjs']
	const found = names.map((name) => new URL(name, import.meta.url)).find((url) => existsSync(url))
	if (!found) throw new Error('The judge’s worker file is missing; run the build again.')
	return found
}
