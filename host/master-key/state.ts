import type { Sql, Tx } from '../db/index.ts'

export const checkName = 'master_key_check'
export const rotationName = 'master_key_rotation'

/** The key was changed, and `previous` may still open something. `done`: no stored secret needs it any more. */
export interface Rotation {
	previous: string
	done: boolean
}

export interface KeyState {
	/** Of the key in use; null: the database is empty. */
	check: string | null
	rotation: Rotation | null
}

export async function readKeyState(sql: Sql | Tx): Promise<KeyState> {
	const rows = await sql<{ name: string; value: unknown }[]>`
		select name, value from settings where name = ${checkName} or name = ${rotationName}`
	const of = (name: string) => rows.find((row) => row.name === name)?.value
	return {
		check: (of(checkName) as string | undefined) ?? null,
		rotation: (of(rotationName) as Rotation | undefined) ?? null,
	}
}

/** Of the rotation that left `previous` behind; another one is not touched. */
export async function setDone(sql: Sql, previous: string, done: boolean): Promise<void> {
	await sql`
		update settings set value = ${{ previous, done } as never}, updated_at = now()
		where name = ${rotationName} and value->>'previous' = ${previous}`
}
