import type { Agent } from '../../bundles/index.ts'
import type { Budgets } from '../api/budgets.ts'
import type { DeploymentOverview } from '../api/overview.ts'
import { monthOf, usd } from '../budgets/index.ts'
import type { RunStatus, Sql } from '../db/index.ts'
import { iso, needsOf } from '../deployments/index.ts'

export type State = Omit<DeploymentOverview, 'hours'> & { id: string }

interface Row {
	id: string
	running: boolean
	agent: Pick<Agent, 'model' | 'requires' | 'http'>
	budgets: Budgets | null
	usd_micros: number
	unpriced: boolean
	last_run: { id: string; status: RunStatus; created_at: string } | null
	next_run_at: Date | null
	approvals_waiting: number
	ready: string[]
}

/** Where each deployment stands now, newest first. */
export async function readStates(sql: Sql, accountId: string, now: number): Promise<State[]> {
	const rows = await sql<Row[]>`
		select d.id, d.state = 'running' as running, d.budgets,
			json_strip_nulls(json_build_object('model', v.agent->'model', 'requires', v.agent->'requires', 'http', v.agent->'http')) as agent,
			coalesce(u.usd_micros, 0)::float8 as usd_micros, coalesce(u.unpriced, false) as unpriced,
			(select json_build_object('id', r.id, 'status', r.status, 'created_at', r.created_at)
				from runs r where r.deployment_id = d.id order by r.id desc limit 1) as last_run,
			(select min(s.next_at) from schedules s where s.deployment_id = d.id and s.enabled) as next_run_at,
			(select coalesce(sum(cardinality(r.waiting_for)), 0)::int from runs r
				where r.deployment_id = d.id and r.status = 'waiting' and r.cancel_requested_at is null) as approvals_waiting,
			array(select c.name from credentials c where c.deployment_id = d.id and c.state = 'ready' and c.missing_scope is null) as ready
		from deployments d
		join versions v on v.deployment_id = d.id and v.version = d.version
		left join budget_usage u on u.scope = 'deployment' and u.id = d.id and u.month = ${monthOf(now)}
		where d.account_id = ${accountId} and d.state <> 'deleted'
		order by d.id desc`
	return rows.map((row) => ({
		id: row.id,
		last_run: row.last_run && { ...row.last_run, created_at: iso(row.last_run.created_at) },
		usd_month: row.budgets === null || row.unpriced ? null : usd(row.usd_micros),
		budget_usd_month: row.budgets?.usd_per_month ?? null,
		// A stopped one is passed over.
		next_run_at: row.running ? iso(row.next_run_at) : null,
		approvals_waiting: row.approvals_waiting,
		credentials_needing: needsOf(row.agent)
			.map(({ name }) => name)
			.filter((name) => !row.ready.includes(name)),
	}))
}
