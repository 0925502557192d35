import { sql } from 'drizzle-orm'
import {
	bigint,
	boolean,
	check,
	customType,
	index,
	integer,
	json,
	pgTable,
	primaryKey,
	text,
	timestamp,
	uniqueIndex,
} from 'drizzle-orm/pg-core'

// Every table of the host. Ids are TypeIDs as text. Times are timestamptz. JSON that is stored and handed on but never
// queried is `json` (kept as text, no parse on insert), never `jsonb` (which refuses \u0000).

const bytea = customType<{ data: Buffer }>({ dataType: () => 'bytea' })
const time = (name: string) => timestamp(name, { withTimezone: true })
const now = (name: string) => time(name).notNull().defaultNow()

/** One row a fact about this installation: master key check value, first-operator link, operator switches. */
export const settings = pgTable('settings', {
	name: text().primaryKey(),
	value: json().notNull(),
	updated_at: now('updated_at'),
})

/** Plans are data (contract 11). `running_agents` null: no limit. */
export const plans = pgTable('plans', {
	name: text().primaryKey(),
	running_agents: integer(),
	paid: boolean().notNull(),
})

export const accounts = pgTable(
	'accounts',
	{
		id: text().primaryKey(),
		email: text().notNull(),
		/** PHC string of argon2id; null: signs in by the operator's OpenID provider or a one-time link only. */
		password_hash: text(),
		plan: text()
			.notNull()
			.references(() => plans.name),
		operator: boolean().notNull().default(false),
		tester: boolean().notNull().default(false),
		disabled_at: time('disabled_at'),
		/** In 1/10,000 credit. Equal to the ledger's sum; never below zero. */
		balance: bigint({ mode: 'number' }).notNull(),
		created_at: now('created_at'),
	},
	(t) => [
		uniqueIndex('accounts_email').on(sql`lower(${t.email})`),
		check('accounts_balance_not_negative', sql`${t.balance} >= 0`),
	],
)

/** Every change of a balance, in 1/10,000 credit; `balance` is the one after it. */
export const ledger = pgTable(
	'ledger',
	{
		id: text().primaryKey(),
		account_id: text()
			.notNull()
			.references(() => accounts.id),
		amount: bigint({ mode: 'number' }).notNull(),
		balance: bigint({ mode: 'number' }).notNull(),
		reason: text().notNull(),
		at: now('at'),
	},
	(t) => [index('ledger_account').on(t.account_id, t.id)],
)

/** Bearer secrets of people: personal access tokens, console sessions, upload tokens, one-time sign-in links. */
export const tokens = pgTable(
	'tokens',
	{
		id: text().primaryKey(),
		account_id: text()
			.notNull()
			.references(() => accounts.id),
		kind: text().$type<'personal' | 'session' | 'upload' | 'sign_in'>().notNull(),
		name: text().notNull(),
		hash: text().notNull(),
		/** upload: the one deployment it is for. */
		deployment_id: text(),
		created_at: now('created_at'),
		expires_at: time('expires_at'),
		last_used_at: time('last_used_at'),
		revoked_at: time('revoked_at'),
	},
	(t) => [index('tokens_account').on(t.account_id)],
)

export type DeploymentStateName = 'creating' | 'running' | 'stopping' | 'failed' | 'stopped' | 'deleted'

