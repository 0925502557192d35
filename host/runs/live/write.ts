import type { RuntimeClient } from '../../../runtime/supervisor/client.ts'
import type { Entry } from '../../../runtime/wire/journal.ts'
import { type BatchOptions, batched, type Sql } from '../../db/index.ts'
import { newId } from '../../lib/ids.ts'
import {
	Fenced,
	type Idempotency,
	type LiveRun,
	type RunEnd,
	type RunRecord,
	terminalTypes,
} from './types.ts'
import { webhookJson } from './view.ts'

// The three statements that a run writes, each for as many runs as come together: begin, commit, end. Values go as one
// array a column, so that each statement is prepared once, and JSON goes as text that Postgres never takes apart (taken
// apart, it would refuse \u0000 and lone surrogates).

export interface NewRun {
	run: LiveRun
	/** `rev` of the deployment that the run was accepted by. */
	rev: number
	idempotency: Idempotency
}

export interface InsertParts {
	sql: Sql
	/** This host, which owns the run. */
	id: string
	runtime: Pick<RuntimeClient, 'prelude'>
}

/**
 * True: the run is there. False: nothing was written, because the deployment is not (any more) as `rev` says, or because
 * its idempotency key is taken. The deployment's row is locked as shared, so that a stop sees every run begun before it.
 */
export function runInserter(
	{ sql, id: hostId, runtime }: InsertParts,
	options: BatchOptions = {},
): (run: NewRun) => Promise<boolean> {
	return batched(async (items: NewRun[]) => {
		const rows = await sql<{ id: string }[]>`
			insert into runs (id, deployment_id, version, lineage, status, inputs, seed, created_at, host_id,
				idempotency_key, idempotency_body, prelude, depth, allowance, traceparent)
			select r.id, d.id, r.version, r.lineage, 'queued', r.inputs::json, r.seed, to_timestamp(r.created / 1000),
				${hostId}, r.key, r.body, ${runtime.prelude()}, r.depth, r.allowance::json, r.traceparent
			from unnest(
				${items.map(({ run }) => run.id)}::text[],
				${items.map(({ run }) => run.deployment.id)}::text[],
				${items.map(({ rev }) => rev)}::int[],
				${items.map(({ run }) => run.version)}::int[],
				${items.map(({ run }) => run.lineage)}::text[],
				${items.map(({ run }) => run.inputs)}::text[],
				${items.map(({ run }) => run.seed)}::text[],
				${items.map(({ run }) => run.createdAt)}::float8[],
				${items.map(({ idempotency }) => idempotency?.key ?? null)}::text[],
				${items.map(({ idempotency }) => idempotency?.body ?? null)}::text[],
				${items.map(({ run }) => run.depth ?? null)}::int[],
				${items.map(({ run }) => (run.allowance ? JSON.stringify(run.allowance) : null))}::text[],
				${items.map(({ run }) => run.traceparent ?? null)}::text[]
			) as r(id, deployment, rev, version, lineage, inputs, seed, created, key, body, depth, allowance, traceparent)
			join deployments d on d.id = r.deployment and d.rev = r.rev and d.state = 'running'
			for share of d
			on conflict do nothing
			returning id`
		const written = new Set(rows.map(({ id }) => id))
		const missing = items.filter(({ run }) => !written.has(run.id)).map(({ run }) => run.id)
		// The statement may be a repeat after a broken connection: what the first one wrote is there.
		const there =
			missing.length === 0 ? [] : await sql<{ id: string }[]>`select id from runs where id = any(${missing})`
		for (const { id } of there) written.add(id)
		return items.map(({ run }) => written.has(run.id))
	}, options)
}

/**
 * True of every run's id. Postgres takes half a percent of its rows to be in a span, which here makes one row of them, so
 * that it finds runs by their index. Of ten rows, as it expects from arrays, it would read the whole table in a database
 * that is new, with a plan that it keeps for as long as a minute.
 */
const few = (sql: Sql, items: 'c' | 'e') => sql.unsafe(`${items}.run collate "C" between 'r' and 's'`)

export interface Commit {
	run: LiveRun
	entries: Entry[]
}

/** Rejects `Fenced` where the run is no longer this host's. A repeat after a lost connection changes nothing. */
export function journalWriter(sql: Sql, options: BatchOptions = {}): (commit: Commit) => Promise<null> {
	return batched(async (items: Commit[]) => {
		const rows = await sql<{ id: string }[]>`
			with c as (
				select * from unnest(
					${items.map(({ run }) => run.id)}::text[],
					${items.map(({ run }) => run.epoch)}::int[],
					${items.map(({ entries }) => entries[0]!.seq)}::int[],
					${items.map(({ entries }) => entries.at(-1)!.seq)}::int[],
					${items.map(({ entries }) => JSON.stringify(entries))}::text[],
					${items.map(({ run }) => run.startedAt)}::float8[]
				) as c(run, epoch, first_seq, last_seq, entries, started)
			), own as (
				update runs r set status = 'running', started_at = coalesce(r.started_at, to_timestamp(c.started / 1000))
				from c where r.id = c.run and ${few(sql, 'c')} and r.epoch = c.epoch
					and (r.status in ('queued', 'running') or r.status = 'waiting' and r.host_id is not null)
				returning r.id
			), written as (
				insert into journal (run_id, first_seq, last_seq, entries)
				select c.run, c.first_seq, c.last_seq, c.entries from c join own on own.id = c.run
				on conflict do nothing
			)
			select id from own`
		const own = new Set(rows.map(({ id }) => id))
		return items.map(({ run }) => (own.has(run.id) ? null : new Fenced(run.id)))
	}, options)
}

