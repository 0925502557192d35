import type { FastifyBaseLogger } from 'fastify'
import type { Runtime } from '../runtime/supervisor/start.ts'
import type { Auth, Secrets, Throttle } from './auth/index.ts'
import type { Database, Lease, Listen, Sql } from './db/index.ts'
import type { At, KnownDeployments } from './deployments/index.ts'
import type { Metrics } from './http/metrics.ts'
import type { Runs } from './runs/index.ts'
import type { Config } from './settings/config.ts'
import type { Disk } from './start/disk.ts'
import type { Webhooks } from './webhooks/index.ts'

/** What every feature is handed: `fooRoutes(app, host)`. Made once, in main.ts. */
export interface Host {
	config: Config
	/** This process, in the `hosts` table: owner of the runs it executes. */
	id: string
	log: FastifyBaseLogger
	/** postgres.js client for hand-written SQL. Its tagged templates are prepared statements. */
	sql: Sql
	/** Hears NOTIFY across hosts; survives lost connections. */
	listen: Listen
	/** For a client of one's own: `postgres({...connection})`. */
	connection: Database['connection']
	runtime: Runtime
	secrets: Secrets
	auth: Auth
	at: At
	/** Of sign-ins by password, wherever they are asked for. */
	throttle: Throttle
	lease: Lease
	disk: Disk
	metrics: Metrics
	/** The parts of the service that hold something in memory, so that features need not import each other. */
	deployments: KnownDeployments
	runs: Runs
	webhooks: Webhooks
	/** Aborted when this host must do no more work: it stops, or it lost its lease. */
	signal: AbortSignal
	hooks: Hooks
}

/** Seams between features that must not import each other. Each is set by the feature named. */
export interface Hooks {
	/** deployments: ends everything an account runs, when it is disabled. */
	accountDisabled: (accountId: string) => Promise<void>
}
