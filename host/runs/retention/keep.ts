import type { FastifyBaseLogger } from 'fastify'
import { keepPartitions, type Sql } from '../../db/index.ts'
import type { RetentionSettings } from '../../deployments/index.ts'
import { sweepFiles } from '../../files/index.ts'
import { deletesFrom } from './grace.ts'
import { sweepExpired } from './sweep.ts'

interface RetentionParts {
	sql: Sql
	config: RetentionSettings
	log: FastifyBaseLogger
	signal: AbortSignal
}

/** What is kept, and what no longer: expired runs are deleted, then the weeks of the journal that none of them needs. */
export async function keepRetention(parts: RetentionParts): Promise<void> {
	const { sql, config, log } = parts
	const days = config.RETAIN_RUNS_DAYS
	const grace = await deletesFrom(sql, days)
	if (grace.begun && days > 0)
		log.warn(
			{ days, from: grace.from.toISOString() },
			'runs that ended longer ago than RETAIN_RUNS_DAYS are hidden now, and deleted from then on',
		)
	const swept = await sweepExpired(parts, grace.now)
	if (swept > 0) log.info({ runs: swept }, 'expired runs were deleted')
	const files = await sweepFiles(sql)
	if (files > 0) log.info({ files }, 'files that no run has were deleted')
	const kept = await keepPartitions(sql)
	if (kept && kept.dropped.length > 0)
		log.info({ dropped: kept.dropped }, 'weeks of the journal were dropped')
}
