import { type Database, openDatabase } from '../../host/db/index.ts'
import { addPlans, log } from './guard.ts'
import { cloneTemplate, dropDatabase } from './host.ts'

/** A database of its own on this run's server; closing drops it. */
export async function openTestDatabase(): Promise<Database> {
	const url = await cloneTemplate()
	const database = await openDatabase({ DATABASE_URL: url, DATA_DIR: '' }, log, () => {})
	await addPlans(database)
	return {
		...database,
		close: async () => {
			await database.close()
			await dropDatabase(url)
		},
	}
}
