import { z } from 'zod'
import { moment } from './common.ts'

/** Query of `GET /v1/failures`. */
export const FailureQuery = z.strictObject({
	/** By default 24 hours ago. */
	since: moment().optional(),
	/** Until then, not with it. */
	until: moment().optional(),
	deployment: z.string().optional(),
	code: z.string().max(100).optional(),
	/** A run key, or the lineage of one. Refused calls are of no key. */
	key: z.string().optional(),
	/** Of groups. */
	limit: z.coerce.number().int().min(1).max(500).default(100),
})

/** Failures of one deployment with one code and one message, numbers and ids in it left aside. */
export const FailureGroup = z
	.object({
		/** `refused`: calls of `/run` that never became a run. */
		kind: z.enum(['run', 'refused']),
		code: z.string(),
		/** Of the last one. */
		message: z.string(),
		deployment: z.string(),
		deployment_name: z.string(),
		count: z.number().int(),
		/** Of refused calls: the hour. */
		first_at: z.string(),
		last_at: z.string(),
		/** Null of refused calls. */
		last_run: z.string().nullable(),
		/** Run keys, each the newest of its rotation; the owner's own calls have none. */
		keys: z.array(z.string()),
		/** Of refused calls: JSON pointers into the body. */
		paths: z.array(z.string()),
	})
	.meta({ id: 'FailureGroup' })

export const FailureList = z
	.object({
		/** By their last failure, newest first. */
		data: z.array(FailureGroup),
		/** Failures in all groups, those that are not shown included. */
		total: z.number().int(),
		/** There are more groups, or more failures than the 10,000 newest, which are looked at. */
		truncated: z.boolean(),
	})
	.meta({ id: 'FailureList' })

export type FailureGroup = z.infer<typeof FailureGroup>
export type FailureList = z.infer<typeof FailureList>
