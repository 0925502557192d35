import { z } from 'zod'
import { moment, PageQuery, pageOf, time } from './common.ts'

/** What somebody changed, or tried to. */
export const AuditEntry = z
	.object({
		id: z.string(),
		at: time,
		/** Whose log it is in. Null: of the host itself, as a price or a plan. */
		account: z.string().nullable(),
		/** With what it was asked for. `sign_in`: with a password or a link, whether or not it let in. */
		actor: z.object({
			kind: z.enum(['session', 'console', 'personal', 'oauth', 'local', 'upload', 'sign_in']),
			/** The account that acted; null: the local operator. Another than `account`: an operator. */
			account: z.string().nullable(),
			/** Its token or session. */
			token: z.string().nullable(),
		}),
		/** `operationId` of the address. */
		operation: z.string(),
		/** Ids that the address names, by parameter; `made`: id of what was made, or `version`; `changed`: members of an account; of a program its `program` (name), `client`, `resource` and `scopes`; of an erasure what was erased. */
		target: z.record(z.string(), z.string()),
		/** HTTP status of the answer. */
		status: z.number().int(),
		request_id: z.string(),
		/** Where the call came from. */
		address: z.string(),
	})
	.meta({ id: 'AuditEntry' })

export const AuditQuery = PageQuery.extend({
	operation: z.string().max(100).optional(),
	since: moment().optional(),
})
export const AuditPage = pageOf(AuditEntry)

/** Query of `GET /v1/admin/audit`. */
export const AdminAuditQuery = AuditQuery.extend({ account: z.string().optional() })

export type AuditEntry = z.infer<typeof AuditEntry>
