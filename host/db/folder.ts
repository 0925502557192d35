import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { StartError } from '../lib/start-error.ts'

/** Major version of the programs that we ship. */
export const postgresMajor = '18'

/** Without these no Postgres starts, and with them it says itself what else is amiss. `5` is the database `postgres`. */
const pieces = [
	'PG_VERSION',
	'global/pg_control',
	'global/pg_filenode.map',
	'base/1/PG_VERSION',
	'base/5/PG_VERSION',
	'pg_xact',
	'pg_wal',
	'postgresql.conf',
	'pg_hba.conf',
]

/**
 * What a folder for a cluster holds. `begun`: initdb was cut short in it before it wrote a table, so no row is there.
 * Throws where something is there that must be neither opened nor made anew.
 */
export function stateOf(dataDir: string): 'none' | 'begun' | 'whole' {
	if (!existsSync(dataDir) || readdirSync(dataDir).length === 0) return 'none'
	const missing = pieces.filter((piece) => !existsSync(join(dataDir, piece)))
	const major = missing.includes('PG_VERSION') ? '' : readFileSync(join(dataDir, 'PG_VERSION'), 'utf8').trim()
	if (major !== '' && major !== postgresMajor)
		throw new StartError(
			`${dataDir} holds a database of Postgres ${major}, and this Berth runs Postgres ${postgresMajor}. Start the Berth that made it, or move it to Postgres ${postgresMajor} with pg_upgrade or pg_dump.`,
		)
	if (missing.length === 0) return 'whole'
	if (isUnused(dataDir)) return 'begun'
	throw new StartError(
		`${dataDir} holds a part of a database: ${missing.join(', ')} ${missing.length === 1 ? 'is' : 'are'} missing. Nothing was changed. Restore the whole folder from a backup, or move it away to start with an empty database.`,
	)
}

/** No control file and no file of any table: as initdb leaves it that was ended before its bootstrap. */
function isUnused(dataDir: string): boolean {
	const files = (...path: string[]) => {
		const folder = join(dataDir, ...path)
		return existsSync(folder) ? readdirSync(folder) : []
	}
	const databases = files('base').flatMap((name) => files('base', name))
	return (
		files('global').length === 0 &&
		databases.length === 0 &&
		files('pg_wal').every((name) => name.length < 24)
	)
}
