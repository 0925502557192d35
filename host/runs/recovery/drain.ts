import { setTimeout as sleep } from 'node:timers/promises'
import type { InFlight } from '../../api/runs.ts'
import type { RunStatus } from '../../db/index.ts'
import { cancelRun, endRuns } from '../live/cancel.ts'
import { liveOf } from '../live/read.ts'
import type { RunEngine } from '../live/types.ts'

const lookMs = 50
/** A run that is begun leaves `queued` with its first commit; one that is seen so for so long has not begun. */
const settleMs = 1_000
/** How long a cancelled run may take to say so, before it is ended over its owner's head. */
const cancelGraceSeconds = 10

interface Row {
	id: string
	status: RunStatus
	asked: boolean
	late: boolean
	overdue: boolean
}

/**
 * Until no run of a stopping deployment is live: waiting and queued runs are cancelled at once, those in flight when
 * `drain_until` has come. Safe to run on several hosts at once.
 */
export async function drainDeployment(
	engine: RunEngine,
	deployment: string,
): Promise<{ inFlight: InFlight[]; cancelled: string[] }> {
	const { sql } = engine.parts
	const inFlight = await liveOf(sql, deployment)
	// By this host's own time: what dated the run is another host's clock.
	const queuedSince = new Map<string, number>()
	const isIdle = ({ id, status }: Pick<Row, 'id' | 'status'>) => {
		const now = performance.now()
		if (status !== 'queued') return status === 'waiting'
		const since = queuedSince.get(id) ?? now
		queuedSince.set(id, since)
		return now - since >= settleMs
	}
	for (;;) {
		const rows = await sql<Row[]>`
			select r.id, r.status, r.cancel_requested_at is not null as asked, coalesce(d.drain_until <= now(), true) as late,
				coalesce(r.cancel_requested_at < now() - make_interval(secs => ${cancelGraceSeconds}), false) as overdue
			from runs r join deployments d on d.id = r.deployment_id
			where r.deployment_id = ${deployment} and r.status in ('queued', 'running', 'waiting')`
		if (rows.length === 0) break
		const due = rows.filter((row) => (isIdle(row) || row.late) && !row.asked)
		await Promise.all(due.map(({ id }) => cancelRun(engine, id, 'the deployment was stopped')))
		const overdue = rows.filter((row) => row.overdue).map(({ id }) => id)
		if (overdue.length > 0) {
			const message = 'The run was cancelled: the deployment was stopped, and the run did not end by itself.'
			await endRuns(engine, overdue, { status: 'cancelled', error: { code: 'cancelled', message } })
		}
		await sleep(lookMs)
	}
	const cancelled = await sql<{ id: string }[]>`
		select id from runs where id = any(${inFlight.map(({ run }) => run)}) and status = 'cancelled' order by id`
	return { inFlight, cancelled: cancelled.map(({ id }) => id) }
}
