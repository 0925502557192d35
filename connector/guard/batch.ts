/**
 * Group commit: calls made in one turn of the event loop, or while a statement is under way, go out as one statement.
 * `write` answers one result an item, in order. Items of one key never share a statement: the later waits for the next.
 * A statement that fails, or does not end in time, rejects its items; each caller decides what that means for it.
 */
export function batchedByKey<In, Out>(
	key: (item: In) => string,
	write: (items: In[]) => Promise<Out[]>,
): (item: In) => Promise<Out> {
	let queue: Waiting<In, Out>[] = []
	let busy = false

	function flush() {
		const keys = new Set<string>()
		const batch: Waiting<In, Out>[] = []
		const later: Waiting<In, Out>[] = []
		for (const waiting of queue) {
			const of = key(waiting.item)
			const fits = batch.length < mostItems && !keys.has(of)
			keys.add(of)
			if (fits) batch.push(waiting)
			else later.push(waiting)
		}
		queue = later
		send(batch).finally(() => {
			if (queue.length > 0) flush()
			else busy = false
		})
	}

	async function send(batch: Waiting<In, Out>[]): Promise<void> {
		try {
			const results = await inTime(write(batch.map(({ item }) => item)))
			if (results.length !== batch.length) throw new Error('a batch must answer one result an item')
			for (const [i, { resolve }] of batch.entries()) resolve(results[i] as Out)
		} catch (error) {
			for (const { reject } of batch) reject(error)
		}
	}

	return (item) =>
		new Promise((resolve, reject) => {
			queue.push({ item, resolve, reject })
			if (busy) return
			busy = true
			setImmediate(flush)
		})
}

const mostItems = 256
/** A database that is silent for so long is taken for gone; whether the statement took effect is then unknown. */
const databaseAnswerMs = 15_000

async function inTime<T>(work: Promise<T>): Promise<T> {
	let timer: NodeJS.Timeout | undefined
	const late = new Promise<never>((_, reject) => {
		timer = setTimeout(
			() => reject(new Error(`no answer from the database in ${databaseAnswerMs} ms`)),
			databaseAnswerMs,
		)
	})
	try {
		return await Promise.race([work, late])
	} finally {
		clearTimeout(timer)
	}
}

interface Waiting<In, Out> {
	item: In
	resolve: (value: Out) => void
	reject: (error: unknown) => void
}
