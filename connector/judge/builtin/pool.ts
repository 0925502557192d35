/**
 * A few worker threads, started when first needed, and a bounded queue before them. Long calls never have all threads, so
 * that short ones do not wait for them. A full queue is an error the caller can name (`capacity`); a job over its time ends its worker, and the next job gets a new one. A job that its
 * caller gives up runs to its end: tinypool 2.2.0 would end the worker, and a new one takes 70 ms instead of 3.
 */
import { existsSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { Worker } from 'node:worker_threads'
import { JudgeError } from '../types.ts'
import type { Calls, Tool } from './calls.ts'

export interface PoolSettings {
	/** Threads at most for long calls, and one more; default: one less than the machine has, at least one, at most four. */
	threads?: number
	/** Calls that may wait while all threads work. */
	waiting?: number
	/** Bound on one call, in milliseconds, from when its thread has started. */
	timeoutMs?: number
	/** Other weights than those shipped. */
	weights?: URL | string
}

export interface JudgePool {
	/** `units`: characters of the call. */
	run<T extends Tool>(tool: T, call: Calls[T][0], units: number, signal: AbortSignal): Promise<Calls[T][1]>
	close(): Promise<void>
}

/** Of the shortest, which take 50 ms with the encoder, the last of them waits for 6 s on two threads. */
const WAITING = 256
const JOB_TIMEOUT_MS = 10_000
/** A thread reads 20 MB of weights and compiles what it runs: 70 ms, on a machine with too much to do many times that. */
const START_TIMEOUT_MS = 30_000
const MOST_THREADS = 4
/** About 4,000 tokens: under 30 ms of work. */
const SHORT_UNITS = 16_000

interface Job {
	tool: Tool
	call: unknown
	long: boolean
	resolve(answer: unknown): void
	reject(error: Error): void
}

interface Seat {
	worker: Worker
	/** Whether it has loaded what it needs. */
	ready: boolean
	job: Job | null
	timer?: NodeJS.Timeout
}

interface State {
	settings: PoolSettings
	seats: Set<Seat>
	queue: Job[]
	closed: boolean
}

export function createPool(settings: PoolSettings): JudgePool {
	const state: State = { settings, seats: new Set(), queue: [], closed: false }
	return {
		run: <T extends Tool>(tool: T, call: Calls[T][0], units: number, signal: AbortSignal) =>
			enqueue(state, { tool, call, long: units > SHORT_UNITS }, signal) as Promise<Calls[T][1]>,
		close: () => close(state),
	}
}

function enqueue(
	state: State,
	asked: Pick<Job, 'tool' | 'call' | 'long'>,
	signal: AbortSignal,
): Promise<unknown> {
	const { queue, settings } = state
	if (state.closed) return Promise.reject(closedError())
	if (queue.length >= (settings.waiting ?? WAITING)) {
		return Promise.reject(new JudgeError('capacity', 'The judge has as many calls waiting as it may.'))
	}
	return new Promise((resolve, reject) => {
		const abort = () => {
			const place = queue.indexOf(job)
			if (place >= 0) queue.splice(place, 1)
			reject(signal.reason)
		}
		const settled =
			<T>(then: (value: T) => void) =>
			(value: T) => {
				signal.removeEventListener('abort', abort)
				then(value)
			}
		const job: Job = { ...asked, resolve: settled(resolve), reject: settled(reject) }
		signal.addEventListener('abort', abort, { once: true })
		queue.push(job)
		next(state)
	})
}

function next(state: State): void {
	const { queue, seats, settings } = state
	const threads = settings.threads ?? Math.min(MOST_THREADS, Math.max(1, availableParallelism() - 1))
	const full = [...seats].filter(({ job }) => job?.long).length >= threads
	const place = queue.findIndex(({ long }) => !(long && full))
	if (place < 0) return
	let taken = [...seats].find((one) => !one.job)
	if (!taken && seats.size <= threads) taken = hire(state)
	if (!taken) return
	const [job] = queue.splice(place, 1) as [Job]
	taken.job = job
	taken.worker.ref()
	limit(state, taken)
	taken.worker.postMessage({ tool: job.tool, call: job.call })
}

function limit(state: State, seat: Seat): void {
	const late = () => dismiss(state, seat, new JudgeError('unavailable', 'The judge took too long.'))
	clearTimeout(seat.timer)
	seat.timer = setTimeout(late, seat.ready ? (state.settings.timeoutMs ?? JOB_TIMEOUT_MS) : START_TIMEOUT_MS)
}

function hire(state: State): Seat {
	const seat: Seat = {
		worker: new Worker(workerFile(), { workerData: { weights: String(state.settings.weights) } }),
		ready: false,
		job: null,
	}
	state.seats.add(seat)
	seat.worker.unref()
	seat.worker.on('message', (message: 'ready' | { answer: unknown } | { error: string }) => {
		if (message === 'ready') {
			seat.ready = true
			if (seat.job) limit(state, seat)
			return
		}
		const job = release(seat)
		if ('error' in message) job?.reject(new JudgeError('unavailable', message.error))
		else job?.resolve(message.answer)
		next(state)
	})
	seat.worker.on('error', (cause) =>
		dismiss(state, seat, new JudgeError('unavailable', 'The judge failed.', { cause })),
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

function dismiss(state: State, seat: Seat, error: Error): void {
	state.seats.delete(seat)
	release(seat)?.reject(error)
	void seat.worker.terminate()
	next(state)
}

async function close(state: State): Promise<void> {
	state.closed = true
	for (const job of state.queue.splice(0)) job.reject(closedError())
	const seats = [...state.seats]
	state.seats.clear()
	await Promise.all(
		seats.map((seat) => {
			release(seat)?.reject(closedError())
			return seat.worker.terminate()
		}),
	)
}

const closedError = () => new JudgeError('unavailable', 'The judge is closed.')

/** Beside this file when run from the sources; beside the bundle, or one above its chunks, when built. */
function workerFile(): URL {
	const names = ['../worker.ts', './judge-worker.mjs', '../judge-worker.mjs']
	const found = names.map((name) => new URL(name, import.meta.url)).find((url) => existsSync(url))
	if (!found) throw new Error('The judge’s worker file is missing; run the build again.')
	return found
}
