import type { Sql, Tx } from '../../db/index.ts'
import { firstId } from '../../lib/ids.ts'

/** A run that has ended: nothing writes to it any more. */
export interface Ended {
	id: string
	deployment_id: string
	created_at: Date
	completed_at: Date
}

/** Rows that were deleted. */
export interface Erased {
	runs: number
	/** Commits of journals; each holds the events that were written together. */
	journal: number
	approvals: number
	deliveries: number
	attempts: number
}

/** Hosts' clocks differ by less. */
const skewMs = 60_000

/**
 * Deletes ended runs with what tells of them, in one statement. `journal` false: that is left to the end of its week
 * (host/db/partitions.ts), and nobody can read it meanwhile.
 */
export async function eraseRuns(
	sql: Sql | Tx,
	ended: Ended[],
	{ journal }: { journal: boolean },
): Promise<Erased> {
	const ids = ended.map(({ id }) => id)
	const [row] = await sql<Erased[]>`
		with e as (
			select * from unnest(
				${ids}::text[],
				${ended.map(({ deployment_id }) => deployment_id)}::text[],
				${ended.map(({ created_at }) => firstId('dlv', created_at.getTime() - skewMs))}::text[],
				${ended.map(({ completed_at }) => firstId('dlv', completed_at.getTime() + skewMs))}::text[]
			) as e(id, deployment, from_id, to_id)
		), told as (
			delete from deliveries t using e, endpoints p
			where p.deployment_id = e.deployment and t.endpoint_id = p.id and t.run_id = e.id
				and t.id >= e.from_id and t.id < e.to_id
			returning t.id
		), tried as (delete from attempts a using told where a.delivery_id = told.id returning 1
		), decided as (delete from approvals a where a.run_id = any(${ids}) returning 1
		), written as (delete from journal j using e where ${journal} and j.run_id = e.id returning 1
		), gone as (
			delete from runs r where r.id = any(${ids}) and r.status in ('succeeded', 'failed', 'cancelled') returning 1
		)
		select (select count(*) from gone)::int as runs, (select count(*) from written)::int as journal,
			(select count(*) from decided)::int as approvals, (select count(*) from told)::int as deliveries,
			(select count(*) from tried)::int as attempts`
	return row as Erased
}
