import type { Sql } from '../db/index.ts'
import { StartError } from '../lib/start-error.ts'
import { checkName, readKeyState } from './state.ts'

/** The check value this database has; null: it is empty, and a key may be generated for it. */
export const masterKeyCheck = async (sql: Sql): Promise<string | null> => (await readKeyState(sql)).check

/**
 * The first host to start gives the database its check value; every other must hold the same key
 * (spec credential.master-key-other). What a wrong key would wrap, no other host could open. Answers with that of the key
 * to use.
 */
export async function requireMasterKey(sql: Sql, held: string[], file: string): Promise<string> {
	await sql`
		insert into settings (name, value) values (${checkName}, to_json(${held[0] ?? ''}::text)) on conflict (name) do nothing`
	const { check, rotation } = await readKeyState(sql)
	if (check === null || !held.includes(check)) throw new StartError(wrongKey(file))
	if (rotation && !rotation.done && !held.includes(rotation.previous)) throw new StartError(halfKey(file))
	return check
}

export const wrongKey = (file: string) =>
	`The master key in ${file} is not this database's. Copy the file from a host that runs on it, or from your backup; without it, sealed credentials cannot be opened.`

const halfKey = (file: string) =>
	`The master key is being changed, and ${file} holds the new key alone. Until \`berth master-key status\` says that no secret needs the old one, hosts need both: copy the file from a host that runs.`

export const missingKey = (file: string) =>
	`There is no master key in ${file}, and the database already has one. Copy the file from a host that runs on it, or from your backup, or set MASTER_KEY_FILE.`
