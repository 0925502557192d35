import type { Worker } from 'node:worker_threads'

/** Before it, a job is not looked at: most are done, and a look interrupts their thread. Part of the job's time. */
const FIRST_LOOK = 1 / 5
/** The kernel counts CPU time in ticks of up to so long. */
const TICK_MS = 10

export interface JobTime {
	/** Of CPU time. By the clock alone, a busy machine would end good jobs. */
	jobMs: number
	/** By the clock, where the machine gives its thread no processor. */
	lostMs: number
}

/** Tells when a thread has spent its time on a job. Answers what stops the watch. */
export function watchJob(
	worker: Worker,
	{ jobMs: ms, lostMs }: JobTime,
	onOver: (how: 'time' | 'lost') => void,
): () => void {
	let timer = setTimeout(firstLook, ms * FIRST_LOOK)
	let last: NodeJS.Timeout | undefined
	let over = false
	const stop = () => {
		over = true
		clearTimeout(timer)
		clearTimeout(last)
	}
	const end = (how: 'time' | 'lost') => {
		if (over) return
		stop()
		onOver(how)
	}

	function firstLook() {
		last = setTimeout(end, lostMs, 'lost')
		void look()
	}

	async function look(first?: number) {
		// A thread that has ended says so itself.
		const now = await cpuMs(worker).catch(() => undefined)
		if (over || now === undefined) return
		const left = ms - (now - (first ?? now))
		if (left <= 0) end('time')
		else timer = setTimeout(look, Math.max(left, TICK_MS), first ?? now)
	}

	return stop
}

/** Also while it computes. */
async function cpuMs(worker: Worker): Promise<number> {
	const { user, system } = await worker.cpuUsage()
	return (user + system) / 1000
}
