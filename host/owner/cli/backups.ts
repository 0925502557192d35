import { built } from './built.ts'
import { withPlace } from './place.ts'

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

export const withTools = <T>(work: (tools: Tools) => Promise<T>): Promise<T> =>
	withPlace(async (where) => {
		const programs = [built<Backups>('backup.mjs'), built<MasterKey>('master-key.mjs')] as const
		const [backups, masterKey] = await Promise.all(programs)
		return work({ ...backups, ...masterKey, where })
	})

export const totals = ({ tables }: Manifest) => ({
	tables: tables.length,
	rows: tables.reduce((sum, { rows }) => sum + rows, 0),
	bytes: tables.reduce((sum, { bytes }) => sum + bytes, 0),
})

export const megabytes = (bytes: number) => `${(bytes / 1e6).toFixed(1)} MB`
