import { setTimeout as sleep } from 'node:timers/promises'
import { endClaimed } from '../live/cancel.ts'
import { readJournal } from '../live/read.ts'
import type { LiveRun, RunEngine } from '../live/types.ts'
import { type Claimed, claimRuns } from './claim.ts'

const claimedAtOnce = 100
/** A run during which host or runtime died so often is taken to be the cause of it. */
const attemptsMax = 20
const retryMs = 500

/** Takes the runs that nobody executes, as many as there is room for, and goes on with them. Answers how many. */
export async function takeOver(engine: RunEngine): Promise<number> {
	for (let count = 0; ; ) {
		const wanted = Math.min(claimedAtOnce, engine.room())
		if (wanted <= 0) return count
		const claimed = await claimRuns(engine, { orphansAtMost: wanted })
		count += claimed.length
		await Promise.all(claimed.map((run) => resume(engine, run)))
		if (claimed.length < wanted) return count
	}
}

/** Goes on from the last committed effect. */
async function resume(engine: RunEngine, { run, journal }: Claimed): Promise<void> {
	if (run.attempt <= attemptsMax) return engine.resume(run, journal)
	const message = `Host or runtime died ${run.attempt - 1} times while they executed this run.`
	await endClaimed(engine, run, journal, { status: 'failed', error: { code: 'agent_error', message } })
}

/** The runtime died and is back: every run of this host begins again, with what of it is committed. */
export async function resumeAll(engine: RunEngine): Promise<void> {
	await Promise.all([...engine.live.values()].map((run) => resumeHere(engine, run)))
}

/** Until it is done: a database that is away comes back. */
async function resumeHere(engine: RunEngine, run: LiveRun): Promise<void> {
	for (let last: unknown; last !== run.writing; ) {
		last = run.writing
		await last
	}
	if (engine.live.get(run.id) !== run) return
	if (!run.stored) return engine.resume(run, [])
	const before = run.epoch
	// What the dead runtime has asked for and Postgres may still be doing comes too late from here on.
	run.epoch++
	run.attempt++
	for (; engine.live.get(run.id) === run && !engine.parts.signal.aborted; await sleep(retryMs)) {
		try {
			return await beginAgain(engine, run, before)
		} catch (error) {
			engine.parts.log.error({ err: error, run: run.id }, 'a run could not be begun again; it is tried again')
		}
	}
}

async function beginAgain(engine: RunEngine, run: LiveRun, before: number): Promise<void> {
	const { parts } = engine
	const rows = await parts.sql`
		update runs set epoch = ${run.epoch}, attempt = ${run.attempt}
		where id = ${run.id} and host_id = ${parts.id} and epoch in (${before}, ${run.epoch})
			and status in ('queued', 'running', 'waiting')
		returning 1`
	if (rows.length === 0) return engine.lose(run)
	run.deployment = (await parts.deployments.refresh(run.deployment.slug)) ?? run.deployment
	const journal = await readJournal(parts.sql, run.id, 0)
	if (engine.live.get(run.id) === run) await resume(engine, { run, journal })
}

/** Runs that others took while this host was thought dead: it stops them, and says nothing more of them. */
export async function letGo(engine: RunEngine): Promise<void> {
	const { parts, live } = engine
	const mine = [...live.values()].filter(({ stored }) => stored)
	if (mine.length === 0) return
	const rows = await parts.sql<{ id: string }[]>`
		select r.id from runs r
		join unnest(${mine.map(({ id }) => id)}::text[], ${mine.map(({ epoch }) => epoch)}::int[]) as m(id, epoch)
			on m.id = r.id
		where r.epoch > m.epoch`
	for (const { id } of rows) {
		const run = mine.find((one) => one.id === id)
		if (run && live.get(id) === run) engine.lose(run)
	}
}
