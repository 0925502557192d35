import type { Where } from './backups.ts'
import { built } from './built.ts'
import { CommandError } from './failure.ts'

/**
 * Works on the database that DATA_DIR and DATABASE_URL name. Berth's own errors say it all; a failure of the system or the
 * database is told in its words, without its query.
 */
export async function withPlace<T>(work: (where: Where) => Promise<T>): Promise<T> {
	const { readConfig } = await built<{ readConfig(env: NodeJS.ProcessEnv): Where }>('settings.mjs')
	try {
		return await work(readConfig(process.env))
	} catch (error) {
		const { name, code, message } = error as NodeJS.ErrnoException
		const own = ['BackupError', 'StartError', 'ConfigError'].includes(name)
		if (own || code !== undefined) throw new CommandError(message, { cause: error })
		throw error
	}
}
