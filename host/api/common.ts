import { z } from 'zod'

/** Shapes that every resource uses. Times go out as RFC 3339 in UTC. */
export const time = z.iso.datetime()

export const PageQuery = z.strictObject({
	limit: z.coerce.number().int().min(1).max(100).default(20),
	cursor: z.string().max(200).optional(),
})

/** One page, newest first. `next_cursor` null: there is no more. */
export const pageOf = <T extends z.ZodType>(item: T) =>
	z.object({ data: z.array(item), next_cursor: z.string().nullable() })

export const Problem = z
	.looseObject({
		type: z.string(),
		title: z.string(),
		status: z.number().int(),
		detail: z.string(),
		instance: z.string(),
		code: z.string(),
		errors: z.array(z.object({ path: z.string(), message: z.string() })).optional(),
		request_id: z.string(),
	})
	.meta({ id: 'Problem' })
