import { and, asc, eq, inArray } from 'drizzle-orm'
import { query, read, type Sql, tables } from '../db/index.ts'

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
	const { name, running_agents } = tables.plans
	// Postgres puts null, no limit, last.
	return read(sql, query.select().from(tables.plans).orderBy(asc(running_agents), asc(name)))
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
	const { id, name, state, state_since, account_id } = tables.deployments
	const holding = inArray(state, ['creating', 'running', 'stopping', 'failed'])
	const slots = query.select({ deployment: id, name, state, since: state_since }).from(tables.deployments)
	return read(sql, slots.where(and(eq(account_id, accountId), holding)).orderBy(state_since, id))
}
