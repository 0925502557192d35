import { readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import type { Embedded } from './embedded.ts'
import { exists } from './lock.ts'

/** Number of the line of `postmaster.pid` that names the folder of the socket. */
const socketLine = 4

/** Where the embedded server of a host that runs on this DATA_DIR listens, as its own pid file says; null: none runs. */
export function runningEmbedded(dataDir: string): Embedded['connection'] | null {
	try {
		const lines = readFileSync(resolve(dataDir, 'postgres/data/postmaster.pid'), 'utf8').split('\n')
		const host = lines[socketLine]
		if (!host || !exists(Number(lines[0]))) return null
		return { host, path: join(host, '.s.PGSQL.5432'), user: 'app', database: 'postgres' }
	} catch (error) {
		if (['ENOENT', 'ENOTDIR'].includes((error as NodeJS.ErrnoException).code ?? '')) return null
		throw error
	}
}
