import { endRuns } from '../live/cancel.ts'
import type { RunEngine } from '../live/types.ts'

// Nothing runs for ever: what the runtime should have ended long ago is ended from outside.

/** A cancelled run has so long to say so. */
const cancelGraceSeconds = 30
/** Beyond an agent's own limits.seconds; queueing in the runtime and a bundle's first arrival are in it. */
const timeGraceMs = 900_000

/** Cancels that this host did not hear are told to the runtime; those it did not follow are carried out. */
export async function endAsked(engine: RunEngine): Promise<void> {
	const rows = await engine.parts.sql<{ id: string; overdue: boolean }[]>`
		select id, cancel_requested_at < now() - make_interval(secs => ${cancelGraceSeconds}) as overdue from runs
		where host_id = ${engine.parts.id} and status in ('queued', 'running', 'waiting') and cancel_requested_at is not null`
	for (const { id } of rows) {
		const run = engine.live.get(id)
		if (run) engine.cancel(run, 'it was asked for')
	}
	const overdue = rows.filter((row) => row.overdue).map(({ id }) => id)
	if (overdue.length === 0) return
	const message = 'The run was cancelled: it was asked for, and the run did not end by itself.'
	await endRuns(engine, overdue, { status: 'cancelled', error: { code: 'cancelled', message } })
}

/** The runtime holds a run to its time. One that it lost, say because its journal could not be written, ends here. */
export async function endOverdue(engine: RunEngine): Promise<void> {
	const now = performance.now()
	const heldMaxMs = engine.parts.config.CONNECTOR_QUESTION_SECONDS * 1000
	const overdue = [...engine.live.values()].filter(({ begunAt, heldAt, deployment }) => {
		const held = heldAt === null ? 0 : Math.min(now - heldAt, heldMaxMs)
		return now - begunAt - held > deployment.agent.limits.seconds * 1000 + timeGraceMs
	})
	if (overdue.length === 0) return
	const message = 'The run went on far beyond its time limit and was ended from outside.'
	await endRuns(
		engine,
		overdue.map(({ id }) => id),
		{ status: 'failed', error: { code: 'time_limit_reached', message } },
	)
}
