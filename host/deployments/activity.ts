import type { Activity } from '../api/deployments.ts'
import type { RunStatus, Sql } from '../db/index.ts'
import { firstId } from '../lib/ids.ts'
import { iso } from './store.ts'

const dayMs = 86_400_000
/** Counting stops there, so that an owner's list costs no more the more runs there are. */
const countMax = 10_000

interface Row {
	id: string
	last_run: { id: string; status: RunStatus; error: string | null; created_at: string } | null
	runs_24h: number
	failed_24h: number
	refused_24h: number
}

/** What became of the runs of each deployment. */
export async function activityOf(sql: Sql, deployments: string[]): Promise<Map<string, Activity>> {
	const since = firstId('run', Date.now() - dayMs)
	const rows = await sql<Row[]>`
		select d.id,
			(select json_build_object('id', r.id, 'status', r.status, 'error', r.error_code, 'created_at', r.created_at)
				from runs r where r.deployment_id = d.id order by r.id desc limit 1) as last_run,
			(select count(*)::int from (
				select 1 from runs r where r.deployment_id = d.id and r.id >= ${since} limit ${countMax}) r) as runs_24h,
			(select count(*)::int from (
				select 1 from runs r
				where r.deployment_id = d.id and r.id >= ${since} and r.status = 'failed' limit ${countMax}) r) as failed_24h,
			(select coalesce(sum(f.count), 0)::float8 from refusals f
				where f.deployment_id = d.id and f.hour > now() - interval '24 hours') as refused_24h
		from unnest(${deployments}::text[]) as d(id)`
	return new Map(
		rows.map(({ id, last_run, ...counts }) => [
			id,
			{ ...counts, last_run: last_run && { ...last_run, created_at: iso(last_run.created_at) } },
		]),
	)
}
