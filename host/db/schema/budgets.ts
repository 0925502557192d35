import { bigint, boolean, index, integer, pgTable, primaryKey, text } from 'drizzle-orm/pg-core'
import { now } from './columns.ts'

// What budgets have been used for. The budgets themselves stand with deployments and run keys.

const count = () => bigint({ mode: 'number' }).notNull().default(0)

/** One row a budget and month. INVARIANT: `reserved_*` is the sum of the reservations that name it. */
export const budget_usage = pgTable(
	'budget_usage',
	{
		scope: text().$type<'deployment' | 'key'>().notNull(),
		/** Deployment, or lineage of the run key. */
		id: text().notNull(),
		/** `2026-11`, in UTC. */
		month: text().notNull(),
		tokens: count(),
		/** Millionths of a US dollar. */
		usd_micros: count(),
		/** Of a call of it the price is not known, so the sum is not either. */
		unpriced: boolean().notNull().default(false),
		reserved_tokens: count(),
		reserved_micros: count(),
		/** The highest threshold that was told, in percent. */
		warned: integer().notNull().default(0),
	},
	(t) => [primaryKey({ columns: [t.scope, t.id, t.month] })],
)

/** A model call under way: the most it may use of each budget it counts against. */
export const budget_reservations = pgTable(
	'budget_reservations',
	{
		run_id: text().notNull(),
		effect: integer().notNull(),
		epoch: integer().notNull(),
		month: text().notNull(),
		deployment_id: text().notNull(),
		lineage: text(),
		/** Of the budgets it is held against. */
		scopes: text().array().notNull(),
		tokens: count(),
		usd_micros: count(),
		created_at: now('created_at'),
	},
	(t) => [primaryKey({ columns: [t.run_id, t.effect] }), index('budget_reservations_age').on(t.created_at)],
)
