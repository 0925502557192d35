import type postgres from 'postgres'
import { sharedNow } from '../../../runtime/lib/clock.ts'
import type { Sql } from '../../db/index.ts'
import { notFound, type Problem } from '../../http/errors.ts'
import type { RunRecord } from './types.ts'

// An ended run is kept for some days, and not shown from then on; it is deleted a little later.

const dayMs = 86_400_000

/** Null while it has not ended, and of one that is kept for ever. */
export const expiresAt = ({ completed_at, kept_days }: Pick<RunRecord, 'completed_at' | 'kept_days'>) =>
	completed_at === null || kept_days === null ? null : completed_at + kept_days * dayMs

export function isExpired(run: Pick<RunRecord, 'completed_at' | 'kept_days'>): boolean {
	const at = expiresAt(run)
	return at !== null && at <= sharedNow()
}

/** In SQL, of a row `r` of runs. `days`: an integer, or null. */
export const isKept = (sql: Sql, days: postgres.Fragment) => sql`
	(r.completed_at <= now() - make_interval(days => ${days})) is not true`

/** The same words before and after it is deleted. */
export function noSuchRun(keptDays: number | null): Problem {
	const kept = keptDays === null ? '' : ` Ended runs are kept for ${keptDays} days.`
	return notFound(`There is no such run.${kept}`)
}
