import { setTimeout as sleep } from 'node:timers/promises'
import { type BatchOptions, isAway } from '../../db/index.ts'
import { readRun } from './read.ts'
import { type InsertParts, type NewRun, runInserter } from './write.ts'

/** How long a caller waits for a database that is away, before it is told to come back. */
const storePatienceMs = 5_000
const firstRetryMs = 50

/**
 * Stores a run, through an outage of the database that is short. After a lost connection nobody knows whether the row is
 * there: it is looked for before, and after, it is written again. Answers like `runInserter`.
 */
export function runStore(parts: InsertParts, options: BatchOptions): (run: NewRun) => Promise<boolean> {
	const insert = runInserter(parts, options)
	const isThere = async ({ run }: NewRun) =>
		(await readRun(parts.sql, { deployment: run.deployment.id, lineage: undefined }, run.id)) !== null
	return async (run) => {
		const until = performance.now() + storePatienceMs
		let unknown = false
		for (let wait = firstRetryMs; ; wait *= 2) {
			try {
				if (unknown && (await isThere(run))) return true
				return (await insert(run)) || (unknown && (await isThere(run)))
			} catch (error) {
				if (!isAway(error) || performance.now() + wait > until) throw error
				unknown = true
			}
			await sleep(wait)
		}
	}
}
