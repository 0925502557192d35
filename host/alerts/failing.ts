import type { Sql } from '../db/index.ts'
import { raise } from './raise.ts'

/** Runs in a row that have failed. */
const failedRuns = 3
/** A deployment that fails now and then is not told of more often. */
const quietMinutes = 60
/** Deployments of one look; more than a host runs in that time. */
const keptMost = 10_000

/**
 * Deployments whose last runs have all failed. Only those are looked at of which a run has ended here, so that a host
 * without runs asks nothing of the database; it is settled by what all hosts have written.
 */
export function failingAgents(sql: Sql) {
	let failed = new Set<string>()
	let succeeded = new Set<string>()
	return {
		note(deployment: string, status: string): void {
			const into = status === 'failed' ? failed : status === 'succeeded' ? succeeded : null
			if (into && into.size < keptMost) into.add(deployment)
		},
		async look(): Promise<void> {
			const [bad, good] = [[...failed], [...succeeded]]
			failed = new Set()
			succeeded = new Set()
			try {
				if (good.length > 0) await clear(sql, good)
				if (bad.length > 0) await tell(sql, bad)
			} catch (error) {
				for (const id of bad) failed.add(id)
				for (const id of good) succeeded.add(id)
				throw error
			}
		},
	}
}

const newest = (sql: Sql, limit: number) => sql`
	select id, status, error_code from runs
	where deployment_id = a.deployment_id and status in ('succeeded', 'failed') order by id desc limit ${limit}`

async function clear(sql: Sql, deployments: string[]): Promise<void> {
	await sql`
		update alerts a set cleared_at = now()
		where type = 'agent.failing' and cleared_at is null and deployment_id = any(${deployments})
			and 'succeeded' = (select status from (${newest(sql, 1)}) r)`
}

async function tell(sql: Sql, deployments: string[]): Promise<void> {
	const failing = await sql<{ deployment: string; run: string; code: string }[]>`
		select a.deployment_id as deployment, last.run, last.code
		from unnest(${deployments}::text[]) a(deployment_id) cross join lateral (
			select max(id) as run, (array_agg(error_code order by id desc))[1] as code,
				count(*) filter (where status = 'failed') as failed
			from (${newest(sql, failedRuns)}) r
		) last
		where last.failed = ${failedRuns} and not exists (
			select 1 from alerts t where t.deployment_id = a.deployment_id and t.type = 'agent.failing'
				and (t.cleared_at is null or t.at > now() - make_interval(mins => ${quietMinutes})))`
	for (const { deployment, ...data } of failing)
		await sql.begin((tx) =>
			raise(tx, { type: 'agent.failing', deployment, data: { failed_runs: failedRuns, ...data } }),
		)
}
