import { sql } from 'drizzle-orm'
import { index, integer, pgTable, primaryKey, text } from 'drizzle-orm/pg-core'
import { now, time } from './columns.ts'
import { deployments } from './deployments.ts'

// Endpoints, and the outbox of their deliveries.

export const endpoints = pgTable(
	'endpoints',
	{
		id: text().primaryKey(),
		deployment_id: text()
			.notNull()
			.references(() => deployments.id),
		url: text().notNull(),
		/** Null: every type. */
		events: text().array(),
		/** Wrapped by the runtime (purpose `webhook`); during a rotation the older one follows, with its end. */
		secret: text().notNull(),
		previous_secret: text(),
		previous_secret_until: time('previous_secret_until'),
		disabled_at: time('disabled_at'),
		disabled_reason: text(),
		failing_since: time('failing_since'),
		created_at: now('created_at'),
		deleted_at: time('deleted_at'),
	},
	(t) => [index('endpoints_deployment').on(t.deployment_id)],
)

/** Outbox of webhooks, written in the transaction that ends the run. `next_attempt_at` null: finished. */
export const deliveries = pgTable(
	'deliveries',
	{
		id: text().primaryKey(),
		endpoint_id: text()
			.notNull()
			.references(() => endpoints.id),
		/** `webhook-id`, the same on every attempt and for a redelivery. */
		event_id: text().notNull(),
		run_id: text(),
		/** Of its deployment: hosts of it send. */
		place: text().notNull().default('local'),
		type: text().notNull(),
		/** Exact bytes sent. */
		body: text().notNull(),
		status: text().$type<'pending' | 'delivered' | 'failed'>().notNull(),
		attempts: integer().notNull().default(0),
		/** Attempts made before it was last queued: the schedule counts from there. */
		attempts_before: integer().notNull().default(0),
		next_attempt_at: time('next_attempt_at'),
		/** A sender holds it until then. */
		lease_until: time('lease_until'),
		created_at: now('created_at'),
		completed_at: time('completed_at'),
	},
	(t) => [
		index('deliveries_due').on(t.place, t.next_attempt_at).where(sql`${t.next_attempt_at} is not null`),
		index('deliveries_endpoint').on(t.endpoint_id, t.id),
	],
)

export const attempts = pgTable(
	'attempts',
	{
		delivery_id: text()
			.notNull()
			.references(() => deliveries.id),
		attempt: integer().notNull(),
		at: now('at'),
		/** Null: no answer. */
		status: integer(),
		latency_ms: integer().notNull(),
		error: text(),
		/** First KiB of the answer. */
		answer: text(),
	},
	(t) => [primaryKey({ columns: [t.delivery_id, t.attempt] })],
)
