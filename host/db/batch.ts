import postgres from 'postgres'
import { unavailable } from './away.ts'

/** One row may be locked, and its item waits alone. After so many it is the table, or the disk, and the rest need not wait. */
const mostUnavailable = 2
/** Fewer in flight wait for nobody. */
const many = 8
/** A batch of a third of those in flight is enough. */
const part = 3
const mostWaitMs = 20

export interface BatchOptions {
	maxItems?: number
	lanes?: number
	/** How many there are that each call here sooner or later. */
	inFlight?: () => number
}

/**
 * Group commit: calls made in one turn of the event loop, or while `lanes` statements are under way, go out as one
 * statement. `write` answers one result an item, in order; an `Error` among them rejects that item alone.
 *
 * Where many are in flight, a statement waits until a third of them have called, but no longer than twice what the last
 * one took: short where Postgres is quick, and on a busy machine more share a commit, which leaves it time for all. After
 * a wait that brought nobody, none waits until two are there together.
 *
 * A statement that Postgres refused has changed nothing, so its items are tried one by one and a bad one fails alone.
 * After a lost connection nobody knows what happened: all items of the batch are rejected with that error.
 */
export function batched<In, Result>(
	write: (items: In[]) => Promise<Result[]>,
	{ maxItems = 256, lanes = 2, inFlight = () => 0 }: BatchOptions = {},
): (item: In) => Promise<Exclude<Result, Error>> {
	interface Waiting {
		item: In
		resolve: (value: Exclude<Result, Error>) => void
		reject: (error: unknown) => void
	}
	let queue: Waiting[] = []
	let busy = 0
	let scheduled = false
	let waiting: NodeJS.Timeout | undefined
	/** By the last statement. */
	let tookMs = 0
	/** The last wait brought nobody: those in flight are silent, and whoever calls calls alone. */
	let inVain = false

	function schedule() {
		if (waiting && isEnough()) {
			clearTimeout(waiting)
			waiting = undefined
			setImmediate(flush)
		}
		if (scheduled || busy >= lanes || queue.length === 0) return
		scheduled = true
		if (isEnough()) setImmediate(flush)
		else waiting = setTimeout(flush, Math.min(2 * tookMs, mostWaitMs))
	}

	function isEnough(): boolean {
		const all = inFlight()
		return all < many || inVain || tookMs === 0 || queue.length * part >= all
	}

	function flush() {
		scheduled = false
		inVain = (inVain || waiting !== undefined) && queue.length === 1
		waiting = undefined
		if (busy >= lanes || queue.length === 0) return
		const batch = queue.slice(0, maxItems)
		queue = queue.slice(maxItems)
		busy++
		const begun = performance.now()
		send(batch).finally(() => {
			busy--
			tookMs = performance.now() - begun
			schedule()
		})
		schedule()
	}

	/** What it failed for, if it did. */
	async function send(batch: Waiting[]): Promise<unknown> {
		try {
			const results = await write(batch.map((waiting) => waiting.item))
			if (results.length !== batch.length) throw new Error('a batch must answer one result an item')
			for (const [i, waiting] of batch.entries()) {
				const result = results[i]
				if (result instanceof Error) waiting.reject(result)
				else waiting.resolve(result as Exclude<Result, Error>)
			}
		} catch (error) {
			if (batch.length > 1 && error instanceof postgres.PostgresError) await sendSingly(batch, error)
			else for (const waiting of batch) waiting.reject(error)
			return error
		}
		return null
	}

	async function sendSingly(batch: Waiting[], refusal: postgres.PostgresError): Promise<void> {
		let unavailables = 0
		for (const waiting of batch) {
			if (unavailables === mostUnavailable) waiting.reject(refusal)
			else if (unavailable(await send([waiting]))) unavailables++
		}
	}

	return (item) =>
		new Promise((resolve, reject) => {
			queue.push({ item, resolve, reject })
			schedule()
		})
}
