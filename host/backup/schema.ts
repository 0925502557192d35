import type { MigrationMeta } from 'drizzle-orm/migrator'
import type postgres from 'postgres'
import { migrationFiles } from '../db/index.ts'
import { BackupError } from './error.ts'
import type { Manifest } from './manifest.ts'

/** Leases of hosts that are gone after a restore: without them, the next host takes over their runs at once. */
const leftOut = ['hosts']

export interface Read {
	postgres: string
	migrations: Manifest['migrations']
	masterKeyCheck: string | null
	tables: { name: string; columns: string[] }[]
}

/** What there is to copy: the tables that the applied migrations made. Others of the same database are not Berth's. */
export async function readSchema(tx: postgres.TransactionSql): Promise<Read> {
	const [about] = await tx<{ postgres: string; made: boolean }[]>`
		select current_setting('server_version') as postgres,
			to_regclass('drizzle.__drizzle_migrations') is not null as made`
	if (!about?.made) throw new BackupError('The database is empty: no Berth has run on it.')
	const migrations = await tx<Manifest['migrations']>`
		select hash, created_at::float8 as at from drizzle.__drizzle_migrations order by created_at`
	const files = knownOf(migrations)
	if (!files)
		throw new BackupError(
			'The database was made by another build of Berth. Use the `berth` of the host that runs on it.',
		)
	const names = tablesOf(files).filter((name) => !leftOut.includes(name))
	const columns = await columnsOf(tx, names)
	const [key] = await tx<{ value: string }[]>`
		select value #>> '{}' as value from public.settings where name = 'master_key_check'`
	return {
		postgres: about.postgres,
		migrations: migrations.map(({ hash, at }) => ({ hash, at })),
		masterKeyCheck: key?.value ?? null,
		tables: names.flatMap((name) => {
			const own = columns.get(name)
			return own ? [{ name, columns: own }] : []
		}),
	}
}

/** The files of these migrations; null: one of them is not this build's, or one before the last is missing. */
export function knownOf(migrations: Manifest['migrations']): MigrationMeta[] | null {
	const files = migrationFiles().slice(0, migrations.length)
	const same = files.every(
		({ hash, folderMillis }, i) => migrations[i]?.hash === hash && migrations[i].at === folderMillis,
	)
	return same && files.length === migrations.length ? files : null
}

export const tablesOf = (files: MigrationMeta[]): string[] =>
	files.flatMap(({ sql }) => sql.flatMap((text) => /^\s*CREATE TABLE "(\w+)"/i.exec(text)?.[1] ?? []))

/** Columns that can be written, by table, in their order. */
export async function columnsOf(
	tx: postgres.TransactionSql,
	tables: string[],
): Promise<Map<string, string[]>> {
	const rows = await tx<{ name: string; columns: string }[]>`
		select c.relname as name, string_agg(a.attname, ',' order by a.attnum) as columns
		from pg_class c join pg_attribute a on a.attrelid = c.oid
		where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p')
			and c.relname in ${tx(tables)} and a.attnum > 0 and not a.attisdropped and a.attgenerated = ''
		group by c.relname`
	return new Map(rows.map(({ name, columns }) => [name, columns.split(',')]))
}

/** Tables in an order in which each comes after those that its rows refer to. */
export async function inOrder(tx: postgres.TransactionSql, tables: string[]): Promise<string[]> {
	const keys = await tx<{ from: string; to: string }[]>`
		select distinct f.relname as from, t.relname as to
		from pg_constraint k join pg_class f on f.oid = k.conrelid join pg_class t on t.oid = k.confrelid
		where k.contype = 'f' and f.oid <> t.oid and f.relname in ${tx(tables)}`
	const placed = new Set<string>()
	const place = (table: string, above: string[]) => {
		if (placed.has(table) || above.includes(table)) return
		for (const { from, to } of keys) if (from === table) place(to, [...above, table])
		placed.add(table)
	}
	for (const table of tables) place(table, [])
	return [...placed].filter((table) => tables.includes(table))
}
