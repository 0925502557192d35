import { sql } from 'drizzle-orm'
import {
	bigint,
	boolean,
	check,
	index,
	integer,
	json,
	pgTable,
	primaryKey,
	text,
	uniqueIndex,
} from 'drizzle-orm/pg-core'
import { now, time } from './columns.ts'

// Accounts, what they hold, and facts about this installation.

/** One row a fact about this installation: master key check value, first-operator link, operator switches. */
export const settings = pgTable('settings', {
	name: text().primaryKey(),
	value: json().notNull(),
	updated_at: now('updated_at'),
})

/** Plans are data (spec account.plans). `running_agents` null: no limit. */
export const plans = pgTable('plans', {
	name: text().primaryKey(),
	running_agents: integer(),
	/** Most days that ended runs are kept; null: as long as the host says. */
	retain_days: integer(),
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
		/** Alerts are sent to `email`, too. */
		alert_mail: boolean().notNull().default(true),
		/** In 1/10,000 credit. Equal to the ledger's sum; never below zero. */
		balance: bigint({ mode: 'number' }).notNull(),
		created_at: now('created_at'),
	},
	(t) => [
		uniqueIndex('accounts_email').on(sql`lower(${t.email})`),
		check('accounts_balance_not_negative', sql`${t.balance} >= 0`),
	],
)

/** Who an account is at the operator's OpenID provider: bound at the first sign-in, and found by this from then on. */
export const openid_subjects = pgTable(
	'openid_subjects',
	{
		issuer: text().notNull(),
		/** `sub`: never given to another person by this issuer, as an e-mail address may be. */
		subject: text().notNull(),
		account_id: text()
			.notNull()
			.references(() => accounts.id),
		created_at: now('created_at'),
	},
	(t) => [
		primaryKey({ columns: [t.issuer, t.subject] }),
		uniqueIndex('openid_subjects_account').on(t.account_id, t.issuer),
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

/** Bearer secrets of people: personal access tokens, browser sessions, console and upload tokens, sign-in links. */
export const tokens = pgTable(
	'tokens',
	{
		id: text().primaryKey(),
		account_id: text()
			.notNull()
			.references(() => accounts.id),
		kind: text().$type<'personal' | 'session' | 'console' | 'upload' | 'sign_in'>().notNull(),
		name: text().notNull(),
		hash: text().notNull(),
		/** upload: the one deployment it is for. */
		deployment_id: text(),
		/** console: the session it came from, and ends with. */
		session_id: text(),
		created_at: now('created_at'),
		expires_at: time('expires_at'),
		last_used_at: time('last_used_at'),
		revoked_at: time('revoked_at'),
	},
	(t) => [index('tokens_account').on(t.account_id)],
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
