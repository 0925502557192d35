import { index, integer, json, pgTable, text } from 'drizzle-orm/pg-core'
import { now } from './columns.ts'

/**
 * What somebody changed, or tried to. Only ever added to, until RETAIN_AUDIT_DAYS has passed; the erasure of an account empties `address`. No body, no secret, no text of anybody's: ids and what the
 * route is called.
 */
export const audit = pgTable(
	'audit',
	{
		id: text().primaryKey(),
		at: now('at'),
		/** Whose log it is in; null: it is about the host. */
		account_id: text(),
		/** Who acted; null: the local operator. */
		actor_id: text(),
		actor_kind: text()
			.$type<'session' | 'console' | 'personal' | 'oauth' | 'local' | 'upload' | 'sign_in'>()
			.notNull(),
		token_id: text(),
		operation: text().notNull(),
		target: json().$type<Record<string, string>>().notNull(),
		status: integer().notNull(),
		request_id: text().notNull(),
		address: text().notNull(),
	},
	(t) => [index('audit_account').on(t.account_id, t.id), index('audit_actor').on(t.actor_id, t.id)],
)
