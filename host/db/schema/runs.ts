import { sql } from 'drizzle-orm'
import { boolean, index, integer, json, pgTable, primaryKey, text, uniqueIndex } from 'drizzle-orm/pg-core'
import type { Allowance } from '../../../runtime/wire/agent-calls.ts'
import { now, time } from './columns.ts'

// Hosts, runs and their journal.

/** A host and its lease. A run belongs to (host, epoch); a host whose lease ran out has lost its runs. */
export const hosts = pgTable('hosts', {
	id: text().primaryKey(),
	lease_until: time('lease_until').notNull(),
	started_at: now('started_at'),
	/** For operators; null: a host of before they were kept. */
	version: text(),
	address: text(),
	place: text().notNull().default('local'),
	/** Of its place, as this host names it; null: a host of before there were places. */
	place_url: text(),
	/** Check values of the master keys that it holds, the one that it uses first; null: it cannot change the key. */
	master_keys: text('master_keys').array(),
})

export type RunStatus = 'queued' | 'running' | 'waiting' | 'succeeded' | 'failed' | 'cancelled'

export const runs = pgTable(
	'runs',
	{
		id: text().primaryKey(),
		/** No foreign key: the insert itself joins and locks the deployment, which is never deleted; a check a row would say it again. */
		deployment_id: text().notNull(),
		version: integer().notNull(),
		/** Null: the owner's own call. */
		lineage: text(),
		status: text().$type<RunStatus>().notNull(),
		inputs: json().notNull(),
		output: json(),
		/** What the output rests on; null: nothing is known. */
		citations: json(),
		error_code: text(),
		error_message: text(),
		usage: json().$type<Record<string, number>>(),
		seed: text().notNull(),
		/** Digest of the guest program that it began with. */
		prelude: text(),
		/** How many agents stand above it; null: a program or a person has begun it. */
		depth: integer(),
		/** What its caller, another agent's run, lets it use; null: nobody said. */
		allowance: json().$type<Allowance>(),
		/** Of its caller (W3C Trace Context); null: it was not asked for, or this host makes no traces. */
		traceparent: text(),
		created_at: now('created_at'),
		started_at: time('started_at'),
		completed_at: time('completed_at'),
		host_id: text(),
		epoch: integer().notNull().default(1),
		attempt: integer().notNull().default(1),
		cancel_requested_at: time('cancel_requested_at'),
		/** While `waiting`: the approvals that nobody had decided when it was parked. */
		waiting_for: text('waiting_for').array(),
		idempotency_key: text(),
		/** SHA-256 of the canonical body. */
		idempotency_body: text(),
	},
	(t) => [
		index('runs_deployment').on(t.deployment_id, t.id),
		// Those an owner looks for among millions.
		index('runs_failed').on(t.deployment_id, t.id).where(sql`${t.status} in ('failed', 'cancelled')`),
		index('runs_failed_code')
			.on(t.deployment_id, t.error_code, t.id)
			.where(sql`${t.status} in ('failed', 'cancelled')`),
		index('runs_lineage').on(t.deployment_id, t.lineage, t.id).where(sql`${t.lineage} is not null`),
		index('runs_waiting').on(t.deployment_id, t.id).where(sql`${t.status} = 'waiting'`),
		index('runs_live').on(t.host_id).where(sql`${t.status} in ('queued', 'running', 'waiting')`),
		uniqueIndex('runs_idempotency')
			.on(t.deployment_id, sql`coalesce(${t.lineage}, '')`, t.idempotency_key)
			.where(sql`${t.idempotency_key} is not null`),
		index('runs_idempotency_age').on(t.created_at).where(sql`${t.idempotency_key} is not null`),
	],
)

/** The journal, one row a commit: `entries` is the JSON text of `Entry[]` (runtime/wire/journal.ts). */
export const journal = pgTable(
	'journal',
	{
		run_id: text().notNull(),
		first_seq: integer().notNull(),
		last_seq: integer().notNull(),
		entries: text().notNull(),
	},
	(t) => [primaryKey({ columns: [t.run_id, t.first_seq] })],
)

/** Calls of `/run` that were refused before there was a run. No foreign key: they are written later, in one statement. */
export const refusals = pgTable(
	'refusals',
	{
		deployment_id: text().notNull(),
		/** Its beginning. */
		hour: time('hour').notNull(),
		code: text().notNull(),
		count: integer().notNull(),
		last_at: time('last_at').notNull(),
		/** Of the last one: the problem's words, and pointers to what was wrong; never a value. */
		detail: text().notNull(),
		paths: json().$type<string[]>().notNull(),
	},
	(t) => [primaryKey({ columns: [t.deployment_id, t.hour, t.code] }), index('refusals_hour').on(t.hour)],
)

/** Decisions about what a run asked for; what was asked stands in its journal. Inserted once, never changed. */
export const approvals = pgTable(
	'approvals',
	{
		run_id: text().notNull(),
		id: text().notNull(),
		approved: boolean().notNull(),
		note: text(),
		/** What a connector's question was answered with. */
		content: json(),
		account_id: text().notNull(),
		decided_at: now('decided_at'),
	},
	(t) => [primaryKey({ columns: [t.run_id, t.id] }), index('approvals_account').on(t.account_id, t.id)],
)
