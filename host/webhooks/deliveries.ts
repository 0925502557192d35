import { setTimeout as sleep } from 'node:timers/promises'
import { sharedNow } from '../../runtime/lib/clock.ts'
import type { Attempt, Delivery } from '../api/endpoints.ts'
import type { Rows, Sql } from '../db/index.ts'
import { iso } from '../deployments/index.ts'
import { notFound, Problem } from '../http/errors.ts'
import { firstId, isId, newId } from '../lib/ids.ts'
import type { Webhooks } from './sender.ts'
import { requireEndpoint } from './store.ts'

export interface DeliveryParts {
	sql: Sql
	webhooks: Pick<Webhooks, 'wake'>
}

type Row = Pick<
	Rows['deliveries'],
	| 'id'
	| 'endpoint_id'
	| 'event_id'
	| 'run_id'
	| 'type'
	| 'status'
	| 'next_attempt_at'
	| 'created_at'
	| 'completed_at'
> & { attempts: Attempt[] }

const columns = (sql: Sql) => sql`
	d.id, d.endpoint_id, d.event_id, d.run_id, d.type, d.status, d.next_attempt_at, d.created_at, d.completed_at,
	coalesce((select json_agg(json_build_object('attempt', a.attempt, 'at', a.at, 'status', a.status,
			'latency_ms', a.latency_ms, 'error', a.error, 'answer', a.answer) order by a.attempt)
		from attempts a where a.delivery_id = d.id), '[]') as attempts`

const view = (row: Row): Delivery => ({
	id: row.id,
	endpoint: row.endpoint_id,
	event: row.event_id,
	run: row.run_id,
	type: row.type,
	status: row.status,
	attempts: row.attempts.map((attempt) => ({ ...attempt, at: iso(attempt.at) })),
	next_attempt_at: iso(row.next_attempt_at),
	created_at: iso(row.created_at),
	completed_at: iso(row.completed_at),
})

interface Page {
	endpoint?: string
	status?: Delivery['status'] | undefined
	run?: string | undefined
	cursor?: string | undefined
	limit: number
}

/** Newest first, over all endpoints of a deployment or one of them. */
export async function listDeliveries(
	sql: Sql,
	deployment: string,
	{ endpoint, status, run, cursor, limit }: Page,
): Promise<{ data: Delivery[]; next_cursor: string | null }> {
	const ofRun = run === undefined ? null : await readSpan(sql, deployment, run)
	if (run !== undefined && !ofRun) return { data: [], next_cursor: null }
	const rows = await sql<Row[]>`
		select ${columns(sql)} from deliveries d join endpoints p on p.id = d.endpoint_id
		where p.deployment_id = ${deployment} ${endpoint ? sql`and p.id = ${endpoint}` : sql``}
			${status ? sql`and d.status = ${status}` : sql``} ${cursor ? sql`and d.id < ${cursor}` : sql``}
			${ofRun ? sql`and d.run_id = ${run ?? ''} and d.id >= ${ofRun.from} and d.id < ${ofRun.to}` : sql``}
		order by d.id desc limit ${limit + 1}`
	const data = rows.slice(0, limit).map(view)
	return { data, next_cursor: rows.length > limit ? (data.at(-1)?.id ?? null) : null }
}

/** Hosts' clocks differ by less. */
const skewMs = 60_000

/** Deliveries that tell of a run are written while it lives: their ids begin with such a time. Null: there is no such run. */
async function readSpan(
	sql: Sql,
	deployment: string,
	run: string,
): Promise<{ from: string; to: string } | null> {
	const [row] = await sql<{ created_at: Date; completed_at: Date | null }[]>`
		select created_at, completed_at from runs where id = ${run} and deployment_id = ${deployment}`
	if (!row) return null
	return {
		from: firstId('dlv', row.created_at.getTime() - skewMs),
		to: firstId('dlv', (row.completed_at?.getTime() ?? sharedNow()) + skewMs),
	}
}

export async function readDelivery(sql: Sql, deployment: string, id: string): Promise<Delivery> {
	const [row] = isId('dlv', id)
		? await sql<Row[]>`
			select ${columns(sql)} from deliveries d join endpoints p on p.id = d.endpoint_id
			where d.id = ${id} and p.deployment_id = ${deployment}`
		: []
	if (!row) throw notFound('There is no such delivery.')
	return view(row)
}

/** Sent again from the start of the schedule, with the same `webhook-id` and body. */
export async function redeliver(parts: DeliveryParts, deployment: string, id: string): Promise<Delivery> {
	const { endpoint } = await readDelivery(parts.sql, deployment, id)
	await requireEnabled(parts.sql, deployment, endpoint)
	await parts.sql`
		update deliveries
		set status = 'pending', next_attempt_at = now(), completed_at = null, attempts_before = attempts
		where id = ${id} and (lease_until is null or lease_until < now())`
	parts.webhooks.wake()
	return readDelivery(parts.sql, deployment, id)
}

interface Span {
	since: string
	until?: string | undefined
	status: 'failed' | 'delivered' | 'all'
	endpoint?: string | undefined
}

/** Everything of a span of time that is finished and whose endpoint takes deliveries. Answers how many. */
export async function redeliverSpan(
	parts: DeliveryParts,
	deployment: string,
	span: Span,
): Promise<{ deliveries: number }> {
	const { sql } = parts
	if (span.endpoint !== undefined) await requireEnabled(sql, deployment, span.endpoint)
	const rows = await sql`
		update deliveries d
		set status = 'pending', next_attempt_at = now(), completed_at = null, attempts_before = d.attempts
		from endpoints p
		where p.id = d.endpoint_id and p.deployment_id = ${deployment} and p.deleted_at is null and p.disabled_at is null
			and d.created_at >= ${span.since} ${span.until === undefined ? sql`` : sql`and d.created_at < ${span.until}`}
			and d.next_attempt_at is null and d.type <> 'ping'
			${span.status === 'all' ? sql`` : sql`and d.status = ${span.status}`}
			${span.endpoint === undefined ? sql`` : sql`and p.id = ${span.endpoint}`}
		returning 1`
	if (rows.length > 0) parts.webhooks.wake()
	return { deliveries: rows.length }
}

async function requireEnabled(sql: Sql, deployment: string, endpoint: string): Promise<void> {
	const row = await requireEndpoint(sql, deployment, endpoint)
	if (!row.disabled_at) return
	throw new Problem(
		'conflict',
		`The endpoint is disabled (${row.disabled_reason}). Switch it on first: berth webhooks ${deployment} enable ${endpoint}, or PATCH {"disabled": false}.`,
	)
}

const pingWaitMs = 20_000
const lookMs = 20

/** Sends `ping` once, and answers with what came of it. */
export async function ping(parts: DeliveryParts, deployment: string, endpoint: string): Promise<Delivery> {
	await requireEnabled(parts.sql, deployment, endpoint)
	const id = newId('dlv')
	const body = JSON.stringify({
		type: 'ping',
		timestamp: new Date(sharedNow()).toISOString(),
		data: { deployment, endpoint },
	})
	await parts.sql`
		insert into deliveries (id, endpoint_id, event_id, place, type, body, status, next_attempt_at)
		select ${id}, ${endpoint}, ${newId('evt')}, place, 'ping', ${body}, 'pending', now()
		from deployments where id = ${deployment}`
	parts.webhooks.wake()
	const until = performance.now() + pingWaitMs
	for (;;) {
		const delivery = await readDelivery(parts.sql, deployment, id)
		if (delivery.status !== 'pending' || performance.now() >= until) return delivery
		await sleep(lookMs)
	}
}
