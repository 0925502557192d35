import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import postgres from 'postgres'
import type { Berth } from './berth.ts'

/** A look into a host's embedded database, beside the host. */
export function databaseOf({ dataDir }: Berth): postgres.Sql {
	// The fifth line of the server's own file names the folder of its socket.
	const pidFile = readFileSync(join(dataDir, 'postgres/data/postmaster.pid'), 'utf8')
	const path = join(pidFile.split('\n')[4] ?? '', '.s.PGSQL.5432')
	return postgres({ path, user: 'app', database: 'postgres', max: 1, onnotice: () => {} })
}
