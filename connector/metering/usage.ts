import type { ConnectorDeps, Sql } from '../deps.ts'

// The month's sum of tokens, for the budget. Every host adds what it answered once every quarter second and learns the
// others' sum by that, so a budget may be passed by what other hosts answered in the meantime; its own part is exact.

const flushMs = 250
/** How often a host without calls looks. */
const idleFlushes = 20

export interface Metering {
	/** Counts `tokens` unless the sum would pass `budget`. */
	take(accountId: string, tokens: number, budget: number | null): boolean
	/** Of a call that was not answered after all. */
	giveBack(accountId: string, tokens: number): void
	month(): { month: string; calls: number; tokens: number }
	close(): Promise<void>
}

interface Sum {
	calls: number
	tokens: number
}

export async function openUsage({ sql, log, now = Date.now, clock = now }: ConnectorDeps): Promise<Metering> {
	let day = dayOf()
	let month = day.slice(0, 7)
	/** As the database last said. */
	let stored: Sum = { calls: 0, tokens: 0 }
	/** Not yet in the database: all together, and by day and account. */
	let ours: Sum = { calls: 0, tokens: 0 }
	let pending = new Map<string, Sum>()
	let flushing: Promise<void> | null = null
	let skipped = 0

	function dayOf(): string {
		return new Date(clock()).toISOString().slice(0, 10)
	}

	function add(accountId: string, calls: number, tokens: number) {
		const key = `${day}/${accountId}`
		const sum = pending.get(key) ?? { calls: 0, tokens: 0 }
		pending.set(key, { calls: sum.calls + calls, tokens: sum.tokens + tokens })
		ours = { calls: ours.calls + calls, tokens: ours.tokens + tokens }
	}

	function turnDay() {
		day = dayOf()
		const next = day.slice(0, 7)
		if (next === month) return
		month = next
		stored = { calls: 0, tokens: 0 }
		ours = { calls: 0, tokens: 0 }
	}

	async function flush(): Promise<void> {
		const batch = pending
		const counted = ours
		const of = month
		pending = new Map()
		try {
			const [row] = await write(batch, of)
			if (of !== month) return
			stored = { calls: row?.calls ?? 0, tokens: row?.tokens ?? 0 }
			ours = { calls: ours.calls - counted.calls, tokens: ours.tokens - counted.tokens }
		} catch (error) {
			for (const [key, sum] of batch) {
				const since = pending.get(key) ?? { calls: 0, tokens: 0 }
				pending.set(key, { calls: since.calls + sum.calls, tokens: since.tokens + sum.tokens })
			}
			throw error
		}
	}

	function write(batch: Map<string, Sum>, of: string) {
		const rows = [...batch].map(([key, sum]) => ({
			month: key.slice(0, 7),
			day: key.slice(0, 10),
			account_id: key.slice(11),
			...sum,
		}))
		if (rows.length === 0) {
			return sql<Sum[]>`
				select sum(calls)::float8 as calls, sum(tokens)::float8 as tokens from guard_usage where month = ${of}`
		}
		// In order, so that two hosts never wait for each other's rows crosswise.
		rows.sort((a, b) => (a.day + a.account_id < b.day + b.account_id ? -1 : 1))
		return sql.begin(async (tx) => {
			await tx`
				insert into guard_usage as u (month, account_id, calls, tokens)
				select month, account_id, sum(calls), sum(tokens) from json_to_recordset(${JSON.stringify(rows)}::text::json)
					as r(month text, account_id text, calls bigint, tokens bigint)
				group by month, account_id order by month, account_id
				on conflict (month, account_id) do update
					set calls = u.calls + excluded.calls, tokens = u.tokens + excluded.tokens`
			await tx`
				insert into guard_days as d (account_id, day, calls, tokens)
				select account_id, day, calls, tokens from json_to_recordset(${JSON.stringify(rows)}::text::json)
					as r(account_id text, day text, calls bigint, tokens bigint)
				on conflict (account_id, day) do update
					set calls = d.calls + excluded.calls, tokens = d.tokens + excluded.tokens`
			return tx<Sum[]>`
				select sum(calls)::float8 as calls, sum(tokens)::float8 as tokens from guard_usage where month = ${of}`
		})
	}

	function tick() {
		turnDay()
		if (flushing || (pending.size === 0 && ++skipped < idleFlushes)) return
		skipped = 0
		flushing = flush()
			.catch((error) =>
				log.warn({ err: error }, 'the guard’s usage could not be written; it is kept and tried again'),
			)
			.finally(() => {
				flushing = null
			})
	}

	await flush()
	const timer = setInterval(tick, flushMs)
	timer.unref()
	return {
		take: (accountId, tokens, budget) => {
			if (budget !== null && stored.tokens + ours.tokens + tokens > budget) return false
			add(accountId, 1, tokens)
			return true
		},
		giveBack: (accountId, tokens) => add(accountId, -1, -tokens),
		month: () => ({ month, calls: stored.calls + ours.calls, tokens: stored.tokens + ours.tokens }),
		close: async () => {
			clearInterval(timer)
			await flushing
			if (pending.size > 0)
				await flush().catch((error) => log.warn({ err: error }, 'the guard’s last usage was not written'))
		},
	}
}

export interface Day {
	/** `2026-11-22`, in UTC. */
	day: string
	calls: number
	tokens: number
}

/** Of one account; what was answered just now comes up to a quarter second later. */
export async function readDays(sql: Sql, accountId: string, since: string): Promise<Day[]> {
	return sql<Day[]>`
		select day, calls::float8 as calls, tokens::float8 as tokens from guard_days
		where account_id = ${accountId} and day >= ${since}`
}
