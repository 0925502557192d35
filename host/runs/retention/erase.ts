import type { Tx } from '../../db/index.ts'
import { dropUnused } from '../../files/index.ts'
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
	/** That no other run has. */
	files: number
}

/** Hosts' clocks differ by less. */
const skewMs = 60_000

/**
 * Deletes ended runs with what tells of them. Deliveries are locked before, so that the second statement sees every attempt
 * that a sender wrote meanwhile; in their order, as senders lock them too. `journal` false: that is left to the end of its
 * week (host/db/partitions.ts), and nobody can read it meanwhile.
 */
export async function eraseRuns(tx: Tx, ended: Ended[], { journal }: { journal: boolean }): Promise<Erased> {
	const ids = ended.map(({ id }) => id)
	const told = await lockDeliveries(tx, ended)
	const [row] = await tx<(Omit<Erased, 'files'> & { had: string[] })[]>`
		with e as (select unnest(${ids}::text[]) as id
		), tried as (delete from attempts a where a.delivery_id = any(${told}) returning 1
		), told as (delete from deliveries t where t.id = any(${told}) returning 1
		), decided as (delete from approvals a where a.run_id = any(${ids}) returning 1
		), written as (delete from journal j using e where ${journal} and j.run_id = e.id returning 1
		), had as (delete from run_files l where l.run_id = any(${ids}) returning l.file_id
		), gone as (
			delete from runs r where r.id = any(${ids}) and r.status in ('succeeded', 'failed', 'cancelled') returning 1
		)
		select (select count(*) from gone)::int as runs, (select count(*) from written)::int as journal,
			(select count(*) from decided)::int as approvals, (select count(*) from told)::int as deliveries,
			(select count(*) from tried)::int as attempts, array(select distinct file_id from had) as had`
	const { had = [], ...erased } = row ?? {}
	return { ...(erased as Omit<Erased, 'files'>), files: await dropUnused(tx, had) }
}

/** Once over the span of a deployment's runs: one search a run would read the same deliveries again and again. */
async function lockDeliveries(tx: Tx, ended: Ended[]): Promise<string[]> {
	const spans = spansOf(ended)
	const rows = await tx<{ id: string }[]>`
		select t.id from deliveries t, unnest(${ended.map(({ id }) => id)}::text[]) as e(id), endpoints p, unnest(
			${spans.map(({ deployment }) => deployment)}::text[],
			${spans.map(({ from }) => firstId('dlv', from - skewMs))}::text[],
			${spans.map(({ to }) => firstId('dlv', to + skewMs))}::text[]
		) as s(deployment, from_id, to_id)
		where p.deployment_id = s.deployment and t.endpoint_id = p.id and t.id >= s.from_id and t.id < s.to_id
			and t.run_id = e.id
		order by t.id for update of t`
	return rows.map(({ id }) => id)
}

/** Deliveries that tell of a run are written while it lives: their ids begin with such a time. */
function spansOf(ended: Ended[]) {
	const spans = new Map<string, { deployment: string; from: number; to: number }>()
	for (const { deployment_id: deployment, created_at, completed_at } of ended) {
		const { from, to } = spans.get(deployment) ?? { from: Number.POSITIVE_INFINITY, to: 0 }
		spans.set(deployment, {
			deployment,
			from: Math.min(from, created_at.getTime()),
			to: Math.max(to, completed_at.getTime()),
		})
	}
	return [...spans.values()]
}
