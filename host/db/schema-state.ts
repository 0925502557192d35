import type { MigrationMeta } from 'drizzle-orm/migrator'
import type postgres from 'postgres'
import { version } from '../lib/root.ts'

export interface SchemaState {
	/** The Berth that made the schema; null: no Berth has been here yet, or it did not write its name. */
	madeBy: string | null
	/** How many migrations of this build are still to be applied. */
	pending: number
	/** Why this build must not touch the database, in words. */
	fault: string | null
}

/** What this build finds in a database. `files` are its migrations. */
export async function schemaState(client: postgres.Sql, files: MigrationMeta[]): Promise<SchemaState> {
	const [exists] = await client`select to_regclass('drizzle.__drizzle_migrations') is not null as yes`
	if (!exists?.yes) return { madeBy: null, pending: files.length, fault: null }
	const applied = await client<{ hash: string; at: number }[]>`
		select hash, created_at::float8 as at from drizzle.__drizzle_migrations`
	const [made] = await client`
		select value #>> '{}' as version from public.settings where name = 'schema_version'`.catch(() => [])
	const madeBy = (made?.version as string | undefined) ?? null
	const newest = Math.max(0, ...applied.map(({ at }) => at))
	const pending = files.filter(({ folderMillis }) => folderMillis > newest).length
	if (newest > (files.at(-1)?.folderMillis ?? 0)) {
		const fault = `The database was made by Berth ${madeBy ?? '(newer)'}, schema ${applied.length}; this is Berth ${version}, schema ${files.length}, an older build. Start the newer build, or restore a backup made before it.`
		return { madeBy, pending, fault }
	}
	// Every migration applied there is one of these files, letter for letter.
	if (
		!applied.every(({ hash, at }) => files.some((file) => file.hash === hash && file.folderMillis === at))
	) {
		const fault = `The database was made by another build of Berth ${madeBy ?? ''} whose schema this one does not continue. Nothing was changed. Start the build that made it, or begin with an empty database: another DATABASE_URL or DATA_DIR.`
		return { madeBy, pending, fault }
	}
	return { madeBy, pending, fault: null }
}
