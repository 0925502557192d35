import { setTimeout as sleep } from 'node:timers/promises'
import { isAway } from '../../db/index.ts'
import type { KnownDeployment } from '../../deployments/index.ts'
import { noSuchRun } from './expiry.ts'
import { lookMs } from './feed.ts'
import { readRun } from './read.ts'
import type { LiveRun, RunEngine, RunRecord } from './types.ts'

const retryMs = 100

export const isTerminal = ({ status }: Pick<RunRecord, 'status'>) =>
	status === 'succeeded' || status === 'failed' || status === 'cancelled'

/** The run as it ended, or as it stands after `ms`. On this host nobody asks the database before the end. */
export async function waitForEnd(
	engine: RunEngine,
	{ id: deployment, keptDays }: Pick<KnownDeployment, 'id' | 'keptDays'>,
	id: string,
	ms: number,
): Promise<RunRecord> {
	const until = performance.now() + ms
	const run = engine.live.get(id)
	if (run && ms > 0) {
		const record = await endOf(engine, run, ms)
		if (record) return record
	}
	for (;;) {
		const left = until - performance.now()
		try {
			const record = await readRun(engine.parts.sql, { deployment, lineage: undefined, keptDays }, id)
			if (!record) throw noSuchRun(keptDays)
			if (isTerminal(record) || left <= 0 || engine.isParted()) return record
			await nextNews(engine, id, Math.min(left, lookMs))
		} catch (error) {
			// The run goes on without the database for a while, and who waits for it may as well.
			if (!isAway(error) || left <= 0) throw error
			await sleep(Math.min(left, retryMs))
		}
	}
}

/**
 * Null after `ms`, or when it goes to another host. Not a race with one promise of the host's: each would hold on to its
 * run's record for as long as the host lives.
 */
function endOf(engine: RunEngine, run: LiveRun, ms: number): Promise<RunRecord | null> {
	return new Promise((resolve) => {
		const done = (record: RunRecord | null) => {
			clearTimeout(timer)
			forget()
			resolve(record)
		}
		const timer = setTimeout(done, ms, null).unref()
		const forget = engine.onPart(() => done(null))
		void run.ended.then(done)
	})
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
	const forget = engine.onPart(() => news.resolve())
	const timer = setTimeout(() => news.resolve(), ms)
	try {
		if (!engine.live.has(id)) await engine.feed.tell('watch', id)
		await news.promise
	} finally {
		clearTimeout(timer)
		forget()
		unsubscribe()
	}
}
