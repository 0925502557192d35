import { sql } from 'drizzle-orm'
import { boolean, check, index, json, pgTable, text, timestamp } from 'drizzle-orm/pg-core'
import { now, time } from './columns.ts'
import { deployments } from './deployments.ts'

/** Runs that begin by the clock. */
export const schedules = pgTable(
	'schedules',
	{
		id: text().primaryKey(),
		deployment_id: text()
			.notNull()
			.references(() => deployments.id),
		/** Five fields. */
		cron: text().notNull(),
		/** IANA name. */
		timezone: text().notNull(),
		inputs: json().$type<Record<string, unknown>>().notNull(),
		missed: text().$type<'skip' | 'run_once'>().notNull(),
		enabled: boolean().notNull().default(true),
		/** Null while it is not enabled. What has passed here has not been fired yet. Compared with what was read of it. */
		next_at: timestamp('next_at', { withTimezone: true, precision: 3 }),
		/** A host is at it until then. */
		lease_until: time('lease_until'),
		/** The time that was fired last, and the run that came of it; null where it failed. */
		last_at: time('last_at'),
		last_run_id: text(),
		last_error: json().$type<{ code: string; message: string }>(),
		/** The last time that nobody was there for and that was left out. */
		skipped_at: time('skipped_at'),
		created_at: now('created_at'),
	},
	(t) => [
		index('schedules_deployment').on(t.deployment_id, t.id),
		index('schedules_due').on(t.next_at).where(sql`${t.next_at} is not null`),
		check('schedules_missed', sql`${t.missed} in ('skip', 'run_once')`),
	],
)
