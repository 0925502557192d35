import { setTimeout as sleep } from 'node:timers/promises'
import { isAway } from './away.ts'
import type { Sql } from './open.ts'

const outageMs = 6_000
const lookMs = 50
/** Then everybody who waits tries for themselves. */
const lookForMs = 1_000

/**
 * Does work through an outage of the database that is short, and goes on the moment it is over: one looks for all who wait.
 * Nobody knows whether work that failed was done, so it must be such that twice is as good as once.
 */
export function patience(sql: Sql): <T>(work: () => Promise<T>) => Promise<T> {
	let looking: Promise<void> | null = null
	const look = async () => {
		for (const until = performance.now() + lookForMs; performance.now() < until; await sleep(lookMs)) {
			const away = await sql`select 1`.then(() => false, isAway)
			if (!away) return
		}
	}
	return async (work) => {
		for (const until = performance.now() + outageMs; ; ) {
			try {
				return await work()
			} catch (error) {
				if (!isAway(error) || performance.now() > until) throw error
			}
			looking ??= look().finally(() => {
				looking = null
			})
			await looking
		}
	}
}

const firstAnswerMs = 30_000

/** The driver's own limit ends once somebody answers: it tries again for ever where that is no Postgres, and hangs up. */
export async function answered<T>(ask: () => Promise<T>, ms = firstAnswerMs): Promise<T> {
	const waiting = new AbortController()
	const late = sleep(ms, undefined, { signal: waiting.signal }).then(() => {
		const said = `no Postgres answers there within ${ms / 1000} s`
		throw Object.assign(new Error(said), { code: 'CONNECT_TIMEOUT' })
	})
	try {
		return await Promise.race([ask(), late])
	} finally {
		waiting.abort()
		late.catch(() => undefined)
	}
}
