// What `berth master-key` asks and changes in the database (dist/master-key-state.mjs).

import { type Opened, openSource, type Where } from '../backup/index.ts'
import type { Sql, Tx } from '../db/index.ts'
import { StartError } from '../lib/start-error.ts'
import { checkName, readKeyState, rotationName } from './state.ts'

export interface Status {
	/** Check values: of the key in use, and of the one before while it may be needed. */
	check: string | null
	previous: string | null
	/** No stored secret needs the one before. */
	done: boolean
	/** Alive; keys null: its Berth cannot change the key, or it is just starting. */
	hosts: { id: string; address: string | null; keys: string[] | null }[]
}

const within = async <T>(where: Where, work: (opened: Opened) => Promise<T>): Promise<T> => {
	const source = await openSource(where)
	return work(source).finally(source.close)
}

export const status = (where: Where): Promise<Status> =>
	within(where, ({ sql }) => read(sql as unknown as Sql))

async function read(sql: Sql | Tx): Promise<Status> {
	const { check, rotation } = await readKeyState(sql)
	const hosts = await sql<Status['hosts']>`
		select id, address, to_json(master_keys) as keys from hosts where lease_until > now() order by id`
	return { check, previous: rotation?.previous ?? null, done: rotation?.done ?? true, hosts: [...hosts] }
}

/** From here on hosts use the key of this check value. All that are alive must hold it, and the one before. */
export const rotate = (where: Where, to: string): Promise<void> =>
	within(where, async ({ sql }) => {
		await sql.begin(async (transaction) => {
			const tx = transaction as unknown as Tx
			// No host may appear between the look at them and the change.
			await tx`lock table hosts in share mode`
			const { check, previous, hosts } = await read(tx)
			if (check === to) return
			if (check === null) throw new StartError('The database has no master key yet: start a host first.')
			if (previous !== null)
				throw new StartError(
					'The key before the one in use is still held by a host. Finish that change first: berth master-key drop.',
				)
			const without = hosts.filter(({ keys }) => !keys?.includes(to))
			if (without.length > 0)
				throw new StartError(
					`These hosts do not hold the new key yet: ${without.map(({ id, address }) => `${id} (${address ?? '?'})`).join(', ')}. Copy the key file to them (MASTER_KEY_FILE, mode 0600), and try again a moment later.`,
				)
			await tx`
				insert into settings (name, value) values (${rotationName}, ${JSON.stringify({ previous: check, done: false })}::text::json)`
			await tx`update settings set value = to_json(${to}::text), updated_at = now() where name = ${checkName}`
		})
	})
