import { raise } from '../alerts/index.ts'
import { batched, type Sql } from '../db/index.ts'
import type { Attempted } from './attempt.ts'
import type { Due } from './claim.ts'
import { giveUpPending } from './store.ts'

export interface Settled {
	due: Due
	attempted: Attempted
	/** Milliseconds until the next attempt; null: there is none. */
	nextMs: number | null
}

const jitter = 0.1

/** `schedule`: seconds between one failed attempt and the next. A ping is sent once. */
export function nextAttempt(due: Due, attempted: Attempted, schedule: number[]): number | null {
	if (isDelivered(attempted) || attempted.status === 410 || due.type === 'ping') return null
	if (attempted.void) return 1000
	const seconds = schedule[due.tried]
	if (seconds === undefined) return null
	const ms = seconds * 1000 * (1 - jitter + 2 * jitter * Math.random())
	return Math.max(ms, attempted.retryAfterMs ?? 0)
}

export const isDelivered = ({ status }: Attempted) => status !== null && status >= 200 && status < 300

/** Writes attempts down and gives their deliveries back, as many together as end together. */
export function attemptWriter(sql: Sql): (settled: Settled) => Promise<null> {
	return batched(async (items: Settled[]) => {
		const counted = items.filter(({ attempted }) => !attempted.void)
		await sql`
			with s as (
				select * from unnest(
					${counted.map(({ due }) => due.id)}::text[],
					${counted.map(({ due }) => due.attempt)}::int[],
					${counted.map(({ attempted }) => attempted.status)}::int[],
					${counted.map(({ attempted }) => attempted.latencyMs)}::int[],
					${counted.map(({ attempted }) => attempted.error)}::text[],
					${counted.map(({ attempted }) => attempted.answer)}::text[],
					${counted.map(({ attempted }) => (isDelivered(attempted) ? 'delivered' : 'failed'))}::text[],
					${counted.map(({ nextMs }) => nextMs)}::float8[]
				) as s(id, attempt, status, latency, error, answer, outcome, next_ms)
			), held as materialized (
				-- Its run may have been erased meanwhile, or is being erased: that locks them in this order too.
				select id from deliveries where id in (select id from s) order by id for update
			), logged as (
				insert into attempts (delivery_id, attempt, at, status, latency_ms, error, answer)
				select id, attempt, now() - make_interval(secs => latency / 1000.0), status, latency, error, answer from s
				where id in (select id from held)
				on conflict do nothing
			)
			update deliveries d
			set attempts = s.attempt, lease_until = null,
				status = case when s.next_ms is null then s.outcome else 'pending' end,
				next_attempt_at = now() + make_interval(secs => s.next_ms / 1000),
				completed_at = case when s.next_ms is null then now() end
			from s where d.id = s.id and d.id in (select id from held) and d.status = 'pending'`
		const voided = items.filter(({ attempted }) => attempted.void).map(({ due }) => due.id)
		if (voided.length > 0) {
			await sql`
				update deliveries set lease_until = null, next_attempt_at = now() + interval '1 second'
				where id = any(${voided}) and status = 'pending'`
		}
		return items.map(() => null)
	})
}

const failingDays = 5

/** Its endpoint works. */
export async function noteWorking(sql: Sql, endpoint: string): Promise<void> {
	await sql`update endpoints set failing_since = null where id = ${endpoint} and failing_since is not null`
}

/**
 * Its endpoint fails, since now or since earlier. Answers with the reason where it is to be left alone
 * (spec webhook.gone, webhook.five-days).
 */
export async function noteFailing(sql: Sql, endpoint: string, attempted: Attempted): Promise<string | null> {
	const [row] = await sql<{ failing: boolean }[]>`
		update endpoints set failing_since = coalesce(failing_since, now()) where id = ${endpoint} and disabled_at is null
		returning failing_since < now() - make_interval(days => ${failingDays}) as failing`
	if (!row) return null
	if (attempted.status === 410) return 'It answered 410 Gone.'
	return row.failing ? `Every delivery has failed for ${failingDays} days.` : null
}

/** With what waits for it. Other endpoints of its deployment are told. */
export async function disableEndpoint(sql: Sql, endpoint: string, reason: string): Promise<void> {
	await sql.begin(async (tx) => {
		const [row] = await tx<{ deployment: string }[]>`
			update endpoints set disabled_at = now(), disabled_reason = ${reason} where id = ${endpoint} and disabled_at is null
			returning deployment_id as deployment`
		if (row)
			await raise(tx, { type: 'endpoint.disabled', deployment: row.deployment, data: { endpoint, reason } })
	})
	await giveUpPending(sql, endpoint)
}
