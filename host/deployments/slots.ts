import type { Slot } from '../api/deployments.ts'
import type { Tx } from '../db/index.ts'
import { Problem } from '../http/errors.ts'
import { slotStates } from './states.ts'

/**
 * INVARIANT: every statement that lets a deployment take a slot runs under this lock of its account, so that the count
 * and the change are one step: of twenty creates at once at a limit of one, one goes through
 * (spec deployment.slots-race-free).
 */
export async function lockAccount(tx: Tx, accountId: string): Promise<{ limit: number | null }> {
	const [row] = await tx<{ running_agents: number | null }[]>`
		select p.running_agents from accounts a join plans p on p.name = a.plan where a.id = ${accountId}
		for no key update of a`
	if (!row) throw new Problem('unauthenticated', 'The account is gone.')
	return { limit: row.running_agents }
}

/** What holds the account's slots, oldest first; `except`: the deployment that is to take or keep one. */
export async function slotsOf(tx: Tx, accountId: string, except?: string): Promise<Slot[]> {
	const rows = await tx<{ id: string; name: string; state: Slot['state']; state_since: Date }[]>`
		select id, name, state, state_since from deployments
		where account_id = ${accountId} and state = any(${[...slotStates]})
			and id <> ${except ?? ''}
		order by state_since, id`
	return rows.map((row) => ({
		deployment: row.id,
		name: row.name,
		state: row.state,
		since: row.state_since.toISOString(),
	}))
}

/** Refuses where the plan has no slot left beside those of the others. */
export async function requireSlot(tx: Tx, accountId: string, except?: string): Promise<void> {
	const { limit } = await lockAccount(tx, accountId)
	if (limit === null) return
	const slots = await slotsOf(tx, accountId, except)
	if (slots.length >= limit) throw limitReached(limit, slots)
}

export function limitReached(limit: number, slots: Slot[]): Problem {
	const held = slots.map(({ name, state }) => `${name} (${state})`).join(', ')
	const agents = limit === 1 ? 'one running agent' : `${limit} running agents`
	const holding = `${slots.length > 1 ? 'hold' : 'holds'} ${limit === 1 ? 'it' : 'them'}`
	return new Problem(
		'running_agent_limit_reached',
		`Your plan allows ${agents}; ${held || 'nothing'} ${holding}. Stop one first.`,
		{ members: { limit, slots } },
	)
}
