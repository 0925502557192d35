import { sql } from 'drizzle-orm'
import { check, index, integer, json, pgTable, primaryKey, text, uniqueIndex } from 'drizzle-orm/pg-core'
import { accounts } from './accounts.ts'
import { bytea, now, time } from './columns.ts'

// Deployments and what belongs to one.

export type DeploymentStateName = 'creating' | 'running' | 'stopping' | 'failed' | 'stopped' | 'deleted'

/** Where deployments run. A host writes its own as it starts; the address is kept while no host of it is alive. */
export const places = pgTable('places', {
	id: text().primaryKey(),
	url: text().notNull(),
	/** `DEPLOYMENT_DOMAIN` there; null: none. */
	deployment_domain: text(),
	updated_at: now('updated_at'),
})

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
		/** Only hosts of this place run it. It never changes. No foreign key: older hosts wrote none. */
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
		budgets: json().$type<Record<string, number>>(),
		/** Days that its ended runs are kept; null: as long as plan and host say. */
		retain_days: integer(),
		/** While stopping: until then runs in flight may go on. Any host finishes the stop of one that died. */
		drain_until: time('drain_until'),
		created_at: now('created_at'),
		deleted_at: time('deleted_at'),
	},
	(t) => [
		uniqueIndex('deployments_slug').on(t.slug),
		// name_taken (spec deployment.name-taken): one live deployment of a name an account.
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
		kind: text().$type<'provider' | 'oauth' | 'bearer' | 'secret'>().notNull(),
		state: text().$type<'missing' | 'ready' | 'rejected' | 'needs_sign_in'>().notNull(),
		/** The origin or canonical URL it may be sent to, as the active version says. */
		aud: text().notNull(),
		jwe: text(),
		updated_at: now('updated_at'),
		last_used_at: time('last_used_at'),
		last_error: text(),
		/** Of a sign-in, as it was uploaded. */
		scope: text(),
		/** What its connector asked for besides. Until it is connected again, no use makes it `ready`. */
		missing_scope: text(),
		/** Issue of the refresh: one at a time across hosts. */
		refresh_lease_until: time('refresh_lease_until'),
		/** Host that holds it. */
		refresh_lease_by: text(),
	},
	(t) => [primaryKey({ columns: [t.deployment_id, t.name] })],
)

/** Tool lock: the definition of a connector's tool that the owner agreed to. */
export const tool_locks = pgTable(
	'tool_locks',
	{
		deployment_id: text()
			.notNull()
			.references(() => deployments.id),
		/** Canonical URL. */
		connector: text().notNull(),
		tool: text().notNull(),
		hash: text().notNull(),
		definition: json().$type<Record<string, unknown>>().notNull(),
		locked_at: now('locked_at'),
	},
	(t) => [primaryKey({ columns: [t.deployment_id, t.connector, t.tool] })],
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
		/** The same for the whole lineage. */
		budgets: json().$type<Record<string, number>>(),
		created_at: now('created_at'),
		expires_at: time('expires_at'),
		last_used_at: time('last_used_at'),
		revoked_at: time('revoked_at'),
	},
	(t) => [index('run_keys_deployment').on(t.deployment_id)],
)
