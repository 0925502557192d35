import type { Sql } from '../db/index.ts'

export interface Plan {
	name: string
	/** Null: no limit. */
	running_agents: number | null
	paid: boolean
}

/** Plans are data (spec account.plans): what an operator has changed stays. */
const byDefault: Plan[] = [
	{ name: 'free', running_agents: 1, paid: false },
	{ name: 'pro', running_agents: 5, paid: true },
	{ name: 'team', running_agents: 25, paid: true },
]

export async function ensurePlans(sql: Sql): Promise<void> {
	await sql`insert into plans ${sql(byDefault, 'name', 'running_agents', 'paid')} on conflict (name) do nothing`
}

export async function listPlans(sql: Sql): Promise<Plan[]> {
	return sql<Plan[]>`select name, running_agents, paid from plans order by running_agents nulls last, name`
}

/** Lowered below use it stops nothing; new starts are refused (spec deployment.plan-lowered). */
export async function putPlan(sql: Sql, plan: Plan): Promise<Plan> {
	await sql`
		insert into plans ${sql(plan, 'name', 'running_agents', 'paid')}
		on conflict (name) do update set running_agents = excluded.running_agents, paid = excluded.paid`
	return plan
}

/**
 * What holds the account's slots, oldest first: every state but `stopped` holds one
 * (spec deployment.limit-names-slots).
 */
export async function heldSlots(sql: Sql, accountId: string) {
	return sql<{ deployment: string; name: string; state: string; since: Date }[]>`
		select id as deployment, name, state, state_since as since from deployments
		where account_id = ${accountId} and state in ('creating', 'running', 'stopping', 'failed')
		order by state_since, id`
}
