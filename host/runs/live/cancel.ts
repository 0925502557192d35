import { sharedNow } from '../../../runtime/lib/clock.ts'
import { inFlightIn, withInFlight } from '../../../runtime/wire/in-flight.ts'
import type { Entry, RunOutcome } from '../../../runtime/wire/journal.ts'
import { usageAtEnd } from '../../../runtime/wire/usage.ts'
import { claimRuns } from '../recovery/claim.ts'
import type { RunEngine } from './types.ts'
import { Fenced, type LiveRun, terminalTypes } from './types.ts'

/**
 * Asks a live run to end, wherever it is executed. Its end is written by whoever owns it; one that nobody owns (it waits,
 * or its host is dead) is ended here. False: it had ended already.
 */
export async function cancelRun(engine: RunEngine, id: string, reason: string): Promise<boolean> {
	const { sql, id: me } = engine.parts
	const [row] = await sql<{ host_id: string | null; owned: boolean }[]>`
		update runs set cancel_requested_at = coalesce(cancel_requested_at, now())
		where id = ${id} and status in ('queued', 'running', 'waiting')
		returning host_id, exists (select 1 from hosts h where h.id = host_id and h.lease_until > now()) as owned`
	if (!row) return false
	const run = engine.live.get(id)
	if (run) engine.cancel(run, reason)
	else if (row.owned && row.host_id !== me) await engine.feed.tell('cancel', id, reason)
	else
		await endRuns(engine, [id], {
			status: 'cancelled',
			error: { code: 'cancelled', message: sentence(reason) },
		})
	return true
}

const sentence = (reason: string) => `The run was cancelled: ${reason}.`

/** Takes runs that nobody executes and ends them with their event and deliveries. */
export async function endRuns(
	engine: RunEngine,
	ids: string[],
	outcome: Exclude<RunOutcome, { status: 'succeeded' }>,
) {
	for (const { run, journal } of await claimRuns(engine, { ids }))
		await endClaimed(engine, run, journal, outcome).catch((error) => {
			// Another host has claimed it since, and ends it.
			if (!(error instanceof Fenced)) throw error
		})
}

export async function endClaimed(
	engine: RunEngine,
	run: LiveRun,
	journal: Entry[],
	outcome: Exclude<RunOutcome, { status: 'succeeded' }>,
): Promise<void> {
	const usage = usageAtEnd(journal)
	const inFlight = inFlightIn(journal)
	const message = withInFlight(outcome.error.message, 'Begun, and not known to have ended', inFlight)
	const error = { ...outcome.error, message }
	const entry: Entry = {
		seq: (journal.at(-1)?.seq ?? 0) + 1,
		at: Math.max(sharedNow(), journal.at(-1)?.at ?? 0),
		type: terminalTypes[outcome.status],
		data: { usage, error, ...(inFlight.length > 0 && { in_flight: inFlight }) },
	}
	const ended = { ...outcome, error } as RunOutcome
	await engine.endByHand(run, journal, {
		run: run.id,
		epoch: run.epoch,
		entries: [entry],
		outcome: ended,
		usage,
	})
}
