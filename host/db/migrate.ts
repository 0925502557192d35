import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { type MigrationMeta, readMigrationFiles } from 'drizzle-orm/migrator'
import { drizzle } from 'drizzle-orm/postgres-js'
import { migrate as applyMigrations } from 'drizzle-orm/postgres-js/migrator'
import postgres from 'postgres'
import { root, version } from '../lib/root.ts'
import { StartError } from '../lib/start-error.ts'
import type { Sql } from './open.ts'
import { keepPartitions } from './partitions.ts'
import { answered } from './patience.ts'
import { schemaState } from './schema-state.ts'

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
		const { madeBy, pending, fault } = await schemaState(client, files)
		if (fault !== null) throw new StartError(fault)
		if (pending > 0) await applyMigrations(drizzle(client), { migrationsFolder })
		if (pending > 0 || madeBy === null) await recordVersion(connection)
		// Of a new database at once; others get them while a host runs.
		if (pending === files.length) await partitionNew(connection)
	} finally {
		await client.end({ timeout: 5 })
	}
}

/** A server that is starting, or recovering from a crash, says so; one that is not there is refused at once. */
async function untilStarted(ask: () => Promise<unknown>): Promise<void> {
	for (const end = performance.now() + startPatienceMs; ; await delay(startLookMs)) {
		try {
			return void (await answered(ask))
		} catch (error) {
			if ((error as { code?: string }).code !== startingUp || performance.now() > end) throw error
		}
	}
}

async function partitionNew(connection: Connection): Promise<void> {
	const client = postgres({ ...connection, max: 1 })
	try {
		await keepPartitions(client as unknown as Sql)
	} finally {
		await client.end({ timeout: 5 })
	}
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
