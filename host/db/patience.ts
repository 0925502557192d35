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
