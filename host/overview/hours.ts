import type { DeploymentOverview } from '../api/overview.ts'
import type { Sql } from '../db/index.ts'
import { firstId } from '../lib/ids.ts'

export type Hour = DeploymentOverview['hours'][number]

export const hourMs = 3_600_000
export const hoursShown = 24
/** Counting an hour stops there, so that an overview costs no more the more runs there are. */
const countMax = 10_000

/** Of those that had a run at all; by their ids, which begin with the time. */
export async function readHours(
	sql: Sql,
	accountId: string,
	first: number,
): Promise<Map<string, Omit<Hour, 'refused'>[]>> {
	const bounds = Array.from({ length: hoursShown + 1 }, (_, at) => firstId('run', first + at * hourMs))
	const rows = await sql<{ id: string; runs: number[]; failures: number[] }[]>`
		select d.id, array_agg(h.runs order by h.n) as runs, array_agg(h.failures order by h.n) as failures
		from deployments d cross join lateral (
			select b.n,
				(select count(*)::int from (
					select 1 from runs r where r.deployment_id = d.id and r.id >= b.since and r.id < b.until
					limit ${countMax}) r) as runs,
				(select count(*)::int from (
					select 1 from runs r
					where r.deployment_id = d.id and r.id >= b.since and r.id < b.until and r.status = 'failed'
					limit ${countMax}) r) as failures
			from unnest(${bounds.slice(0, -1)}::text[], ${bounds.slice(1)}::text[]) with ordinality as b(since, until, n)
		) h
		where d.account_id = ${accountId} and d.state <> 'deleted'
			and exists (select 1 from runs r where r.deployment_id = d.id and r.id >= ${bounds[0] ?? ''})
		group by d.id`
	return new Map(
		rows.map(({ id, runs, failures }) => [
			id,
			runs.map((count, at) => ({ runs: count, failures: failures[at] ?? 0 })),
		]),
	)
}

/** Refused calls are kept by the hour. */
export async function readRefused(
	sql: Sql,
	accountId: string,
	first: number,
): Promise<Map<string, number[]>> {
	const rows = await sql<{ id: string; hour: Date; count: number }[]>`
		select d.id, f.hour, sum(f.count)::float8 as count
		from deployments d join refusals f on f.deployment_id = d.id and f.hour >= to_timestamp(${first}::float8 / 1000)
		where d.account_id = ${accountId} and d.state <> 'deleted'
		group by d.id, f.hour`
	const byId = new Map<string, number[]>()
	for (const { id, hour, count } of rows) {
		const counts = byId.get(id) ?? new Array<number>(hoursShown).fill(0)
		counts[Math.round((hour.getTime() - first) / hourMs)] = count
		byId.set(id, counts)
	}
	return byId
}
