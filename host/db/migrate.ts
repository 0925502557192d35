import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { type MigrationMeta, readMigrationFiles } from 'drizzle-orm/migrator'
import { drizzle } from 'drizzle-orm/postgres-js'
import { migrate as applyMigrations } from 'drizzle-orm/postgres-js/migrator'
import postgres from 'postgres'
import { root, version } from '../lib/root.ts'
import { StartError } from '../lib/start-error.ts'

type Connection = postgres.Options<Record<string, postgres.PostgresType>>

/** Any number nobody else uses: hosts that start together migrate one after the other, and a restore is alone. */
export const migrationLock = 8_787_001
const lockPatienceMs = 120_000
const startingUp = '57P03'
const startPatienceMs = 60_000
const startLookMs = 100

const shipped = join(root, 'host/db/migrations')

/** Of this build, oldest first. */
export const migrationFiles = (): MigrationMeta[] => readMigrationFiles({ migrationsFolder: shipped })

/**
 * Brings the schema up to this code's. A database that a newer Berth has migrated is refused, by that Berth's name:
 * running on would write rows that the newer code no longer understands.
 */
export async function migrate(connection: Connection, migrationsFolder = shipped): Promise<void> {
	const client = postgres({ ...connection, max: 1 })
	try {
		await untilStarted(() => client`select set_config('lock_timeout', ${String(lockPatienceMs)}, false)`)
		await client`select pg_advisory_lock(${migrationLock})`
		const files = readMigrationFiles({ migrationsFolder })
		const known = files.at(-1)?.folderMillis ?? 0
		const there = await readState(client)
		if (there && there.migration > known) {
			throw new StartError(
				`The database was made by Berth ${there.version ?? '(newer)'}; this is Berth ${version}, which does not know its schema. Start that version, or restore a backup made before it.`,
			)
		}
		if (there && !(await fits(client, files))) {
			throw new StartError(
				`The database was made by another build of Berth ${there.version ?? ''} whose schema this one does not continue. Nothing was changed. Start the build that made it, or begin with an empty database: another DATABASE_URL or DATA_DIR.`,
			)
		}
		await applyMigrations(drizzle(client), { migrationsFolder })
		if (!there || there.migration < known) await recordVersion(connection)
	} finally {
		await client.end({ timeout: 5 })
	}
}

/** A server that is starting, or recovering from a crash, says so; one that is not there is refused at once. */
async function untilStarted(ask: () => Promise<unknown>): Promise<void> {
	for (const end = performance.now() + startPatienceMs; ; await delay(startLookMs)) {
		try {
			return void (await ask())
		} catch (error) {
			if ((error as { code?: string }).code !== startingUp || performance.now() > end) throw error
		}
	}
}

/** Null: no Berth has been here yet. */
async function readState(
	client: postgres.Sql,
): Promise<{ migration: number; version: string | null } | null> {
	const [exists] = await client`select to_regclass('drizzle.__drizzle_migrations') is not null as yes`
	if (!exists?.yes) return null
	const [last] =
		await client`select coalesce(max(created_at), 0)::float8 as at from drizzle.__drizzle_migrations`
	const [made] = await client`
		select value #>> '{}' as version from public.settings where name = 'schema_version'`.catch(() => [])
	return { migration: last?.at as number, version: (made?.version as string | undefined) ?? null }
}

/** Every migration applied there is one of these files, letter for letter. */
async function fits(client: postgres.Sql, files: MigrationMeta[]): Promise<boolean> {
	const applied = await client<{ hash: string; at: number }[]>`
		select hash, created_at::float8 as at from drizzle.__drizzle_migrations`
	return applied.every(({ hash, at }) => files.some((file) => file.hash === hash && file.folderMillis === at))
}

/** On a client that drizzle has not changed. */
async function recordVersion(connection: Connection): Promise<void> {
	const client = postgres({ ...connection, max: 1 })
	try {
		await client`
			insert into settings (name, value) values ('schema_version', to_json(${version}::text))
			on conflict (name) do update set value = excluded.value, updated_at = now()`
	} finally {
		await client.end({ timeout: 5 })
	}
}
