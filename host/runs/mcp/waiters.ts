import type { FastifyBaseLogger } from 'fastify'
import { cancelRun } from '../live/cancel.ts'
import type { RunEngine } from '../live/types.ts'

/** A caller that has an idempotency key may come back after its connection broke: so long its run goes on. */
const comeBackMs = 5_000

/** Who waits for which run on this host: a run that nobody waits for any more is cancelled. */
export interface Waiters {
	/** `attached`: to a run that an earlier call has begun, on whatever host. */
	join(run: string, attached: boolean): void
	/** `said`: the caller cancelled. Else its connection is gone, and with a key it may come back. */
	leave(run: string, how: { said: boolean; keyed: boolean }): void
	/** The run has ended, or its caller was told to look later. */
	done(run: string): void
	close(): void
}

export function openWaiters(engine: RunEngine, log: FastifyBaseLogger): Waiters {
	const waiting = new Map<string, number>()
	const leaving = new Map<string, NodeJS.Timeout>()

	function drop(run: string): boolean {
		const left = (waiting.get(run) ?? 1) - 1
		if (left > 0) waiting.set(run, left)
		else waiting.delete(run)
		return left <= 0
	}
	function cancel(run: string): void {
		// A host that stops hands its runs over.
		if (waiting.has(run) || engine.isParted()) return
		cancelRun(engine, run, 'its caller cancelled the call').catch((error) =>
			log.warn({ err: error, run }, 'a run whose caller has gone was not cancelled'),
		)
	}
	function forget(run: string): void {
		clearTimeout(leaving.get(run))
		leaving.delete(run)
	}
	engine.feed.onJoined(forget)
	return {
		join(run, attached) {
			forget(run)
			waiting.set(run, (waiting.get(run) ?? 0) + 1)
			// The caller may have left another host for this one.
			if (attached)
				engine.feed
					.tell('joined', run, engine.parts.id)
					.catch((error) => log.warn({ err: error, run }, 'a hint was not sent'))
		},
		leave(run, { said, keyed }) {
			if (!drop(run)) return
			if (said || !keyed) return cancel(run)
			const later = setTimeout(() => {
				leaving.delete(run)
				cancel(run)
			}, comeBackMs)
			leaving.set(run, later.unref())
		},
		done: (run) => void drop(run),
		close() {
			for (const run of [...leaving.keys()]) forget(run)
		},
	}
}
