import { setTimeout as sleep } from 'node:timers/promises'
import { releaseAbandoned } from '../../budgets/index.ts'
import type { Sql } from '../../db/index.ts'
import { forgetOldRefusals, openRefusals, type Refusals, writeRefusals } from '../accept/refusals.ts'
import type { RunParts } from '../parts.ts'
import { drainDeployment } from '../recovery/drain.ts'
import { handOver } from '../recovery/hand-over.ts'
import { endAsked, endOverdue } from '../recovery/overdue.ts'
import { letGo, resumeAll, takeOver } from '../recovery/take-over.ts'
import { keepRetention } from '../retention/keep.ts'
import { createRunEngine } from './engine.ts'
import { channel } from './feed.ts'
import { liveOf } from './read.ts'
import type { LiveRun, RunEngine } from './types.ts'
import { lookAfterWaiting, released } from './waiting.ts'

/** The part of runs that other features and main.ts use. */
export interface Runs extends Pick<RunEngine, 'live' | 'calls'> {
	engine: RunEngine
	refusals: Refusals
	/** Live runs of a deployment, on all hosts. */
	liveOf(deployment: string): ReturnType<typeof liveOf>
	/** Waits for the live runs of a stopping deployment until its `drain_until`, then cancels them. */
	drain(deployment: string): ReturnType<typeof drainDeployment>
	/** Takes over what dead hosts left, and goes on doing so. */
	start(): Promise<void>
	/** Takes no new runs, and lets those in flight finish for `graceMs` at most. */
	stop(graceMs: number): Promise<void>
	/** The runtime has left a run at a stop. */
	left(left: { run: string; epoch: number }): void
	/** What is still live, and executed here no more, is anybody's from now on. */
	release(): Promise<void>
}

/** `Idempotency-Key` is kept so long (spec run.idempotency-kept). */
const idempotencyHours = 24
const idempotencySweepMs = 600_000
/** What calls of dead hosts had reserved of budgets. */
const releaseSweepMs = 10_000
const refusalSweepMs = 3_600_000
const retentionMs = 900_000
/** After a failure: a database that is away may be back for moments only. */
const againMs = 500

export function openRuns(parts: RunParts): Runs {
	const engine = createRunEngine(parts)
	const refusals = openRefusals(writeRefusals(parts.sql), parts.log)
	const stopped = new AbortController()
	let listening: { stop: () => Promise<void> } | null = null

	const repeat = async (what: string, everyMs: number, work: () => Promise<unknown>, firstMs = everyMs) => {
		let failing = false
		for (let next = firstMs; ; next = everyMs) {
			const wait = failing ? Math.min(everyMs, againMs) : next
			await sleep(wait, undefined, { signal: stopped.signal }).catch(() => undefined)
			if (stopped.signal.aborted || parts.signal.aborted) return
			try {
				await work()
				failing = false
			} catch (error) {
				if (!failing) parts.log.error({ err: error }, `${what} failed; it is tried again`)
				failing = true
			}
		}
	}
	const look = async () => {
		await letGo(engine)
		const orphans = await takeOver(engine)
		if (orphans > 0) parts.log.info({ runs: orphans }, 'runs that no host executed were taken over')
		await lookAfterWaiting(engine)
		await endAsked(engine)
		await endOverdue(engine)
	}
	let looking: Promise<void> | null = null
	const sweep = () => {
		looking ??= look().finally(() => {
			looking = null
		})
		return looking
	}
	const sweepNow = () => {
		sweep().catch((error) => parts.log.error({ err: error }, 'released runs were not taken over'))
	}
	const heard = (payload: string) => (payload === released ? sweepNow() : hear(engine, payload))

	return {
		engine,
		refusals,
		live: engine.live,
		calls: engine.calls,
		liveOf: (deployment) => liveOf(parts.sql, deployment),
		drain: (deployment) => drainDeployment(engine, deployment),
		left: handOver(engine),
		async start() {
			parts.runtime.onRestart(() => {
				resumeAll(engine).catch((error) => parts.log.error({ err: error }, 'runs could not be begun again'))
			})
			await sweep()
			// Again whenever what was said may have been missed, or runs of ours taken.
			listening = await parts.listen(channel, heard, sweepNow)
			parts.lease.onLapse(sweepNow)
			void repeat('the take-over of lost runs', (parts.config.HOST_LEASE_SECONDS * 1000) / 3, sweep)
			void repeat('the release of budgets', releaseSweepMs, () => releaseAbandoned(parts.sql))
			void repeat('the end of old idempotency keys', idempotencySweepMs, () => dropOldKeys(parts.sql))
			void repeat('the end of old refusals', refusalSweepMs, () => forgetOldRefusals(parts.sql))
			void repeat('retention', retentionMs, () => keepRetention({ ...parts, signal: stopped.signal }), 0)
		},
		async stop(graceMs) {
			engine.close()
			const until = performance.now() + graceMs
			while (engine.live.size > 0 && performance.now() < until) await sleep(20)
			stopped.abort()
			await looking?.catch(() => undefined)
			engine.part()
		},
		async release() {
			await listening?.stop()
			await refusals.close()
			const rows = await parts.sql`
				update runs set host_id = null
				where host_id = ${parts.id} and status in ('queued', 'running', 'waiting') returning 1`
			if (rows.length === 0) return
			await parts.sql`select pg_notify(${channel}, ${released})`
			parts.log.info({ runs: rows.length }, 'runs were handed over')
		},
	}
}

/** `<verb>:<run>:<reason>`, said by any parts. */
function hear(engine: RunEngine, payload: string): void {
	const [verb, id = '', reason] = payload.split(':')
	if (verb === 'entries') engine.feed.publish(id, null)
	if (verb === 'joined' && reason !== engine.parts.id) engine.feed.joined(id)
	const run: LiveRun | undefined = engine.live.get(id)
	if (!run) return
	if (verb === 'cancel') engine.cancel(run, reason || 'it was asked for')
	if (verb === 'decided') engine.parts.runtime.notify('run.decided', { run: id })
	if (verb !== 'watch') return
	run.watched = true
	if (run.stream) return
	run.stream = true
	engine.parts.runtime.notify('run.watch', { run: id })
}

async function dropOldKeys(sql: Sql): Promise<void> {
	await sql`
		update runs set idempotency_key = null
		where idempotency_key is not null and created_at < now() - make_interval(hours => ${idempotencyHours})`
}
