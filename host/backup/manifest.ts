import { z } from 'zod'

// A backup is a folder of ordinary files. `SHA256SUMS` has the digest of each (`sha256sum --check SHA256SUMS`), the manifest
// says what they are, and a table is the text of Postgres' COPY, compressed (`gunzip`).

export const manifestFile = 'manifest.json'
export const masterKeyFile = 'master-key.json'
export const sumsFile = 'SHA256SUMS'
export const tableFile = (table: string): string => `tables/${table}.copy.gz`

const name = z.string().regex(/^[a-z_][a-z0-9_]*$/)

export const manifestOf = z.strictObject({
	format: z.literal('berth backup'),
	format_version: z.literal(1),
	made_at: z.iso.datetime(),
	/** Version of the Berth that made it, and of its database. */
	berth: z.string(),
	database: z.enum(['embedded', 'external']),
	postgres: z.string(),
	/** The schema: every migration that was applied, oldest first. */
	migrations: z.array(z.strictObject({ hash: z.string(), at: z.number() })).min(1),
	/** Tells the master key of its credentials from another; null: no host had one yet. */
	master_key_check: z.string().nullable(),
	tables: z.array(
		z.strictObject({ name, columns: z.array(name).min(1), rows: z.int().min(0), bytes: z.int().min(0) }),
	),
})
export type Manifest = z.infer<typeof manifestOf>
