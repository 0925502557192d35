import { cpSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import postgres from 'postgres'
import { parseDatabaseUrl } from '../../host/db/url.ts'
import { root } from '../../host/lib/root.ts'
import { berth } from './berth.ts'
import { cloneTemplate } from './host.ts'

export const passphrase = 'correct horse battery staple'

/** A file with the passphrase. */
export function passphraseFile(folder: string): string {
	const file = join(folder, 'passphrase')
	writeFileSync(file, `${passphrase}\n`, { mode: 0o600 })
	return file
}

/** A database without a table; dropped with `dropDatabase`. */
export const emptyDatabase = (): Promise<string> => cloneTemplate('template0')

export async function onDatabase<T>(url: string, work: (sql: postgres.Sql) => Promise<T>): Promise<T> {
	const sql = postgres({ ...parseDatabaseUrl(url), max: 1, onnotice: () => {} })
	try {
		return await work(sql)
	} finally {
		await sql.end()
	}
}

/** Runs the command line and reads its JSON; throws what it said where it failed. */
export async function done(args: string[], env: Record<string, string>): Promise<Record<string, unknown>> {
	const { code, stdout, stderr } = await berth([...args, '--json'], { env })
	if (code !== 0) throw new Error(`berth ${args.join(' ')}: ${code}\n${stdout}${stderr}`)
	return JSON.parse(stdout)
}

/** A folder of the first migrations only. */
export function olderMigrations(folder: string, count: number): string {
	const all = join(root, 'host/db/migrations')
	cpSync(all, folder, { recursive: true })
	const file = join(folder, 'meta/_journal.json')
	const journal = JSON.parse(readFileSync(file, 'utf8')) as { entries: object[] }
	writeFileSync(file, JSON.stringify({ ...journal, entries: journal.entries.slice(0, count) }))
	return folder
}
