import type { FastifyBaseLogger } from 'fastify'
import type { RuntimeClient } from '../../runtime/supervisor/client.ts'
import type { Alerts } from '../alerts/index.ts'
import type { Lease, Listen, Sql } from '../db/index.ts'
import type { KnownDeployments } from '../deployments/index.ts'
import type { Problem } from '../http/errors.ts'
import type { Metrics } from '../metrics/index.ts'
import type { Config } from '../settings/config.ts'
import type { Traces } from '../traces/index.ts'
import type { Webhooks } from '../webhooks/index.ts'

/** What it takes to execute runs. */
export interface RunParts {
	config: Pick<
		Config,
		'CONNECTOR_QUESTION_SECONDS' | 'HOST_LEASE_SECONDS' | 'MAX_CONCURRENT_RUNS' | 'PLACE' | 'RETAIN_RUNS_DAYS'
	>
	/** This host, in the `hosts` table: owner of the runs it executes. */
	id: string
	sql: Sql
	/** Hears what other hosts say of their runs. */
	listen: Listen
	log: FastifyBaseLogger
	runtime: Pick<RuntimeClient, 'notify' | 'onRestart' | 'prelude'>
	lease: Pick<Lease, 'silent' | 'onLapse'>
	/** Why nothing is stored just now; null: there is room on the disk. */
	disk: { refusal(): Problem | null }
	metrics: Pick<Metrics, 'runEnded'>
	alerts: Pick<Alerts, 'runEnded'>
	/** Null: none are made. */
	traces: Pick<Traces, 'ofRun'> | null
	deployments: Pick<KnownDeployments, 'find' | 'refresh' | 'put'>
	webhooks: Pick<Webhooks, 'wake'>
	/** Aborted when this host must do no more work: it stops, or it lost its lease. */
	signal: AbortSignal
}
