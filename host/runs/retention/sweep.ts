import { setTimeout as sleep } from 'node:timers/promises'
import type { Sql, Tx } from '../../db/index.ts'
import { keptDays, type RetentionSettings } from '../../deployments/index.ts'
import { firstId } from '../../lib/ids.ts'
import { type Ended, eraseRuns } from './erase.ts'

interface SweepParts {
	sql: Sql
	config: RetentionSettings
	/** Aborted: it ends after the batch under way. */
	signal: AbortSignal
}

const batchMax = 500
/** Any number nobody else uses: one host at a time deletes. */
const sweepLock = 8_787_003
const dayMs = 86_400_000
/** Kept for less than this, a run's journal is deleted with it; else a week's journals are dropped together. */
const dropsJournalsDays = 14

/**
 * Deletes the runs that have expired, in batches, each as long after the last as that one took. Answers how many; less than
 * all where another host is at it. `byHost`: also by RETAIN_RUNS_DAYS.
 */
export async function sweepExpired({ sql, config, signal }: SweepParts, byHost: boolean): Promise<number> {
	let swept = 0
	const host = config.RETAIN_RUNS_DAYS || null
	const shorter = await sql<{ days: number }[]>`
		select distinct kept.days from deployments d cross join lateral (select ${keptDays(sql, config)} as days) kept
		where kept.days is not null and kept.days is distinct from ${host}::int`
	const all = [
		...shorter.map(({ days }) => ({ days, whole: false })),
		...(host && byHost ? [{ days: host, whole: true }] : []),
	]
	for (const { days, whole } of all) {
		let after = 'run_'
		for (;;) {
			if (signal.aborted) return swept
			const from = performance.now()
			const batch = await inTurn(sql, async (tx) => {
				const found = whole ? await findOldest(tx, days, after) : await findShorter(tx, config, days)
				if (found.length === 0) return { found: 0, erased: 0, last: after }
				const { runs } = await eraseRuns(tx, found, { journal: days < dropsJournalsDays })
				return { found: found.length, erased: runs, last: found.at(-1)?.id ?? after }
			})
			if (!batch) return swept
			swept += batch.erased
			after = batch.last
			if (batch.found < batchMax || batch.erased === 0) break
			await sleep(performance.now() - from, undefined, { signal }).catch(() => undefined)
		}
	}
	return swept
}

async function inTurn<T>(sql: Sql, work: (tx: Tx) => Promise<T>): Promise<T | null> {
	return (await sql.begin(async (tx) => {
		const [row] = await tx<{ mine: boolean }[]>`select pg_try_advisory_xact_lock(${sweepLock}) as mine`
		return row?.mine ? work(tx) : null
	})) as T | null
}

/** Runs that ended long enough ago began before that, too. */
async function boundOf(tx: Tx, days: number): Promise<string> {
	const [row] = await tx<{ ms: number }[]>`select extract(epoch from now())::float8 * 1000 as ms`
	return firstId('run', (row?.ms ?? 0) - days * dayMs)
}

async function findOldest(tx: Tx, days: number, after: string): Promise<Ended[]> {
	return tx<Ended[]>`
		select id, deployment_id, created_at, completed_at from runs
		where id > ${after} and id < ${await boundOf(tx, days)} and completed_at < now() - make_interval(days => ${days})
		order by id limit ${batchMax}`
}

/** Of deployments whose runs are kept for just so long. */
async function findShorter(tx: Tx, config: RetentionSettings, days: number): Promise<Ended[]> {
	return tx<Ended[]>`
		select r.id, r.deployment_id, r.created_at, r.completed_at
		from deployments d cross join lateral (
			select id, deployment_id, created_at, completed_at from runs
			where deployment_id = d.id and id < ${await boundOf(tx, days)}
				and completed_at < now() - make_interval(days => ${days})
			order by id limit ${batchMax}
		) r
		where ${keptDays(tx, config)} = ${days} limit ${batchMax}`
}
