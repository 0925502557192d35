import type { FastifyBaseLogger } from 'fastify'
import type { Agent } from '../../bundles/index.ts'
import type { RuntimeClient } from '../../runtime/supervisor/client.ts'
import type { HostNotes } from '../../runtime/wire/host-calls.ts'
import type { RunKey } from '../api/keys.ts'
import type { InFlight } from '../api/runs.ts'
import type { UnfitSchedule } from '../api/schedules.ts'
import type { Auth, IssuedSecret, Secrets } from '../auth/index.ts'
import type { Sql, Tx } from '../db/index.ts'
import type { Places } from '../places/index.ts'
import type { CeilingSettings } from '../settings/config.ts'
import type { KnownDeployments } from './cache.ts'
import type { RetentionSettings } from './retention.ts'
import type { DeploymentRow } from './store.ts'

/** What a start needs of run keys, the tool lock and credentials, which are made after deployments. */
export interface AtStart {
	/** In the transaction that starts it. */
	insertKey(
		tx: Tx,
		deployment: string,
		secret: IssuedSecret,
		key: Pick<RunKey, 'name' | 'scopes'>,
	): Promise<unknown>
	/** What its connectors offer is locked; nobody waits for it. */
	lockSoon(row: Pick<DeploymentRow, 'id' | 'slug' | 'digest' | 'agent'>): void
	/** What came of a use of its provider's key. */
	noteCredential(note: HostNotes['credential.state']): Promise<void>
}

/** What a stop needs of runs, which are made after deployments. */
export interface AtStop {
	/** Live runs of a deployment, on all hosts. */
	liveOf(deployment: string): Promise<InFlight[]>
	/** Waits for the live runs of a stopping deployment until its `drain_until`, then cancels them. */
	drain(deployment: string): Promise<{ inFlight: InFlight[]; cancelled: string[] }>
}

/** What a version needs of schedules, which are made after deployments. */
export interface AtVersion {
	/** Live schedules of the deployment whose inputs do not fit that agent. */
	unfitSchedules(deployment: { id: string; url: string }, agent: Agent): Promise<UnfitSchedule[]>
}

/** What it takes to stop a deployment. */
export interface StopParts {
	places: Places
	sql: Sql
	deployments: Pick<KnownDeployments, 'changed'>
	runs: AtStop
}

/** What it takes to look into a bundle. */
export interface BundleParts {
	config: CeilingSettings
	runtime: Pick<RuntimeClient, 'call'>
}

/** What it takes to change a deployment from one state to another. */
export interface LifecycleParts extends StopParts, BundleParts {
	config: CeilingSettings & RetentionSettings
	log: FastifyBaseLogger
	secrets: Pick<Secrets, 'issue' | 'forget'>
	deployments: Pick<KnownDeployments, 'changed' | 'refresh' | 'put' | 'hold'>
	starting: AtStart
	versions: AtVersion
}

/** What the routes of deployments use. */
export interface DeploymentParts extends LifecycleParts {
	auth: Pick<Auth, 'requireOwner'>
}
