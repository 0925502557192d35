import { sql } from 'drizzle-orm'
import { bigint, index, integer, json, pgTable, primaryKey, text, timestamp } from 'drizzle-orm/pg-core'

// The guard's tables. Accounts, balances and the ledger are the Platform's, reached only through `platform.ts`.

const time = (name: string) => timestamp(name, { withTimezone: true })

/** What the authorization server keeps: clients, grants, codes, tokens, sessions, sign-ins under way. */
export const guard_oauth = pgTable(
	'guard_oauth',
	{
		model: text().notNull(),
		/** SHA-256 of the identifier, base64url: tokens and codes are 256 random bits and stored nowhere. */
		id: text().notNull(),
		payload: json().notNull(),
		grant_id: text(),
		/** Of a session, its own; of a device code, the user code's digest. */
		uid: text(),
		consumed_at: time('consumed_at'),
		/** Refresh tokens: the answer that consumed it, encrypted under a key made from the token itself. */
		successor: text(),
		expires_at: time('expires_at'),
	},
	(t) => [
		primaryKey({ columns: [t.model, t.id] }),
		index('guard_oauth_grant').on(t.grant_id),
		index('guard_oauth_uid').on(t.uid),
		index('guard_oauth_expires').on(t.expires_at),
		index('guard_oauth_account').on(sql`(payload->>'accountId')`).where(sql`model = 'Grant'`),
	],
)

/** Admissions of an account in µs since 1970, oldest first: the newest 120 at least; older ones are sealed away. */
export const guard_windows = pgTable('guard_windows', {
	account_id: text().primaryKey(),
	newest: bigint({ mode: 'number' }).array().notNull(),
	/** Number of sealed rows of this account. */
	sealed: integer().notNull().default(0),
})

/** Older admissions, 40 a row, in order, never changed. */
export const guard_sealed_windows = pgTable(
	'guard_sealed_windows',
	{
		account_id: text().notNull(),
		/** 0, 1, 2, …: admission number n of the account is in row n / 40. */
		row: integer().notNull(),
		admitted: bigint({ mode: 'number' }).array().notNull(),
	},
	(t) => [primaryKey({ columns: [t.account_id, t.row] })],
)

/** Answered calls and their input tokens, by month (`2026-11`, UTC): the budget's sum. */
export const guard_usage = pgTable(
	'guard_usage',
	{
		month: text().notNull(),
		account_id: text().notNull(),
		calls: bigint({ mode: 'number' }).notNull(),
		tokens: bigint({ mode: 'number' }).notNull(),
	},
	(t) => [primaryKey({ columns: [t.month, t.account_id] })],
)

/** The same by day (`2026-11-22`, UTC), for the account to see. */
export const guard_days = pgTable(
	'guard_days',
	{
		account_id: text().notNull(),
		day: text().notNull(),
		calls: bigint({ mode: 'number' }).notNull(),
		tokens: bigint({ mode: 'number' }).notNull(),
	},
	(t) => [primaryKey({ columns: [t.account_id, t.day] })],
)

/** `switches`: what operators set. `keys`: cookie and signing keys, encrypted under the master key. */
export const guard_settings = pgTable('guard_settings', {
	name: text().primaryKey(),
	value: json().notNull(),
})
