import type { Entry, Usage } from '../../../runtime/wire/journal.ts'
import { isAlive, type Sql } from '../../db/index.ts'
import { newId } from '../../lib/ids.ts'
import { endRuns } from './cancel.ts'
import { channel } from './feed.ts'
import type { RunEngine } from './types.ts'
import { Fenced, type LiveRun } from './types.ts'
import { webhookJson } from './view.ts'
import { queuedFor } from './write.ts'

// A run that waits for people: no host owns it, and nothing of it is in any memory.

/** Said to all hosts: there are runs to be taken. */
export const released = 'released'

/**
 * Parks a run in one statement: the rest of its journal, its row, and a delivery for every endpoint that wants to know.
 * One that is `held` shows the same, and stays its host's: a connector's call is open. Answers how many deliveries are to be sent; rejects `Fenced` where the run is not this host's, or is parked already.
 */
export async function parkRun(sql: Sql, hostId: string, run: LiveRun, entries: Entry[]): Promise<number> {
	const first = entries[0] as Entry
	const last = entries.at(-1) as Entry
	const {
		approvals,
		usage,
		held = false,
	} = last.data as { approvals: string[]; usage: Usage; held?: boolean }
	const body = bodyOf(run, JSON.stringify(usage))
	const [parked] = await sql<{ deliveries: number }[]>`
		with own as (
			update runs
			set status = 'waiting', host_id = case when ${held} then host_id end, waiting_for = ${approvals}::text[], usage = ${usage as never},
				started_at = coalesce(started_at, to_timestamp(${run.startedAt}::float8 / 1000))
			where id = ${run.id} and epoch = ${run.epoch} and host_id = ${hostId} and status in ('queued', 'running', 'waiting')
			returning id, deployment_id
		), written as (
			insert into journal (run_id, first_seq, last_seq, entries)
			select id, ${first.seq}::int, ${last.seq}::int, ${JSON.stringify(entries)} from own
			on conflict do nothing returning run_id
		), queued as (
			insert into deliveries (id, endpoint_id, event_id, run_id, place, type, body, status, next_attempt_at, completed_at)
			select p.delivery, p.id, ${newId('evt')}, own.id, ${run.deployment.place}, 'run.waiting', ${body}, ${queuedFor(sql)}
			from own join written on written.run_id = own.id join (
				select e.id, e.deployment_id, e.events, e.disabled_at, i.id as delivery
				from (
					select *, row_number() over (order by id) as n from endpoints
					where deployment_id = ${run.deployment.id} and deleted_at is null
				) e join unnest(${Array.from({ length: 32 }, () => newId('dlv'))}::text[]) with ordinality as i(id, n) using (n)
			) p on p.events is null or 'run.waiting' = any(p.events)
			returning next_attempt_at
		)
		select (select count(next_attempt_at) from queued)::int as deliveries from own`
	if (!parked) throw new Fenced(run.id)
	return parked.deliveries
}

function bodyOf(run: LiveRun, usage: string): string {
	const { id, version, lineage, inputs, createdAt, startedAt, deployment } = run
	return webhookJson(
		{
			id,
			deployment: deployment.id,
			version,
			lineage,
			status: 'waiting',
			inputs,
			output: null,
			citations: null,
			error: null,
			usage,
			created_at: createdAt,
			started_at: startedAt,
			completed_at: null,
			kept_days: deployment.keptDays,
		},
		'run.waiting',
		deployment.url,
	)
}

/**
 * Waiting runs that have what they wait for (it came while they were parked) are anybody's from now on; those that were
 * cancelled at that moment end.
 */
export async function lookAfterWaiting(engine: RunEngine): Promise<void> {
	const { sql, lease } = engine.parts
	const woken = await sql`
		update runs r set status = 'running', attempt = 0, waiting_for = null
		where host_id is null and status = 'waiting' and cancel_requested_at is null
			and exists (select 1 from approvals a where a.run_id = r.id and a.id = any(r.waiting_for))
		returning 1`
	if (woken.length > 0) await sql`select pg_notify(${channel}, ${released})`
	// Owned, it is being ended: a host that died over it leaves it to the others.
	const cancelled = await sql<{ id: string }[]>`
		select id from runs where status = 'waiting' and cancel_requested_at is not null
			and not ${isAlive(sql, lease, 'host_id')}`
	if (cancelled.length === 0) return
	const message = 'The run was cancelled: it was asked for.'
	const ids = cancelled.map(({ id }) => id)
	await endRuns(engine, ids, { status: 'cancelled', error: { code: 'cancelled', message } })
}
