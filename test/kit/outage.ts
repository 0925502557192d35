import { setTimeout as sleep } from 'node:timers/promises'
import postgres from 'postgres'
import { parseDatabaseUrl } from '../../host/db/url.ts'

/** One database of the server is away for so long: everybody is thrown out, and nobody let in. */
export async function outage(databaseUrl: string, ms: number): Promise<void> {
	const { database, ...server } = parseDatabaseUrl(databaseUrl)
	const sql = postgres({ ...server, database: 'postgres', max: 1, onnotice: () => undefined })
	try {
		await sql.unsafe(`alter database ${database} with allow_connections false`)
		await sql`select pg_terminate_backend(pid) from pg_stat_activity where datname = ${String(database)}`
		await sleep(ms)
		await sql.unsafe(`alter database ${database} with allow_connections true`)
	} finally {
		await sql.end()
	}
}
