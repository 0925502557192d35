import { and, asc, eq, inArray } from 'drizzle-orm'
import type postgres from 'postgres'
import { query, read, type Sql, tables } from '../db/index.ts'

export interface Plan {
	name: string
	/** Null: no limit. */
	running_agents: number | null
	/** Null: as long as the host says. */
	retain_days: number | null
	paid: boolean
}

/** Plans are data (spec account.plans): what an operator has changed stays. */
const byDefault: Plan[] = [
	{ name: 'free', running_agents: 1, retain_days: null, paid: false },
	{ name: 'pro', running_agents: 5, retain_days: null, paid: true },
	{ name: 'team', running_agents: 25, retain_days: null, paid: true },
]

export async function ensurePlans(sql: Sql): Promise<void> {
	await sql`insert into plans ${sql(byDefault, 'name', 'running_agents', 'paid')} on conflict (name) do nothing`
}

export async function listPlans(sql: Sql): Promise<Plan[]> {
	const { name, running_agents } = tables.plans
	// Postgres puts null, no limit, last.
	return read(sql, query.select().from(tables.plans).orderBy(asc(running_agents), asc(name)))
}

/** Lowered below use it stops nothing; new starts are refused (spec deployment.plan-lowered). */
export async function putPlan(sql: Sql, plan: Plan): Promise<Plan> {
	const [before] = await sql<Pick<Plan, 'retain_days'>[]>`
		select retain_days from plans where name = ${plan.name}`
	await sql`
		insert into plans ${sql(plan, 'name', 'running_agents', 'retain_days', 'paid')}
		on conflict (name) do update
			set running_agents = excluded.running_agents, retain_days = excluded.retain_days, paid = excluded.paid`
	if (before && before.retain_days !== plan.retain_days)
		await tellDeployments(sql, sql`a.plan = ${plan.name}`)
	return plan
}

/**
 * What holds the account's slots, oldest first: every state but `stopped` holds one
 * (spec deployment.limit-names-slots).
 */
export async function heldSlots(sql: Sql, accountId: string) {
	const { id, name, state, state_since, account_id } = tables.deployments
	const holding = inArray(state, ['creating', 'running', 'stopping', 'failed'])
	const slots = query.select({ deployment: id, name, state, since: state_since }).from(tables.deployments)
	return read(sql, slots.where(and(eq(account_id, accountId), holding)).orderBy(state_since, id))
}

/** How long the runs of these accounts `a` are kept has changed: hosts read their deployments again. */
export async function tellDeployments(sql: Sql, which: postgres.Fragment): Promise<void> {
	await sql`
		with told as (
			update deployments d set rev = d.rev + 1 from accounts a
			where a.id = d.account_id and d.state <> 'deleted' and ${which}
			returning d.id
		) select pg_notify('deployments', id) from told`
}
