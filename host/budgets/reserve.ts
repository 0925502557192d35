import { sharedNow } from '../../runtime/lib/clock.ts'
import type { Spent } from '../../runtime/wire/agent-calls.ts'
import type { BudgetWarning } from '../../runtime/wire/budgets.ts'
import type { HostCalls } from '../../runtime/wire/host-calls.ts'
import type { Usage } from '../../runtime/wire/journal.ts'
import { spentOf } from '../../runtime/wire/usage.ts'
import type { Sql, Tx } from '../db/index.ts'
import { type BudgetAccount, type Holder, lockAccounts, micros, monthOf } from './accounts.ts'
import { type BudgetDecision, decide, decideShare, type ShareAsk } from './decide.ts'
import { crossed, warn } from './warn.ts'

// The two ends of a model call of a run that has a budget. Each is one transaction that holds the budgets' rows, so that
// runs at once, on however many hosts, never come to more than a budget together.

const nothing = { tokens: 0, usd: 0 }

export type ReserveAsk = Parameters<HostCalls['budget.reserve']>[0]
export type SettleAsk = Parameters<HostCalls['budget.settle']>[0]

export async function reserve(
	sql: Sql,
	holder: Holder,
	ask: ReserveAsk,
): Promise<ReturnType<HostCalls['budget.reserve']>> {
	const made = await hold(sql, holder, ask, (accounts) => decide(accounts, ask))
	return made.status === 'granted' ? { status: 'granted', output_tokens: made.output_tokens } : made
}

/** For a call of another agent. */
export async function reserveShare(
	sql: Sql,
	holder: Holder,
	ask: ShareAsk & Call,
): Promise<ReturnType<HostCalls['budget.share']>> {
	const made = await hold(sql, holder, ask, (accounts) => decideShare(accounts, ask))
	return made.status === 'granted' ? { status: 'granted', tokens: made.tokens, usd: made.usd } : made
}

type Call = Pick<ReserveAsk, 'run' | 'effect' | 'epoch'>
interface Granted {
	status: 'granted'
	tokens: number
	usd_micros: number
}
type Refused = Exclude<BudgetDecision, { status: 'granted' }>

/** What the run's last attempt at the same call reserved, and never settled, is let go first. */
async function hold<G extends Granted>(
	sql: Sql,
	holder: Holder,
	{ run, effect, epoch }: Call,
	decideBy: (accounts: BudgetAccount[]) => G | Refused,
): Promise<G | { status: 'wait' } | { status: 'reached'; message: string; warnings: BudgetWarning[] }> {
	const month = monthOf(sharedNow())
	let granted: G | undefined
	const refused = await sql.begin(async (tx) => {
		await release(tx, { run, effect, epoch, since: 0 }, nothing)
		const accounts = await lockAccounts(tx, holder, month)
		const decision = decideBy(accounts)
		if (decision.status === 'wait') return { status: 'wait' as const }
		if (decision.status === 'reached') {
			const { account, known, message } = decision
			const warnings = known ? await warn(tx, holder.deployment, account, month, 100) : []
			return { status: 'reached' as const, message, warnings }
		}
		const { tokens, usd_micros } = decision
		await tx`
			insert into budget_reservations (run_id, effect, epoch, month, deployment_id, lineage, scopes, tokens, usd_micros)
			values (${run}, ${effect}, ${epoch}, ${month}, ${holder.deployment}, ${holder.lineage},
				${accounts.map(({ scope }) => scope)}, ${tokens}, ${usd_micros})`
		for (const { scope, id } of accounts) {
			await tx`
				update budget_usage
				set reserved_tokens = reserved_tokens + ${tokens}, reserved_micros = reserved_micros + ${usd_micros}
				where scope = ${scope} and id = ${id} and month = ${month}`
		}
		granted = decision
		return null
	})
	return refused ?? (granted as G)
}

