import { z } from 'zod'

// What a run asks of a person (spec approval.what-was-agreed).

export const Approval = z
	.object({
		id: z.string(),
		run: z.string(),
		question: z.string(),
		/** The tool that is to be called, and where it is; null where the program itself asks. */
		tool: z.string().nullable(),
		connector: z.string().nullable(),
		/** Exactly what is agreed to. */
		arguments: z.unknown(),
		/** `sha256:` of the arguments as canonical JSON (RFC 8785). */
		digest: z.string(),
		/** `withdrawn`: the run ended before anybody decided. */
		status: z.enum(['pending', 'approved', 'denied', 'withdrawn']),
		note: z.string().nullable(),
		requested_at: z.string(),
		decided_at: z.string().nullable(),
		/** The account. */
		decided_by: z.string().nullable(),
	})
	.meta({ id: 'Approval' })

export const ApprovalList = z.object({ data: z.array(Approval) }).meta({ id: 'ApprovalList' })

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
	})
	.meta({ id: 'DecideApproval' })

export type Approval = z.infer<typeof Approval>
export type ApprovalList = z.infer<typeof ApprovalList>
export type DecideApproval = z.infer<typeof DecideApproval>
