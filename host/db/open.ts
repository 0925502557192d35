import type { FastifyBaseLogger } from 'fastify'
import postgres from 'postgres'
import { StartError } from '../lib/start-error.ts'
import type { Config } from '../settings/config.ts'
import { arrays } from './arrays.ts'
import { mendable } from './away.ts'
import { type Embedded, startEmbedded } from './embedded.ts'
import { type Listen, listener } from './listen.ts'
import { migrate } from './migrate.ts'
import { parseDatabaseUrl, withoutPassword } from './url.ts'

/** `bigint` columns are read as numbers: balances and counters stay far below 2^53. */
export type Sql = postgres.Sql<{ bigint: number }>
export type Tx = postgres.TransactionSql<{ bigint: number }>

export interface Database {
	sql: Sql
	listen: Listen
	/** What it is, for the start log; never with a password. */
	name: string
	/** Where another client connects: `postgres(connection)`. */
	connection: postgres.Options<Record<string, postgres.PostgresType>>
	/** Ends the clients, then the embedded server. Idempotent. */
	close(): Promise<void>
}

const bigint = { to: 20, from: [20], parse: Number, serialize: String }
const connectSeconds = 10
/** Seconds before another try to connect. The driver's own go up to 20, long after the database is back. */
const backoff = (retries: number) => Math.min(0.05 * 2 ** retries, 0.25) * (0.5 + Math.random() / 2)

/** Opens, starting the embedded server if no other is named, and brings the schema up to this code. */
export async function openDatabase(
	config: Pick<Config, 'DATABASE_URL' | 'DATA_DIR'>,
	log: FastifyBaseLogger,
	onLost: (error: Error) => void,
): Promise<Database> {
	const embedded: Embedded | null = config.DATABASE_URL
		? null
		: await startEmbedded({ dataDir: config.DATA_DIR, log, onLost })
	const options = embedded ? embedded.connection : parseDatabaseUrl(config.DATABASE_URL)
	const connection = {
		connect_timeout: connectSeconds,
		...options,
		backoff,
		fetch_types: false,
		onnotice: () => {},
	}
	const sql = postgres({ ...connection, max: 10, types: { bigint, ...arrays } }) as unknown as Sql
	const listening = listener(connection, log)
	let closing: Promise<void> | null = null
	const close = () => {
		closing ??= (async () => {
			await listening.close()
			await sql.end({ timeout: 5 })
			await embedded?.stop()
		})()
		return closing
	}
	const name = embedded ? `embedded in ${config.DATA_DIR}` : withoutPassword(config.DATABASE_URL)
	try {
		await migrate(connection)
	} catch (error) {
		await close()
		const why = mendable(error)
		if (why === null) throw error
		throw new StartError(`The database ${name} ${why}`, { cause: error })
	}
	return { sql, listen: listening.listen, name, connection, close }
}