/** What the call has really used takes the place of its reservation. Done twice, it counts once. */
export async function settle(
	sql: Sql,
	{ tokens, usd, warn: heard, ...call }: SettleAsk,
): Promise<{ warnings: BudgetWarning[] }> {
	return sql.begin(async (tx) => {
		const held = await release(tx, { ...call, since: call.epoch }, { tokens, usd })
		if (!held || !heard || (tokens === 0 && usd === 0)) return { warnings: [] }
		const warnings: BudgetWarning[] = []
		for (const account of await lockAccounts(tx, held, held.month))
			warnings.push(...(await warn(tx, held.deployment, account, held.month, crossed(account))))
		return { warnings }
	})
}

interface Held {
	month: string
	deployment_id: string
	lineage: string | null
	scopes: string[]
	tokens: number
	usd_micros: number
}

/**
 * Ends a reservation, if it is still there, in favour of what was used. A host that no longer owns the run leaves alone
 * what its new owner reserved. Answers with what it was held against.
 */
export async function release(
	tx: Tx,
	{ run, effect, epoch, since }: { run: string; effect: number; epoch: number; since: number },
	used: { tokens: number; usd: number | null },
): Promise<(Holder & { month: string }) | null> {
	const [held] = await tx<Held[]>`
		delete from budget_reservations where run_id = ${run} and effect = ${effect} and epoch between ${since} and ${epoch} returning *`
	if (!held) return null
	// By scope, as they are locked everywhere.
	for (const [scope, id] of [
		['deployment', held.deployment_id],
		['key', held.lineage],
	] as const) {
		if (!held.scopes.includes(scope)) continue
		await tx`
			update budget_usage
			set tokens = tokens + ${used.tokens}, usd_micros = usd_micros + ${micros(used.usd ?? 0)},
				unpriced = unpriced or ${used.usd === null},
				reserved_tokens = reserved_tokens - ${held.tokens},
				reserved_micros = reserved_micros - ${held.usd_micros}
			where scope = ${scope} and id = ${id} and month = ${held.month}`
	}
	return { deployment: held.deployment_id, lineage: held.lineage, month: held.month }
}

/** A call whose run is over, or is another attempt's now, and that nobody settles any more. */
const abandonedSeconds = 30
const releasedAtOnce = 100

interface Abandoned {
	run: string
	effect: number
	epoch: number
	tokens: number
	usd_micros: number
	/** Of the run that the call began, where it was a call of an agent of this database. */
	usages: string[]
}

/**
 * The runs that calls began are looked for by no index, so only of what nobody settles any more, which is little. One of an
 * agent whose run goes on is let go when that has ended, with what it has used, up to what it was left.
 */
export async function releaseAbandoned(sql: Sql): Promise<void> {
	const rows = await sql<Abandoned[]>`
		with b as materialized (
			select run_id, effect, epoch, tokens, usd_micros from budget_reservations b
			where b.created_at < now() - make_interval(secs => ${abandonedSeconds}) and not exists (
				select 1 from runs r
				where r.id = b.run_id and r.epoch = b.epoch and r.status in ('queued', 'running', 'waiting'))
		)
		select b.run_id as run, b.effect, b.epoch, b.tokens, b.usd_micros, coalesce(called.usages, '{}') as usages
		from b left join lateral (
			select array_agg(c.usage::text) filter (where c.usage is not null) as usages,
				bool_or(c.status in ('queued', 'running', 'waiting')) as live
			from runs c where c.idempotency_key = 'mcp:' || b.run_id || '/' || b.effect
		) called on true
		where called.live is not true
		limit ${releasedAtOnce}`
	for (const row of rows) await sql.begin((tx) => release(tx, { ...row, since: row.epoch }, usedOf(row)))
}

function usedOf({ usages, tokens, usd_micros }: Abandoned): Spent {
	let used: Spent = nothing
	for (const usage of usages) used = added(used, spentOf(JSON.parse(usage) as Usage))
	return {
		tokens: Math.min(used.tokens, tokens),
		usd: used.usd === null ? null : Math.min(used.usd, usd_micros / 1e6),
	}
}

const added = (one: Spent, other: Spent): Spent => ({
	tokens: one.tokens + other.tokens,
	usd: one.usd === null || other.usd === null ? null : one.usd + other.usd,
})
