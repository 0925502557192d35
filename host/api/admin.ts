import { z } from 'zod'
import { email, endedSessions, Plan, password } from './account.ts'
import { PageQuery, pageOf, time } from './common.ts'

/** An account as operators see it. */
export const AdminAccount = z
	.object({
		id: z.string(),
		email: z.string(),
		plan: z.string(),
		tester: z.boolean(),
		operator: z.boolean(),
		disabled: z.boolean(),
		credits: z.number(),
		has_password: z.boolean(),
		created_at: time,
	})
	.meta({ id: 'AdminAccount' })

/** Answer of `PATCH /v1/admin/accounts/{id}`. */
export const ChangedAdminAccount = AdminAccount.extend({ ended_sessions: endedSessions }).meta({
	id: 'ChangedAdminAccount',
})

export const AdminAccountQuery = PageQuery.extend({ email: z.string().max(254).optional() })
export const AdminAccountPage = pageOf(AdminAccount)

/** Body of `POST /v1/admin/accounts`. `token`: answer with a personal token, too. */
export const CreateAccount = z
	.strictObject({
		email,
		password: password.optional(),
		plan: z.string().max(100).optional(),
		tester: z.boolean().optional(),
		operator: z.boolean().optional(),
		token: z.boolean().default(false),
	})
	.meta({ id: 'CreateAccount' })

/** What is secret in it is shown once. Without a password the account comes with a one-time sign-in link. */
export const CreatedAccount = AdminAccount.extend({
	token: z.string().optional(),
	sign_in_link: z.string().optional(),
}).meta({ id: 'CreatedAccount' })

/** Body of `PATCH /v1/admin/accounts/{id}`. */
export const ChangeAccount = z
	.strictObject({
		plan: z.string().max(100).optional(),
		tester: z.boolean().optional(),
		operator: z.boolean().optional(),
		disabled: z.boolean().optional(),
		password: password.optional(),
		/** Who it is at the OpenID provider: the next sign-in by its e-mail address binds anew. */
		forget_openid: z.literal(true).optional(),
	})
	.meta({ id: 'ChangeAccount' })

/** Body of `POST /v1/admin/accounts/{id}/credits`: added, or with a minus taken away. */
export const ChangeCredits = z
	.strictObject({
		credits: z
			.number()
			.min(-1_000_000_000)
			.max(1_000_000_000)
			.refine(
				(n) => n !== 0 && Number.isInteger(Math.round(n * 10_000 * 1e3) / 1e3),
				'must have four places at most',
			),
		reason: z.string().trim().min(1).max(200).default('by an operator'),
	})
	.meta({ id: 'ChangeCredits' })

export const SignInLink = z.object({ sign_in_link: z.string(), expires_at: time }).meta({ id: 'SignInLink' })

export const PlanList = z.object({ data: z.array(Plan) })
/** Body of `PUT /v1/admin/plans/{name}`. */
export const PutPlan = z
	.strictObject({
		running_agents: z.number().int().min(0).max(1_000_000).nullable(),
		retain_days: z.number().int().min(1).max(36_500).nullable().default(null),
		paid: z.boolean(),
	})
	.meta({ id: 'PutPlan' })

/** A host that has told the database of itself within the last days. */
export const AdminHost = z
	.object({
		id: z.string(),
		place: z.string(),
		/** Where it listens; null: not known. */
		address: z.string().nullable(),
		version: z.string().nullable(),
		since: time,
		/** `lapsed`: it has not renewed its lease in time, and others take its runs. */
		lease: z.enum(['held', 'lapsed']),
		lease_until: time,
		live_runs: z.number().int(),
		/** The one that answers. */
		current: z.boolean(),
	})
	.meta({ id: 'AdminHost' })
export const AdminHostList = z.object({ data: z.array(AdminHost) }).meta({ id: 'AdminHostList' })

/** A live run of any account, without what it works on. */
export const AdminRun = z
	.object({
		id: z.string(),
		account: z.string(),
		email: z.string(),
		deployment: z.string(),
		deployment_name: z.string(),
		status: z.enum(['queued', 'running', 'waiting']),
		/** Null: no host executes it just now. */
		host: z.string().nullable(),
		created_at: time,
		started_at: time.nullable(),
	})
	.meta({ id: 'AdminRun' })
export const AdminRunQuery = PageQuery
export const AdminRunPage = pageOf(AdminRun)

/** Answer of `POST /v1/admin/runs/{id}/cancel`: its status when it was asked to end. */
export const AdminCancel = z
	.object({ run: z.string(), status: z.enum(['queued', 'running', 'waiting']) })
	.meta({ id: 'AdminCancel' })

export type AdminAccount = z.infer<typeof AdminAccount>
export type AdminHost = z.infer<typeof AdminHost>
export type AdminRun = z.infer<typeof AdminRun>
