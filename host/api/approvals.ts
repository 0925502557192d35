import { z } from 'zod'
import { PageQuery, pageOf } from './common.ts'

// What a run asks of a person (spec approval.what-was-agreed).

export const Approval = z
	.object({
		id: z.string(),
		run: z.string(),
		/** `question`: a connector asks, in the middle of a call. */
		kind: z.enum(['approval', 'question']),
		question: z.string(),
		/** The tool that is to be called, or that asks, and where it is; null where the program itself asks. */
		tool: z.string().nullable(),
		connector: z.string().nullable(),
		/** Of a question: the JSON Schema of its answer's `content`. Null: there is nothing to fill in. */
		schema: z.record(z.string(), z.unknown()).nullable(),
		/** Of a question: the address that its connector wants visited. */
		url: z.string().nullable(),
		/** Exactly what is agreed to. */
		arguments: z.unknown(),
		/** `sha256:` of the arguments as canonical JSON (RFC 8785). */
		digest: z.string(),
		/** `withdrawn`: before anybody decided, the run ended, or the call that asked. */
		status: z.enum(['pending', 'approved', 'denied', 'withdrawn']),
		note: z.string().nullable(),
		/** What a question was answered with. */
		content: z.record(z.string(), z.unknown()).nullable(),
		requested_at: z.string(),
		decided_at: z.string().nullable(),
		/** The account. */
		decided_by: z.string().nullable(),
	})
	.meta({ id: 'Approval' })

export const ApprovalList = z.object({ data: z.array(Approval) }).meta({ id: 'ApprovalList' })

/** Query of `GET /v1/approvals`, in the word of `status`. `all`: also what was decided; what ended undecided is with its run only. */
export const AccountApprovalQuery = PageQuery.extend({
	status: z.enum(['pending', 'all']).default('pending'),
})

/** An approval over all deployments of an account. */
export const AccountApproval = Approval.extend({
	deployment: z.string(),
	deployment_name: z.string(),
	/** `deployment_url`, below which it is decided. */
	deployment_url: z.string(),
	/** A connector's question is open for a while; null: it waits until somebody decides. */
	expires_at: z.string().nullable(),
}).meta({ id: 'AccountApproval' })

export const AccountApprovalPage = pageOf(AccountApproval).meta({ id: 'AccountApprovalPage' })

/** Body of `POST …/runs/{id}/approvals/{id}`. */
export const DecideApproval = z
	.strictObject({
		decision: z.enum(['approve', 'deny']),
		/** Of the arguments that were read: a decision about others is refused. */
		digest: z.string(),
		note: z
			.string()
			.max(2000)
			// Postgres has no text with a NUL.
			.regex(/^[^\0]*$/, 'must not hold NUL characters')
			.nullish(),
		/** Answer to a question that has a `schema`, which it must fit; its defaults are put in. Only with `approve`. */
		content: z.record(z.string(), z.unknown()).nullish(),
	})
	.meta({ id: 'DecideApproval' })

export type Approval = z.infer<typeof Approval>
export type ApprovalList = z.infer<typeof ApprovalList>
export type AccountApproval = z.infer<typeof AccountApproval>
export type AccountApprovalPage = z.infer<typeof AccountApprovalPage>
export type DecideApproval = z.infer<typeof DecideApproval>
