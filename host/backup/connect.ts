import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { pino } from 'pino'
import postgres from 'postgres'
import { answered, mendable, parseDatabaseUrl, runningEmbedded, startEmbedded } from '../db/index.ts'
import type { Config } from '../settings/config.ts'
import { BackupError } from './error.ts'

export type Where = Pick<Config, 'DATABASE_URL' | 'DATA_DIR'>
type Connection = postgres.Options<Record<string, postgres.PostgresType>>

export interface Opened {
	/** One connection: a snapshot belongs to it. */
	sql: postgres.Sql
	connection: Connection
	close(): Promise<void>
}

const connectSeconds = 10

/** The database as it stands: a host may run on it. The embedded one is started where no host runs. */
export async function openSource(where: Where): Promise<Opened> {
	if (where.DATABASE_URL) return open(parseDatabaseUrl(where.DATABASE_URL))
	const running = runningEmbedded(where.DATA_DIR)
	if (running) {
		const opened = await open(running).catch(() => null)
		if (opened) return opened
	}
	if (!existsSync(join(where.DATA_DIR, 'postgres/data/PG_VERSION')))
		throw new BackupError(
			`There is no database in DATA_DIR ${where.DATA_DIR}. Set DATA_DIR or DATABASE_URL to those of the host.`,
		)
	return openEmbedded(where.DATA_DIR)
}

/** The database that a backup goes into; no host runs on it. */
export const openTarget = (where: Where): Promise<Opened> =>
	where.DATABASE_URL ? open(parseDatabaseUrl(where.DATABASE_URL)) : openEmbedded(where.DATA_DIR)

async function openEmbedded(dataDir: string): Promise<Opened> {
	const log = pino({ level: 'silent' })
	const embedded = await startEmbedded({ dataDir, log, onLost: () => {} })
	try {
		return await open(embedded.connection, embedded.stop)
	} catch (error) {
		await embedded.stop()
		throw error
	}
}

async function open(options: Connection, stop = async () => {}): Promise<Opened> {
	const connection = {
		connect_timeout: connectSeconds,
		...options,
		fetch_types: false,
		onnotice: () => {},
	}
	const sql = postgres({ ...connection, max: 1, connection: { application_name: 'berth backup' } })
	try {
		await answered(async () => sql`select 1`)
	} catch (error) {
		await sql.end({ timeout: 0 })
		const why = mendable(error)
		if (why === null) throw error
		throw new BackupError(`The database ${why}`, { cause: error })
	}
	return {
		sql,
		connection,
		close: async () => {
			await sql.end({ timeout: 0 })
			await stop()
		},
	}
}