export const deployments = pgTable(
	'deployments',
	{
		id: text().primaryKey(),
		account_id: text()
			.notNull()
			.references(() => accounts.id),
		name: text().notNull(),
		/** Name plus random suffix; in the URL; never changes. */
		slug: text().notNull(),
		place: text().notNull(),
		state: text().$type<DeploymentStateName>().notNull(),
		/** Why `failed`; why stopped where not by the owner. */
		state_reason: text(),
		state_since: now('state_since'),
		/** Grows with every change a cache must see: state, version, credentials, settings. */
		rev: integer().notNull().default(1),
		version: integer().notNull().default(1),
		/** Sealing key, wrapped under the master key by the runtime. Erased on delete. */
		sealing_kid: text(),
		sealing_wrapped: text(),
		sealing_jwk: json().$type<Record<string, string>>(),
		run_key_issued_at: time('run_key_issued_at'),
		budgets: json().$type<Record<string, unknown>>(),
		/** While stopping: until then runs in flight may go on. Any host finishes the stop of one that died. */
		drain_until: time('drain_until'),
		created_at: now('created_at'),
		deleted_at: time('deleted_at'),
	},
	(t) => [
		uniqueIndex('deployments_slug').on(t.slug),
		// name_taken (contract 4): one live deployment of a name an account.
		uniqueIndex('deployments_live_name').on(t.account_id, t.name).where(sql`${t.state} <> 'deleted'`),
		index('deployments_account').on(t.account_id, t.id),
		check(
			'deployments_state',
			sql`${t.state} in ('creating', 'running', 'stopping', 'failed', 'stopped', 'deleted')`,
		),
	],
)

/** Bundle bytes by digest; shared by every version that names them. */
export const bundles = pgTable('bundles', {
	digest: text().primaryKey(),
	bytes: bytea().notNull(),
	created_at: now('created_at'),
})

export const versions = pgTable(
	'versions',
	{
		deployment_id: text()
			.notNull()
			.references(() => deployments.id),
		version: integer().notNull(),
		digest: text()
			.notNull()
			.references(() => bundles.digest),
		/** The resolved agent of bundle.json: name, model, inputs, output, requires, limits, tools. */
		agent: json().$type<Record<string, unknown>>().notNull(),
		commit: text().notNull(),
		created_at: now('created_at'),
	},
	(t) => [primaryKey({ columns: [t.deployment_id, t.version] })],
)

export const credentials = pgTable(
	'credentials',
	{
		deployment_id: text()
			.notNull()
			.references(() => deployments.id),
		name: text().notNull(),
		version: integer().notNull().default(0),
		kind: text().$type<'provider' | 'oauth' | 'bearer'>().notNull(),
		state: text().$type<'missing' | 'ready' | 'rejected' | 'needs_sign_in'>().notNull(),
		/** The origin or canonical URL it may be sent to, as the active version says. */
		aud: text().notNull(),
		jwe: text(),
		updated_at: now('updated_at'),
		last_used_at: time('last_used_at'),
		last_error: text(),
		/** Issue of the refresh: one at a time across hosts. */
		refresh_lease_until: time('refresh_lease_until'),
	},
	(t) => [primaryKey({ columns: [t.deployment_id, t.name] })],
)

export const run_keys = pgTable(
	'run_keys',
	{
		id: text().primaryKey(),
		deployment_id: text()
			.notNull()
			.references(() => deployments.id),
		name: text().notNull(),
		hash: text().notNull(),
		scopes: text().array().notNull(),
		/** Runs are visible along a rotation: a successor shares its predecessor's lineage. */
		lineage: text().notNull(),
		created_at: now('created_at'),
		expires_at: time('expires_at'),
		last_used_at: time('last_used_at'),
		revoked_at: time('revoked_at'),
	},
	(t) => [index('run_keys_deployment').on(t.deployment_id)],
)

/** A host and its lease. A run belongs to (host, epoch); a host whose lease ran out has lost its runs. */
export const hosts = pgTable('hosts', {
	id: text().primaryKey(),
	lease_until: time('lease_until').notNull(),
	started_at: now('started_at'),
})

export type RunStatus = 'queued' | 'running' | 'waiting' | 'succeeded' | 'failed' | 'cancelled'

