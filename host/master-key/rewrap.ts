import type { RuntimeClient } from '../../runtime/supervisor/client.ts'
import type { RewrapItem } from '../../runtime/wire/runtime-calls.ts'
import type { Sql } from '../db/index.ts'

export interface RewrapParts {
	sql: Sql
	runtime: Pick<RuntimeClient, 'call'>
	signal: AbortSignal
}

/** Any number nobody else uses: one host at a time works. */
const rewrapLock = 8_787_004
const batchMax = 100
const atOnce = 5

interface Stored {
	/** Of its row; batches go by it. */
	id: string
	wrapped: string
	/** Of a sealing key. */
	kid?: string
}

/** Every place where something encrypted under the master key is kept for longer than a sign-in takes. */
interface Place {
	purpose: RewrapItem['purpose']
	read(sql: Sql, after: string): Promise<Stored[]>
	/** Only what is still as it was read: whoever changed it meanwhile has used the new key. */
	write(sql: Sql, stored: Stored, wrapped: string): Promise<unknown>
}

const places: Place[] = [
	{
		purpose: 'sealing',
		read: (sql, after) => sql`
			select id, sealing_kid as kid, sealing_wrapped as wrapped from deployments
			where id > ${after} and sealing_wrapped is not null order by id limit ${batchMax}`,
		// Hosts that hold the row in memory read it anew, those that miss the notice with their next run.
		write: (sql, { id, wrapped: before }, wrapped) => sql`
			with changed as (
				update deployments set sealing_wrapped = ${wrapped}, rev = rev + 1
				where id = ${id} and sealing_wrapped = ${before} returning id
			)
			select pg_notify('deployments', id) from changed`,
	},
	...(['secret', 'previous_secret'] as const).map(
		(column): Place => ({
			purpose: 'webhook',
			read: (sql, after) => sql`
				select id, ${sql(column)} as wrapped from endpoints
				where id > ${after} and ${sql(column)} is not null order by id limit ${batchMax}`,
			write: (sql, { id, wrapped: before }, wrapped) => sql`
				update endpoints set ${sql(column)} = ${wrapped} where id = ${id} and ${sql(column)} = ${before}`,
		}),
	),
	{
		purpose: 'oauth',
		read: (sql, after) => sql`
			select name as id, value #>> '{}' as wrapped from guard_settings where name = 'keys' and name > ${after}`,
		write: (sql, { id, wrapped: before }, wrapped) => sql`
			update guard_settings set value = to_json(${wrapped}::text) where name = ${id} and value #>> '{}' = ${before}`,
	},
	{
		purpose: 'oauth',
		read: (sql, after) => sql`
			select id, payload->>'client_secret' as wrapped from guard_oauth
			where model = 'Client' and id > ${after} and payload->>'client_secret' is not null order by id limit ${batchMax}`,
		write: (sql, { id, wrapped: before }, wrapped) => sql`
			update guard_oauth
			set payload = (payload::jsonb || jsonb_build_object('client_secret', ${wrapped}::text))::json
			where model = 'Client' and id = ${id} and payload->>'client_secret' = ${before}`,
	},
	{
		purpose: 'answer',
		read: (sql, after) => sql`
			select account_id || ' ' || key as id, answer->>'wrapped' as wrapped from idempotency
			where account_id || ' ' || key > ${after} and answer->>'wrapped' is not null order by 1 limit ${batchMax}`,
		write: (sql, { id, wrapped: before }, wrapped) => sql`
			update idempotency
			set answer = (answer::jsonb || jsonb_build_object('wrapped', ${wrapped}::text))::json
			where account_id || ' ' || key = ${id} and answer->>'wrapped' = ${before}`,
	},
]

/**
 * One pass over all of them: what is under another key is encrypted anew. Answers how many were; null: another host is at
 * it, or this one stops. Cut off at any point, the next pass goes on.
 */
export async function rewrapAll({ sql, runtime, signal }: RewrapParts): Promise<number | null> {
	return (await sql.begin(async (lock) => {
		const [row] = await lock<{ mine: boolean }[]>`select pg_try_advisory_xact_lock(${rewrapLock}) as mine`
		if (!row?.mine) return null
		let rewrapped = 0
		for (const { purpose, read, write } of places) {
			let after = ''
			for (;;) {
				if (signal.aborted) return null
				const batch = await read(sql, after)
				const items = batch.map(({ id, wrapped, kid }) => ({
					purpose,
					wrapped,
					belongs_to: kid === undefined ? [] : [id, kid],
				}))
				const { wrapped } = await runtime.call('secret.rewrap', { items })
				const changed = wrapped.flatMap((text, at) =>
					text === null ? [] : [{ text, stored: batch[at] as Stored }],
				)
				// Half of the pool at most: runs go on beside it.
				for (let from = 0; from < changed.length; from += atOnce)
					await Promise.all(
						changed.slice(from, from + atOnce).map(({ text, stored }) => write(sql, stored, text)),
					)
				rewrapped += changed.length
				after = batch.at(-1)?.id ?? after
				if (batch.length < batchMax) break
			}
		}
		return rewrapped
	})) as number | null
}
