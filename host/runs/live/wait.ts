import { setTimeout as sleep } from 'node:timers/promises'
import { isAway } from '../../db/index.ts'
import { lookMs } from './feed.ts'
import { readRun } from './read.ts'
import type { RunEngine, RunRecord } from './types.ts'

const retryMs = 100

export const isTerminal = ({ status }: Pick<RunRecord, 'status'>) =>
	status === 'succeeded' || status === 'failed' || status === 'cancelled'

/** The run as it ended, or as it stands after `ms`. On this host nobody asks the database before the end. */
export async function waitForEnd(
	engine: RunEngine,
	deployment: string,
	id: string,
	ms: number,
): Promise<RunRecord> {
	const until = performance.now() + ms
	const run = engine.live.get(id)
	if (run && ms > 0) {
		const record = await within(ms, Promise.race([run.ended, engine.parted]))
		if (record) return record
	}
	for (;;) {
		const left = until - performance.now()
		try {
			const record = await readRun(engine.parts.sql, { deployment, lineage: undefined }, id)
			if (!record) throw new Error(`run ${id} is gone`)
			if (isTerminal(record) || left <= 0 || engine.isParted()) return record
			await nextNews(engine, id, Math.min(left, lookMs))
		} catch (error) {
			// The run goes on without the database for a while, and who waits for it may as well.
			if (!isAway(error) || left <= 0) throw error
			await sleep(Math.min(left, retryMs))
		}
	}
}

/** Null after `ms`. The timer never holds up the process's end. */
export async function within<T>(ms: number, promise: Promise<T>): Promise<T | null> {
	let timer: NodeJS.Timeout | undefined
	const timeout = new Promise<null>((resolve) => {
		timer = setTimeout(resolve, ms, null).unref()
	})
	try {
		return await Promise.race([promise, timeout])
	} finally {
		clearTimeout(timer)
	}
}

/** Resolves when the run's owner, wherever it is, says that something was committed; after `ms` in any case. */
async function nextNews(engine: RunEngine, id: string, ms: number): Promise<void> {
	const news = Promise.withResolvers<void>()
	const unsubscribe = engine.feed.subscribe(id, () => news.resolve())
	const timer = new AbortController()
	try {
		if (!engine.live.has(id)) await engine.feed.tell('watch', id)
		await Promise.race([news.promise, sleep(ms, undefined, { signal: timer.signal }), engine.parted])
	} finally {
		timer.abort()
		unsubscribe()
	}
}
