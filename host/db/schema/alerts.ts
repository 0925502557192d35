import { sql } from 'drizzle-orm'
import { index, integer, json, pgTable, text, uniqueIndex } from 'drizzle-orm/pg-core'
import { now, time } from './columns.ts'

/** What owners and operators are told of, once. Also the outbox of its e-mails. */
export const alerts = pgTable(
	'alerts',
	{
		id: text().primaryKey(),
		/** Null: it is for operators. */
		account_id: text(),
		deployment_id: text(),
		type: text().notNull(),
		data: json().$type<Record<string, unknown>>().notNull(),
		at: now('at'),
		/** Of `agent.failing`: its next run has succeeded. */
		cleared_at: time('cleared_at'),
		/** When its e-mail is to be sent next; a sender moves it ahead while it is at it. Null: it was sent. */
		mail_at: time('mail_at').defaultNow(),
		mail_attempts: integer().notNull().default(0),
	},
	(t) => [
		index('alerts_account').on(t.account_id, t.id),
		index('alerts_mail').on(t.mail_at).where(sql`${t.mail_at} is not null`),
		// Of several hosts that see it at once, one tells.
		uniqueIndex('alerts_failing')
			.on(t.deployment_id)
			.where(sql`${t.type} = 'agent.failing' and ${t.cleared_at} is null`),
	],
)
