import type { AdminHost, AdminRun } from '../../api/admin.ts'
import type { RunStatus, Sql } from '../../db/index.ts'
import { isId } from '../../lib/ids.ts'

// What operators see of hosts and runs: whose and where, never what a run works on.

type Live = Extract<RunStatus, 'queued' | 'running' | 'waiting'>

/** Hosts that have been gone for days are forgotten (host/db/lease.ts). */
export async function listHosts(sql: Sql, me: string): Promise<AdminHost[]> {
	const rows = await sql<
		{
			id: string
			address: string | null
			version: string | null
			place: string
			started_at: Date
			lease_until: Date
			held: boolean
			live: number
		}[]
	>`
		select h.id, h.address, h.version, h.place, h.started_at, h.lease_until, h.lease_until > now() as held,
			(select count(*)::int from runs r
				where r.host_id = h.id and r.status in ('queued', 'running', 'waiting')) as live
		from hosts h order by h.started_at desc`
	return rows.map((row) => ({
		id: row.id,
		place: row.place,
		address: row.address,
		version: row.version,
		since: row.started_at.toISOString(),
		lease: row.held ? 'held' : 'lapsed',
		lease_until: row.lease_until.toISOString(),
		live_runs: row.live,
		current: row.id === me,
	}))
}

/** Newest first, one more than `limit` where there is more. */
export async function listAllLive(
	sql: Sql,
	{ limit, cursor }: { limit: number; cursor?: string | undefined },
): Promise<AdminRun[]> {
	const rows = await sql<
		(Omit<AdminRun, 'created_at' | 'started_at'> & { created_at: Date; started_at: Date | null })[]
	>`
		select r.id, a.id as account, a.email, d.id as deployment, d.name as deployment_name, r.status, r.host_id as host,
			r.created_at, r.started_at
		from runs r join deployments d on d.id = r.deployment_id join accounts a on a.id = d.account_id
		where r.status in ('queued', 'running', 'waiting') and ${cursor === undefined ? true : sql`r.id < ${cursor}`}
		order by r.id desc limit ${limit + 1}`
	return rows.map((row) => ({
		...row,
		created_at: row.created_at.toISOString(),
		started_at: row.started_at?.toISOString() ?? null,
	}))
}

/** Null: there is no such run. `live` null: it has ended. */
export async function findOwner(
	sql: Sql,
	id: string,
): Promise<{ account: string; live: Live | null } | null> {
	if (!isId('run', id)) return null
	const [row] = await sql<{ account: string; live: Live | null }[]>`
		select d.account_id as account, case when r.status in ('queued', 'running', 'waiting') then r.status end as live
		from runs r join deployments d on d.id = r.deployment_id where r.id = ${id}`
	return row ?? null
}
