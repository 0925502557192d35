import type { Sql } from '../db/index.ts'
import { StartError } from '../lib/start-error.ts'

const name = 'master_key_check'

/** The check value this database has; null: it is empty, and a key may be generated for it. */
export async function masterKeyCheck(sql: Sql): Promise<string | null> {
	const [row] = await sql<{ value: string }[]>`select value from settings where name = ${name}`
	return row?.value ?? null
}

/**
 * The first host to start gives the database its check value; every other must hold the same key
 * (spec credential.master-key-other). What a wrong key would wrap, no other host could open.
 */
export async function requireMasterKey(sql: Sql, check: string, file: string): Promise<void> {
	await sql`
		insert into settings (name, value) values (${name}, to_json(${check}::text)) on conflict (name) do nothing`
	if ((await masterKeyCheck(sql)) !== check) throw new StartError(wrongKey(file))
}

const wrongKey = (file: string) =>
	`The master key in ${file} is not this database's. Copy the file from a host that runs on it, or from your backup; without it, sealed credentials cannot be opened.`

export const missingKey = (file: string) =>
	`There is no master key in ${file}, and the database already has one. Copy the file from a host that runs on it, or from your backup, or set MASTER_KEY_FILE.`
