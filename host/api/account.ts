import { z } from 'zod'
import { expiry, nameOf, PageQuery, pageOf, time } from './common.ts'

export const Plan = z
	.object({
		name: z.string(),
		/** Null: no limit. */
		running_agents: z.number().int().nullable(),
		/** Most days that ended runs are kept; null: as long as the host says. */
		retain_days: z.number().int().nullable(),
		paid: z.boolean(),
	})
	.meta({ id: 'Plan' })

/** `GET /v1/account`. Credits are decimal, with four places at most. */
export const Account = z
	.object({
		id: z.string(),
		email: z.string(),
		plan: Plan,
		slots: z.object({
			used: z.number().int(),
			limit: z.number().int().nullable(),
			held: z.array(z.object({ deployment: z.string(), name: z.string(), state: z.string(), since: time })),
		}),
		credits: z.number(),
		tester: z.boolean(),
		operator: z.boolean(),
		has_password: z.boolean(),
		/** Alerts are sent to `email`, where the host sends any. */
		alert_mail: z.boolean(),
		/** Whether this host sends e-mails (`SMTP_URL`). */
		sends_mail: z.boolean(),
		created_at: time,
	})
	.meta({ id: 'Account' })

/** How many browsers a new password signed out. Programs stay (`/v1/sessions`), and so do personal tokens (`/v1/tokens`). */
export const endedSessions = z.number().int().optional()
/** Answer of `PATCH /v1/account`. */
export const ChangedAccount = Account.extend({ ended_sessions: endedSessions }).meta({ id: 'ChangedAccount' })

export const password = z.string().min(12, 'must have 12 characters or more').max(200)
export const email = z.email().max(254)

/** Body of `PATCH /v1/account`. */
export const PatchAccount = z
	.strictObject({
		password: password.optional(),
		current_password: z.string().max(200).optional(),
		alert_mail: z.boolean().optional(),
	})
	.refine((body) => body.password !== undefined || body.alert_mail !== undefined, {
		message: 'There is nothing to change.',
	})
	.meta({ id: 'PatchAccount' })

export const LedgerQuery = PageQuery
export const LedgerPage = pageOf(
	z.object({ id: z.string(), amount: z.number(), balance: z.number(), reason: z.string(), at: time }),
)

/** `GET /v1/account/guard-usage`: answered calls of the guard, 30 days in UTC, oldest first, today last. */
export const GuardUsage = z
	.object({
		days: z.array(
			z.object({ day: z.iso.date(), calls: z.number().int(), tokens: z.number().int(), credits: z.number() }),
		),
	})
	.meta({ id: 'GuardUsage' })

export const Token = z
	.object({
		id: z.string(),
		name: z.string(),
		created_at: time,
		expires_at: time.nullable(),
		last_used_at: time.nullable(),
	})
	.meta({ id: 'Token' })
export const TokenList = z.object({ data: z.array(Token) })

/** Body of `POST /v1/tokens`. */
export const CreateToken = z
	.strictObject({
		name: nameOf(100),
		expires_at: expiry,
	})
	.meta({ id: 'CreateToken' })

/** `token` is shown here and never again. */
export const IssuedToken = Token.extend({ token: z.string() }).meta({ id: 'IssuedToken' })

/** Body of `POST /v1/session`: sets the console's cookie. */
export const SignIn = z
	.strictObject({ email: z.string().max(254), password: z.string().max(200) })
	.meta({ id: 'SignIn' })

export type Account = z.infer<typeof Account>
