import { sharedNow } from '../../runtime/lib/clock.ts'
import type { Budgets } from '../api/budgets.ts'
import type { Tx } from '../db/index.ts'
import { type Holder, monthOf } from './accounts.ts'

/**
 * A budget was set or changed. Where there was none before, what the month has used so far is counted in: runs without a
 * budget leave no account. Thresholds are told anew.
 */
export async function budgetChanged(
	tx: Tx,
	{ deployment, lineage }: Holder,
	before: Budgets | null,
	after: Budgets | null,
): Promise<void> {
	if (after === null) return
	const month = monthOf(sharedNow())
	const [scope, id] = lineage === null ? ['deployment', deployment] : ['key', lineage]
	await tx`
		insert into budget_usage (scope, id, month) values (${scope}, ${id}, ${month})
		on conflict (scope, id, month) do update set warned = 0`
	if (before !== null) return
	await tx`
		update budget_usage b set tokens = r.tokens, usd_micros = r.usd_micros, unpriced = r.unpriced
		from (
			select coalesce(sum((usage->>'input_tokens')::bigint + (usage->>'output_tokens')::bigint
					+ coalesce((usage->'agents'->>'tokens')::bigint, 0)
					+ coalesce((usage->'agents'->'unreported'->>'tokens')::bigint, 0)), 0) as tokens,
				coalesce(ceil(sum((usage->>'usd')::numeric + coalesce((usage->'agents'->>'usd')::numeric, 0)
					+ coalesce((usage->'agents'->'unreported'->>'usd')::numeric, 0)) * 1000000), 0)::bigint as usd_micros,
				coalesce(bool_or(usage->>'usd' is null), false) as unpriced
			from runs
			where deployment_id = ${deployment} and completed_at >= date_trunc('month', now() at time zone 'UTC') at time zone 'UTC'
				and usage is not null ${lineage === null ? tx`` : tx`and lineage = ${lineage}`}
		) r
		where b.scope = ${scope} and b.id = ${id} and b.month = ${month}`
}
