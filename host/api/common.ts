import { z } from 'zod'

/** Shapes that every resource uses. Times go out as RFC 3339 in UTC. */
export const time = z.iso.datetime()

/** What an owner calls a thing. Without characters that are not seen, or turn the order of others (U+202E, U+200B). */
export const nameOf = (maxChars: number) =>
	z
		.string()
		.trim()
		.min(1)
		.max(maxChars)
		.regex(/^\P{C}*$/u, 'holds a control or invisible character')

/** Of years that Postgres stores, as UTC: an offset may lead out of the last one. */
const [firstMs, lastMs] = [Date.parse('0001-01-01T00:00:00Z'), Date.parse('9999-12-31T23:59:59.999Z')]

/** A point in time that a caller names. */
export const moment = () =>
	z.iso.datetime({ offset: true }).refine(
		(text) => {
			const ms = Date.parse(text)
			// What is no time has been told already.
			return !(ms < firstMs || ms > lastMs)
		},
		{ message: 'must lie in the years 0001 to 9999, as UTC' },
	)

/** When a credential stops working. Whether it is over already, the clock that all hosts share says. */
export const expiry = moment().nullish()

/** A `next_cursor`: the id of the last row seen. */
export const cursor = z
	.string()
	.regex(/^[a-z]{2,8}_[0-9a-z]{26}$/, 'This is no `next_cursor` of an answer.')
	.optional()

/** Body of a POST that takes none. */
export const NoBody = z.strictObject({}).prefault({})

export const PageQuery = z.strictObject({
	limit: z.coerce.number().int().min(1).max(100).default(20),
	cursor,
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
