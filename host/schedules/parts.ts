import type { FastifyBaseLogger } from 'fastify'
import type { Auth } from '../auth/index.ts'
import type { Sql } from '../db/index.ts'
import type { KnownDeployments } from '../deployments/index.ts'
import type { Runs } from '../runs/index.ts'
import type { Config } from '../settings/config.ts'

/** What it takes to make a schedule: its deployment's inputs are checked. */
export interface ScheduleParts {
	sql: Sql
	log: FastifyBaseLogger
	auth: Pick<Auth, 'requireOwner'>
	deployments: Pick<KnownDeployments, 'find'>
}

/** What it takes to begin the runs that are due. */
export interface FiringParts {
	config: Pick<Config, 'PLACE'>
	sql: Sql
	log: FastifyBaseLogger
	deployments: Pick<KnownDeployments, 'find'>
	runs: Pick<Runs, 'engine'>
	/** Aborted when this host must do no more work. */
	signal: AbortSignal
}
