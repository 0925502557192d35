import { type Transferable, Worker } from 'node:worker_threads'
import { type JobTime, watchJob } from './job-time.ts'

const START_MAX_MS = 60_000

/** A job that is over its time ends with its thread. */
export interface PoolOptions extends JobTime {
	file: URL
	/** Threads at the most; each starts when it is first needed. */
	size: number
	heapMb: number
	/** Jobs that wait: of one owner, and of all. */
	perOwner: number
	waiting: number
	/** A thread without work for so long ends; unset: it stays. */
	idleMs?: number
}

/**
 * Why there is no answer. `error`: the thread threw. `lost`: none could be started, or had a processor in time, or the
 * pool was closed.
 */
export type Failure = 'busy' | 'time' | 'memory' | 'error' | 'aborted' | 'lost'
export type Outcome<A> = { answer: A } | { failed: Failure }

export interface Asked {
	/** Whose turn it takes: one job of an owner runs at a time, and owners take turns. */
	owner: string
	/** Ends the job, also while it runs. */
	signal?: AbortSignal | undefined
	/** Asked when its turn comes: false, and it ends as `aborted`. */
	still?: () => boolean
	transfer?: Transferable[]
}

/**
 * Threads for work on strangers' texts, which may take for ever. They hold no process up while they are idle. tinypool
 * 2.2.0 has one queue for all, so an owner with many jobs would keep the others waiting.
 */
export interface ThreadPool<Q, A> {
	/** Never rejects. */
	ask(question: Q, asked: Asked): Promise<Outcome<A>>
	/** Ends the threads; a later question starts others. */
	close(): Promise<void>
}

interface Job<A> extends Asked {
	question: unknown
	settle: (outcome: Outcome<A>) => void
	seat: Seat<A> | null
}

interface Seat<A> {
	worker: Worker
	ready: boolean
	job: Job<A> | null
	/** Of its start, and of its rest. */
	timer: NodeJS.Timeout | undefined
	unwatch: (() => void) | undefined
}

/** A thread's file says 'ready' once, and then answers each message with one. */
export function openPool<Q, A>(options: PoolOptions): ThreadPool<Q, A> {
	/** Jobs by owner; whose turn is next comes first. */
	const queues = new Map<string, Job<A>[]>()
	const running = new Set<string>()
	const seats = new Set<Seat<A>>()
	let waiting = 0

	function next(): Job<A> | null {
		for (const [owner, queue] of queues) {
			if (running.has(owner)) continue
			queues.delete(owner)
			const job = queue.shift() as Job<A>
			waiting--
			if (queue.length > 0) queues.set(owner, queue)
			if (job.still?.() === false) {
				job.settle({ failed: 'aborted' })
				return next()
			}
			return job
		}
		return null
	}

	function pump(): void {
		for (const seat of seats) {
			if (!seat.ready || seat.job) continue
			const job = next()
			if (!job) return
			give(seat, job)
		}
		const starting = [...seats].filter(({ ready }) => !ready).length
		const able = [...queues.keys()].filter((owner) => !running.has(owner)).length
		if (able > starting && seats.size < options.size) start()
	}

	function give(seat: Seat<A>, job: Job<A>): void {
		clearTimeout(seat.timer)
		seat.job = job
		job.seat = seat
		running.add(job.owner)
		seat.unwatch = watchJob(seat.worker, options, (how) => end(seat, how))
		seat.worker.ref()
		seat.worker.postMessage(job.question, job.transfer)
	}

	function start(): void {
		const worker = new Worker(options.file, {
			env: {},
			resourceLimits: { maxOldGenerationSizeMb: options.heapMb },
		})
		const seat: Seat<A> = {
			worker,
			ready: false,
			job: null,
			timer: undefined,
			unwatch: undefined,
		}
		seats.add(seat)
		seat.timer = setTimeout(() => end(seat, 'lost'), START_MAX_MS)
		worker.on('message', (answer: A | 'ready') => {
			if (!seats.has(seat)) return
			if (seat.ready) free(seat, { answer: answer as A })
			seat.ready = true
			rest(seat)
			pump()
		})
		worker.on('error', (error) =>
			end(seat, (error as { code?: unknown }).code === 'ERR_WORKER_OUT_OF_MEMORY' ? 'memory' : 'error'),
		)
		worker.on('exit', () => end(seat, 'lost'))
	}

	function rest(seat: Seat<A>): void {
		clearTimeout(seat.timer)
		seat.worker.unref()
		if (options.idleMs === undefined) return
		seat.timer = setTimeout(() => end(seat, 'lost'), options.idleMs)
		seat.timer.unref()
	}

	function free(seat: Seat<A>, outcome: Outcome<A>): void {
		const { job } = seat
		seat.job = null
		seat.unwatch?.()
		if (!job) return
		running.delete(job.owner)
		job.settle(outcome)
	}

	/** Its job pays for its thread. One that never started fails all that wait, which would meet the same. */
	function end(seat: Seat<A>, failed: Failure): void {
		if (!seats.delete(seat)) return
		clearTimeout(seat.timer)
		void seat.worker.terminate()
		free(seat, { failed })
		if (!seat.ready) drop()
		// Whoever hears of it decides first whether the next of its jobs is still wanted.
		setImmediate(pump)
	}

	function drop(): void {
		const jobs = [...queues.values()].flat()
		queues.clear()
		waiting = 0
		for (const job of jobs) job.settle({ failed: 'lost' })
	}

	function abort(job: Job<A>): void {
		if (job.seat) {
			if (job.seat.job === job) end(job.seat, 'aborted')
			return
		}
		const left = queues.get(job.owner)?.filter((other) => other !== job) ?? []
		if (left.length > 0) queues.set(job.owner, left)
		else queues.delete(job.owner)
		waiting--
		job.settle({ failed: 'aborted' })
	}

	return {
		ask: (question, asked) =>
			new Promise((resolve) => {
				const queue = queues.get(asked.owner) ?? []
				if (asked.signal?.aborted) return resolve({ failed: 'aborted' })
				if (queue.length >= options.perOwner || waiting >= options.waiting) return resolve({ failed: 'busy' })
				const stop = () => abort(job)
				const settle = (outcome: Outcome<A>) => {
					asked.signal?.removeEventListener('abort', stop)
					resolve(outcome)
				}
				const job: Job<A> = { ...asked, question, settle, seat: null }
				asked.signal?.addEventListener('abort', stop)
				queue.push(job)
				queues.set(asked.owner, queue)
				waiting++
				pump()
			}),
		async close() {
			drop()
			const ended = [...seats]
			for (const seat of ended) end(seat, 'lost')
			await Promise.all(ended.map(({ worker }) => worker.terminate()))
		},
	}
}

/** A thread's source beside `here`, or its bundle beside the process's own (`dist/`, whose shared parts lie in `chunks/`). */
export function workerFile(here: string, source: string, built: string): URL {
	if (here.endsWith('.ts')) return new URL(source, here)
	return new URL(here.includes('/chunks/') ? `../${built}` : `./${built}`, here)
}