export interface Ending {
	end: RunEnd
	record: RunRecord
	/** `deployment_url` and its place, for the webhook. */
	url: string
	place: string
}

/**
 * Of a delivery to endpoint `p`: its status, when it is due and when it was done. One that is disabled just then has failed,
 * and is sent by `redeliver` once it is enabled again.
 */
export const queuedFor = (sql: Sql) => sql`
	case when p.disabled_at is null then 'pending' else 'failed' end,
	case when p.disabled_at is null then now() end, case when p.disabled_at is not null then now() end`

const crockford = '0123456789abcdefghjkmnpqrstvwxyz'

/**
 * The end of a run in one statement: its row, the rest of its journal, and a delivery for every endpoint that wants it.
 * Answers how many deliveries are to be sent; rejects `Fenced` where the run is another host's or has ended already.
 */
export function runEnder(sql: Sql, options: BatchOptions = {}): (ending: Ending) => Promise<number> {
	return batched(async (items: Ending[]) => {
		const types = items.map(({ end }) => terminalTypes[end.outcome.status])
		const rows = await sql<{ id: string; deliveries: number }[]>`
			with e as (
				select * from unnest(
					${items.map(({ end }) => end.run)}::text[],
					${items.map(({ end }) => end.epoch)}::int[],
					${items.map(({ end }) => end.entries[0]?.seq ?? 0)}::int[],
					${items.map(({ end }) => end.entries.at(-1)?.seq ?? 0)}::int[],
					${items.map(({ end }) => JSON.stringify(end.entries))}::text[],
					${items.map(({ record }) => record.status)}::text[],
					${items.map(({ record }) => record.output)}::text[],
					${items.map(({ record }) => record.citations)}::text[],
					${items.map(({ record }) => record.error?.code ?? null)}::text[],
					${items.map(({ record }) => record.error?.message ?? null)}::text[],
					${items.map(({ record }) => record.usage)}::text[],
					${items.map(({ record }) => record.started_at)}::float8[],
					${items.map(({ record }) => record.completed_at)}::float8[],
					${types}::text[],
					${items.map(() => newId('evt'))}::text[],
					${items.map(() => newId('dlv'))}::text[],
					${items.map(({ record, url }, i) => webhookJson(record, types[i] as string, url))}::text[],
					${items.map(({ place }) => place)}::text[]
				) as e(run, epoch, first_seq, last_seq, entries, status, output, citations, error_code, error_message, usage,
					started, completed, type, event, delivery, body, place)
			), own as (
				update runs r
				set status = e.status, output = e.output::json, citations = e.citations::json, error_code = e.error_code, error_message = e.error_message,
					usage = e.usage::json, started_at = coalesce(r.started_at, to_timestamp(e.started / 1000)),
					completed_at = to_timestamp(e.completed / 1000)
				from e where r.id = e.run and ${few(sql, 'e')} and r.epoch = e.epoch and r.status in ('queued', 'running', 'waiting')
				returning r.id, r.deployment_id
			), written as (
				insert into journal (run_id, first_seq, last_seq, entries)
				select e.run, e.first_seq, e.last_seq, e.entries from e join own on own.id = e.run where e.last_seq > 0
				on conflict do nothing
			), queued as (
				-- One id a delivery from one id an event: the last letter counts the endpoints (32 at most).
				insert into deliveries (id, endpoint_id, event_id, run_id, place, type, body, status, next_attempt_at, completed_at)
				select overlay(e.delivery placing
						substr(${crockford}, (row_number() over (partition by own.id order by p.id))::int, 1) from 30 for 1),
					p.id, e.event, e.run, e.place, e.type, e.body, ${queuedFor(sql)}
				from e join own on own.id = e.run
				join endpoints p on p.deployment_id = own.deployment_id and p.deleted_at is null
					and (p.events is null or e.type = any(p.events))
				returning run_id, next_attempt_at
			)
			select own.id, (select count(next_attempt_at) from queued where queued.run_id = own.id)::int as deliveries from own`
		const own = new Map(rows.map(({ id, deliveries }) => [id, deliveries]))
		return items.map(({ end }) => own.get(end.run) ?? new Fenced(end.run))
	}, options)
}
