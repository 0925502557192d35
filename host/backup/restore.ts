import { createReadStream } from 'node:fs'
import { join, resolve } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { createGunzip } from 'node:zlib'
import type { MigrationMeta } from 'drizzle-orm/migrator'
import type postgres from 'postgres'
import { migrate, migrationLock } from '../db/index.ts'
import { version } from '../lib/root.ts'
import { type Opened, openTarget, type Where } from './connect.ts'
import { BackupError } from './error.ts'
import { type Manifest, tableFile } from './manifest.ts'
import { columnsOf, inOrder, knownOf, tablesOf } from './schema.ts'
import type { Verified } from './verify.ts'

export interface RestoreOptions {
	where: Where
	folder: string
	verified: Verified
	/** Puts the master key into its file, after the database was found empty and before it is filled. */
	placeKey: () => void
	onTable?: (name: string) => void
}

/**
 * Into an empty database, in one transaction: the schema of the backup, then its rows. Whatever ends it before its commit
 * leaves the database empty, and it can be begun again. Then the schema is brought up to this build's.
 */
export async function restore({ where, folder, verified, placeKey, onTable }: RestoreOptions): Promise<void> {
	const { manifest } = verified
	const files = requireKnown(manifest)
	const target = await openTarget(where)
	try {
		await target.sql.begin(async (tx) => {
			await tx`set local statement_timeout = 0`
			await tx`select pg_advisory_xact_lock(${migrationLock})`
			await requireEmpty(tx, files)
			placeKey()
			await createSchema(tx, files)
			await fill(tx, resolve(folder), manifest, onTable)
		})
		await settle(target)
	} finally {
		await target.close()
	}
}

function requireKnown({ migrations, berth }: Manifest): MigrationMeta[] {
	const files = knownOf(migrations)
	if (files) return files
	throw new BackupError(
		`The backup was made by Berth ${berth} with a database schema that this Berth ${version} does not know. Nothing was written. Restore it with that Berth or a newer one.`,
	)
}

async function requireEmpty(tx: postgres.TransactionSql, files: MigrationMeta[]): Promise<void> {
	const [there] = await tx<{ made: boolean }[]>`
		select to_regclass('drizzle.__drizzle_migrations') is not null as made`
	const tables = await columnsOf(tx, tablesOf(files))
	if (there?.made || tables.size > 0)
		throw new BackupError(
			'The database is not empty. Nothing was written. Restore into an empty one: another DATA_DIR or DATABASE_URL.',
		)
}

/** The table of drizzle's migrator, as it makes it. */
async function createSchema(tx: postgres.TransactionSql, files: MigrationMeta[]): Promise<void> {
	await tx`create schema if not exists drizzle`
	await tx`
		create table drizzle.__drizzle_migrations (id serial primary key, hash text not null, created_at bigint)`
	for (const { sql, hash, folderMillis } of files) {
		for (const statement of sql) await tx.unsafe(statement)
		await tx`insert into drizzle.__drizzle_migrations (hash, created_at) values (${hash}, ${folderMillis})`
	}
}

async function fill(
	tx: postgres.TransactionSql,
	folder: string,
	{ tables }: Manifest,
	onTable?: (name: string) => void,
): Promise<void> {
	const names = tables.map(({ name }) => name)
	const there = await columnsOf(tx, names)
	for (const name of await inOrder(tx, names)) {
		const columns = tables.find((table) => table.name === name)?.columns ?? []
		const unknown = columns.find((column) => !there.get(name)?.includes(column))
		if (!there.has(name) || unknown !== undefined)
			throw new BackupError(`The backup has ${name}.${unknown}, which its schema does not have.`)
		onTable?.(name)
		const list = columns.map((column) => `"${column}"`).join()
		const into = await tx.unsafe(`copy public."${name}" (${list}) from stdin`).writable()
		await pipeline(createReadStream(join(folder, tableFile(name))), createGunzip(), into)
	}
}

/** A planner without figures would read tables from end to end until the server has looked at them by itself. */
async function settle({ connection, sql }: Opened): Promise<void> {
	await migrate(connection)
	// Runs that have expired since the backup are hidden for a day before they are deleted, as of a new setting.
	await sql`delete from public.settings where name = 'retain_runs'`
	await sql`analyze`
}
