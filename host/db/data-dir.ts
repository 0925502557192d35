import { StartError } from '../lib/start-error.ts'
import { mendable } from './away.ts'

const uid = process.getuid?.() ?? 0
const mine = `this process runs as uid ${uid}, which may not write there; give it the folder or start as its owner`
/** What an operator can do, by the code of the system call that failed. */
const remedies: Record<string, string> = {
	EACCES: mine,
	EPERM: mine,
	EROFS: 'its file system is mounted read-only',
	ENOTDIR: 'a part of the path is a file',
	EEXIST: 'it is a file',
	ENOENT: 'no folder can be made there; its file system may be read-only',
}

/** A start that failed over a file of DATA_DIR, in words for the operator; any other error as it is. */
export function dataDirFault(dataDir: string, error: unknown): unknown {
	const { code = '', path = '' } = error as NodeJS.ErrnoException
	if (code === '53100') return new StartError(`The database ${mendable(error)}`)
	if (code === 'ENOSPC' || code === 'EDQUOT') return diskFull(dataDir)
	const remedy = remedies[code]
	// The fault may be at a folder above it.
	const within = path.startsWith(`${dataDir}/`)
	if (remedy === undefined || path === '' || !(within || dataDir.startsWith(path))) return error
	const where = !within ? '' : ` at ${path.slice(dataDir.length + 1)}`
	return new StartError(`DATA_DIR ${dataDir} cannot be made or written${where} (${code}): ${remedy}.`, {
		cause: error,
	})
}

/** As the system, Postgres and initdb say it. */
export const isDiskFull = (said: string): boolean => /No space left on device|Disk quota exceeded/.test(said)

export const diskFull = (dataDir: string): StartError =>
	new StartError(
		`The disk of DATA_DIR ${dataDir} is full, so Berth cannot start. Free some space and start again; nothing is lost.`,
	)
