import type { FastifyBaseLogger } from 'fastify'
import type { HostCalls, HostNotes } from '../runtime/wire/host-calls.ts'
import type { RuntimeCalls, RuntimeNotes } from '../runtime/wire/runtime-calls.ts'
import type { Secrets, Throttle } from './auth/index.ts'
import type { Database, Listen, Sql } from './db/index.ts'
import type { KnownDeployments } from './deployments/index.ts'
import type { Metrics } from './http/metrics.ts'
import type { Runs } from './runs/index.ts'
import type { Config } from './settings/config.ts'
import type { Disk } from './start/disk.ts'
import type { Lease } from './start/lease.ts'
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
	runtime: RuntimeClient
	secrets: Secrets
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
	/** guard: who an OAuth access token for `{base_url}/v1` belongs to; null: none of ours, or not valid. */
	oauthAccount: (token: string) => Promise<{ accountId: string } | null>
}

export interface RuntimeClient {
	/** Rejects with a `PeerError`: the runtime's code, or `closed` while it is down. */
	call<M extends keyof RuntimeCalls>(
		method: M,
		args: Parameters<RuntimeCalls[M]>[0],
		options?: { timeoutMs?: number },
	): Promise<ReturnType<RuntimeCalls[M]>>
	/** Dropped while the runtime is down: `onRestart` says when to say everything again. */
	notify<M extends keyof RuntimeNotes>(method: M, args: RuntimeNotes[M]): void
	/** The runtime died and is back, empty: its deployments must be put again, its runs begun again. */
	onRestart(listener: () => void): void
	/** The isolation layers that hold on this machine. */
	layers(): string[]
	/** Digest of the code that every guest begins with. */
	prelude(): string
	pid(): number | undefined
	close(graceMs: number): Promise<void>
}

/** What the runtime may ask and tell; main.ts joins the features' parts (`fooHandlers(host)`) into one table. */
export interface RuntimeHandlers {
	calls: { [M in keyof HostCalls]: (args: Parameters<HostCalls[M]>[0]) => Promise<ReturnType<HostCalls[M]>> }
	notes: { [M in keyof HostNotes]: (args: HostNotes[M]) => void }
}
