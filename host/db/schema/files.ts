import { sql } from 'drizzle-orm'
import { index, integer, pgTable, primaryKey, text, uniqueIndex } from 'drizzle-orm/pg-core'
import { bytea, now, time } from './columns.ts'

// Files that runs are given and make. Every host reaches them here.

/** The bytes of files of one account, once for each digest. */
export const file_blobs = pgTable(
	'file_blobs',
	{
		id: text().primaryKey(),
		account_id: text().notNull(),
		/** Hex digits; null: its upload is under way, or was cut off. */
		sha256: text(),
		/** INVARIANT: the number of files that have it. */
		refs: integer().notNull().default(0),
		created_at: now('created_at'),
	},
	(t) => [
		uniqueIndex('file_blobs_digest').on(t.account_id, t.sha256),
		index('file_blobs_unused').on(t.created_at).where(sql`${t.refs} = 0`),
	],
)

/** 1 MiB each, the last one shorter. */
export const file_chunks = pgTable(
	'file_chunks',
	{
		blob_id: text()
			.notNull()
			.references(() => file_blobs.id, { onDelete: 'cascade' }),
		n: integer().notNull(),
		bytes: bytea().notNull(),
	},
	(t) => [primaryKey({ columns: [t.blob_id, t.n] })],
)

export const files = pgTable(
	'files',
	{
		id: text().primaryKey(),
		account_id: text().notNull(),
		deployment_id: text().notNull(),
		/** Of the run key that uploaded it, or of the run that made it; null: its owner. */
		lineage: text(),
		blob_id: text()
			.notNull()
			.references(() => file_blobs.id),
		name: text().notNull(),
		type: text().notNull(),
		size: integer().notNull(),
		sha256: text().notNull(),
		/** That made it, by which of its effects, and which of the effect's files: made again, it is the same file. */
		run_id: text(),
		effect: integer(),
		position: integer(),
		created_at: now('created_at'),
		/** Without a run that has it. */
		expires_at: time('expires_at').notNull(),
	},
	(t) => [
		index('files_account').on(t.account_id),
		index('files_deployment').on(t.deployment_id),
		index('files_expiry').on(t.expires_at),
		uniqueIndex('files_made').on(t.run_id, t.effect, t.position).where(sql`${t.run_id} is not null`),
	],
)

/** Which runs have a file. It ends with the last of them. No foreign keys: a run's rows are written and deleted in bulk. */
export const run_files = pgTable(
	'run_files',
	{
		run_id: text().notNull(),
		file_id: text().notNull(),
		created_at: now('created_at'),
	},
	(t) => [primaryKey({ columns: [t.run_id, t.file_id] }), index('run_files_file').on(t.file_id)],
)
