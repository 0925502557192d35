import type { Sql } from '../deps.ts'
import { batchedByKey } from './batch.ts'

// Exact sliding windows over all hosts: of an account's admissions, no 60 s hold more than 120 and no 24 h more than
// 20,000. A window is exact when the call is compared with the admission 120 (or 20,000) before it. So it is enough to
// keep admission times in order and look at two of them:
// - `newest` in the account's row holds the last 120 to 160. The upsert locks the row and re-reads it, so calls of one
//   account on any hosts are decided one after another, and calls of different accounts do not meet.
// - Older ones are sealed away 40 a row. The admission 20,000 before is at least 19,840 calls, so by the first window
//   hours, old: its row is committed, never changes, and is found by its number.
// One short statement for the calls of a turn, no scan, no counter that is reset. A refused call writes nothing. The
// statement does not wait for the disk: a database that crashes may forget the admissions of its last 0.6 s, no more.

const minuteCalls = 120
const minuteUs = 60_000_000
const dayCalls = 20_000
const dayUs = 86_400_000_000
const rowLength = 40

export interface Windows {
	/** Refused within the last second, and so still: a caller who does not stop costs no statement. Null: ask. */
	recall(accountId: string): 'rate' | 'daily' | null
	admit(
		accountId: string,
	): Promise<{ admitted: true; at: string } | { admitted: false; reason: 'rate' | 'daily' }>
	/** Takes back the admission of a call that was not answered. */
	release(accountId: string, at: string): Promise<void>
}

interface Blocked {
	reason: 'rate' | 'daily'
	until: number
}

export function openWindows(sql: Sql, clock?: () => number): Windows {
	const blocked = new Map<string, Blocked>()
	const now = () => (clock ? clock() : Date.now())
	// Null: the statement takes the database's clock, the one that all hosts share.
	const given = () => (clock ? String(Math.round(clock() * 1000)) : null)

	// In the order of the ids, so that two hosts never wait for each other's rows crosswise.
	const admitBatched = batchedByKey(
		(accountId: string) => accountId,
		async (ids) => {
			const rows = await sql<{ id: string; at: string; length: number }[]>`
				insert into guard_windows as w (account_id, newest)
				select id, array[coalesce(${given()}::bigint, (extract(epoch from clock_timestamp()) * 1000000)::bigint)]
				from (select set_config('synchronous_commit', 'off', true)) setting, unnest(${ids}::text[]) id
				order by id
				on conflict (account_id) do update
				set newest = w.newest || greatest(excluded.newest[1], w.newest[cardinality(w.newest)])
				where (cardinality(w.newest) < ${minuteCalls}
						or w.newest[cardinality(w.newest) - ${minuteCalls - 1}] <= excluded.newest[1] - ${minuteUs})
					and (w.sealed * ${rowLength} + cardinality(w.newest) < ${dayCalls} or not exists (
						select from guard_sealed_windows s
						where s.account_id = w.account_id
							and s.row = (w.sealed * ${rowLength} + cardinality(w.newest) - ${dayCalls}) / ${rowLength}
							and s.admitted[(w.sealed * ${rowLength} + cardinality(w.newest) - ${dayCalls}) % ${rowLength} + 1]
								> excluded.newest[1] - ${dayUs}::bigint))
				returning w.account_id as id, w.newest[cardinality(w.newest)]::text as at, cardinality(w.newest) as length`
			const admitted = new Map(rows.map((row) => [row.id, row]))
			return ids.map((id) => admitted.get(id))
		},
	)

	return {
		recall: (accountId) => {
			const known = blocked.get(accountId)
			if (!known) return null
			if (now() < known.until) return known.reason
			blocked.delete(accountId)
			return null
		},

		admit: async (accountId) => {
			const row = await admitBatched(accountId)
			if (!row) return { admitted: false, reason: await explain(accountId) }
			// Safe to lose: the next admission finds it due.
			if (row.length >= minuteCalls + rowLength) await seal(sql, accountId).catch(() => {})
			return { admitted: true, at: row.at }
		},

		release: async (accountId, at) => {
			blocked.delete(accountId)
			await sql`
				update guard_windows w
				set newest = w.newest[:array_position(w.newest, ${at}::bigint) - 1]
					|| w.newest[array_position(w.newest, ${at}::bigint) + 1:]
				where account_id = ${accountId} and ${at}::bigint = any(w.newest)`
		},
	}

	/** Remembered for a second at most, since another host may take an admission back. */
	async function explain(accountId: string): Promise<'rate' | 'daily'> {
		const [row] = await sql<{ wait: number }[]>`
			select (newest[cardinality(newest) - ${minuteCalls - 1}] + ${minuteUs}
				- coalesce(${given()}::bigint, (extract(epoch from clock_timestamp()) * 1000000)::bigint))::float8 / 1000 as wait
			from guard_windows where account_id = ${accountId} and cardinality(newest) >= ${minuteCalls}`
		const reason = row && row.wait > 0 ? 'rate' : 'daily'
		blocked.set(accountId, {
			reason,
			until: now() + (reason === 'rate' ? Math.min(row?.wait ?? 0, 1_000) : 1_000),
		})
		if (blocked.size > 10_000) blocked.delete(blocked.keys().next().value as string)
		return reason
	}
}

/** Moves the oldest 40 away; two hosts may try at once. */
async function seal(sql: Sql, accountId: string): Promise<void> {
	await sql`
		with due as (
			select account_id, sealed, newest[:${rowLength}] as admitted from guard_windows
			where account_id = ${accountId} and cardinality(newest) >= ${minuteCalls + rowLength}
			for update
		), moved as (
			update guard_windows w set newest = w.newest[${rowLength + 1}:], sealed = w.sealed + 1
			from due where w.account_id = due.account_id
		)
		insert into guard_sealed_windows (account_id, row, admitted)
		select account_id, sealed, admitted from due`
}

/** Rows that no window reaches any more. */
export async function sweepWindows(sql: Sql): Promise<void> {
	await sql`
		delete from guard_sealed_windows
		where admitted[${rowLength}] < (extract(epoch from now()) * 1000000)::bigint - ${dayUs}::bigint - ${minuteUs}`
}