export const runs = pgTable(
	'runs',
	{
		id: text().primaryKey(),
		/** No foreign key: the insert itself joins and locks the deployment, which is never deleted; a check a row would say it again. */
		deployment_id: text().notNull(),
		version: integer().notNull(),
		/** Null: the owner's own call. */
		lineage: text(),
		status: text().$type<RunStatus>().notNull(),
		inputs: json().notNull(),
		output: json(),
		error_code: text(),
		error_message: text(),
		usage: json().$type<Record<string, number>>(),
		seed: text().notNull(),
		/** Digest of the prelude it began with. */
		prelude: text(),
		created_at: now('created_at'),
		started_at: time('started_at'),
		completed_at: time('completed_at'),
		host_id: text(),
		epoch: integer().notNull().default(1),
		attempt: integer().notNull().default(1),
		cancel_requested_at: time('cancel_requested_at'),
		idempotency_key: text(),
		/** SHA-256 of the canonical body. */
		idempotency_body: text(),
	},
	(t) => [
		index('runs_deployment').on(t.deployment_id, t.id),
		index('runs_live').on(t.host_id).where(sql`${t.status} in ('queued', 'running', 'waiting')`),
		uniqueIndex('runs_idempotency')
			.on(t.deployment_id, sql`coalesce(${t.lineage}, '')`, t.idempotency_key)
			.where(sql`${t.idempotency_key} is not null`),
		index('runs_idempotency_age').on(t.created_at).where(sql`${t.idempotency_key} is not null`),
	],
)

/** The journal, one row a commit: `entries` is the JSON text of `Entry[]` (runtime/protocol.ts). */
export const journal = pgTable(
	'journal',
	{
		run_id: text().notNull(),
		first_seq: integer().notNull(),
		last_seq: integer().notNull(),
		entries: text().notNull(),
	},
	(t) => [primaryKey({ columns: [t.run_id, t.first_seq] })],
)

export const endpoints = pgTable(
	'endpoints',
	{
		id: text().primaryKey(),
		deployment_id: text()
			.notNull()
			.references(() => deployments.id),
		url: text().notNull(),
		/** Null: every type. */
		events: text().array(),
		/** Wrapped by the runtime (purpose `webhook`); during a rotation the older one follows, with its end. */
		secret: text().notNull(),
		previous_secret: text(),
		previous_secret_until: time('previous_secret_until'),
		disabled_at: time('disabled_at'),
		disabled_reason: text(),
		failing_since: time('failing_since'),
		created_at: now('created_at'),
		deleted_at: time('deleted_at'),
	},
	(t) => [index('endpoints_deployment').on(t.deployment_id)],
)

/** Outbox of webhooks, written in the transaction that ends the run. `next_attempt_at` null: finished. */
export const deliveries = pgTable(
	'deliveries',
	{
		id: text().primaryKey(),
		endpoint_id: text()
			.notNull()
			.references(() => endpoints.id),
		/** `webhook-id`, the same on every attempt and for a redelivery. */
		event_id: text().notNull(),
		run_id: text(),
		type: text().notNull(),
		/** Exact bytes sent. */
		body: text().notNull(),
		status: text().$type<'pending' | 'delivered' | 'failed'>().notNull(),
		attempts: integer().notNull().default(0),
		/** Attempts made before it was last queued: the schedule counts from there. */
		attempts_before: integer().notNull().default(0),
		next_attempt_at: time('next_attempt_at'),
		/** A sender holds it until then. */
		lease_until: time('lease_until'),
		created_at: now('created_at'),
		completed_at: time('completed_at'),
	},
	(t) => [
		index('deliveries_due').on(t.next_attempt_at).where(sql`${t.next_attempt_at} is not null`),
		index('deliveries_endpoint').on(t.endpoint_id, t.id),
	],
)

export const attempts = pgTable(
	'attempts',
	{
		delivery_id: text()
			.notNull()
			.references(() => deliveries.id),
		attempt: integer().notNull(),
		at: now('at'),
		/** Null: no answer. */
		status: integer(),
		latency_ms: integer().notNull(),
		error: text(),
		/** First KiB of the answer. */
		answer: text(),
	},
	(t) => [primaryKey({ columns: [t.delivery_id, t.attempt] })],
)

/** `Idempotency-Key` on a `/v1` POST: the answer to repeat, kept 24 hours. */
export const idempotency = pgTable(
	'idempotency',
	{
		account_id: text().notNull(),
		key: text().notNull(),
		/** SHA-256 of method, path and body. */
		request: text().notNull(),
		/** Null: the first call is still under way. Secrets in it are encrypted by the runtime. */
		answer: json().$type<{ status: number; body: unknown }>(),
		created_at: now('created_at'),
	},
	(t) => [primaryKey({ columns: [t.account_id, t.key] })],
)
