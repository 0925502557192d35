import { built } from './built.ts'
import { CommandError } from './failure.ts'

// What `backup.mjs`, `master-key.mjs` and `settings.mjs`, built beside this program, give.

export interface Where {
	DATABASE_URL: string
	DATA_DIR: string
	MASTER_KEY_FILE: string
}
export interface Manifest {
	made_at: string
	berth: string
	database: string
	master_key_check: string | null
	tables: { name: string; rows: number; bytes: number }[]
}
interface Backups {
	backup(options: {
		where: Where
		folder: string
		sealKey: ((check: string) => object) | null
		onTable?: (name: string) => void
	}): Promise<Manifest>
	verify(folder: string): Promise<{ manifest: Manifest; masterKey: unknown }>
	restore(options: {
		where: Where
		folder: string
		verified: { manifest: Manifest; masterKey: unknown }
		placeKey: () => void
		onTable?: (name: string) => void
	}): Promise<void>
}
interface MasterKey {
	sealMasterKey(file: string, check: string, passphrase: string): object
	openMasterKey(document: unknown, check: string, passphrase: string): Buffer
	placeMasterKey(file: string, key: Buffer): void
	readPassphrase(file: string): string
}

export interface Tools extends Backups, MasterKey {
	where: Where
}

/** Their own errors say it all; a failure of the system or the database is told in its words, without its query. */
export async function withTools<T>(work: (tools: Tools) => Promise<T>): Promise<T> {
	const { readConfig } = await built<{ readConfig(env: NodeJS.ProcessEnv): Where }>('settings.mjs')
	try {
		const programs = [built<Backups>('backup.mjs'), built<MasterKey>('master-key.mjs')] as const
		const [backups, masterKey] = await Promise.all(programs)
		return await work({ ...backups, ...masterKey, where: readConfig(process.env) })
	} catch (error) {
		const { name, code, message } = error as NodeJS.ErrnoException
		const own = ['BackupError', 'StartError', 'ConfigError'].includes(name)
		if (own || code !== undefined) throw new CommandError(message, { cause: error })
		throw error
	}
}

export const totals = ({ tables }: Manifest) => ({
	tables: tables.length,
	rows: tables.reduce((sum, { rows }) => sum + rows, 0),
	bytes: tables.reduce((sum, { bytes }) => sum + bytes, 0),
})

export const megabytes = (bytes: number) => `${(bytes / 1e6).toFixed(1)} MB`
