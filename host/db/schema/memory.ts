import { index, integer, pgTable, primaryKey, text } from 'drizzle-orm/pg-core'
import { now } from './columns.ts'

// What agents keep between runs.

/** One row a deployment that has ever had memory: what its files come to, and the lock that its writes take. */
export const memory_totals = pgTable('memory_totals', {
	deployment_id: text().primaryKey(),
	files: integer().notNull().default(0),
	bytes: integer().notNull().default(0),
	/** Writes so far, over all its files: the version of the newest. */
	writes: integer().notNull().default(0),
})

/** The files as they are now: which version is current. */
export const memory = pgTable(
	'memory',
	{
		deployment_id: text().notNull(),
		path: text().notNull(),
		version: integer().notNull(),
		/** Bytes of the content. */
		size: integer().notNull(),
		updated_at: now('updated_at'),
	},
	(t) => [primaryKey({ columns: [t.deployment_id, t.path] })],
)

/** Every write; never changed, and let go when enough newer ones are there. */
export const memory_versions = pgTable(
	'memory_versions',
	{
		deployment_id: text().notNull(),
		/** Number among the writes of the deployment, so that no file ever has a version twice. */
		version: integer().notNull(),
		path: text().notNull(),
		/** Null: the file was deleted. */
		content: text(),
		size: integer().notNull(),
		/** Hex digits; null where there is no content. */
		sha256: text(),
		/** Who wrote it: a run, or the account of an owner. */
		actor: text().notNull(),
		/** Of a run: which of its effects. One that is executed again finds what it did. */
		effect: integer(),
		created_at: now('created_at'),
	},
	(t) => [
		primaryKey({ columns: [t.deployment_id, t.version] }),
		index('memory_versions_path').on(t.deployment_id, t.path, t.version),
		index('memory_versions_effect').on(t.actor, t.effect),
	],
)
