import { z } from 'zod'

const switches = {
	maintenance: z.boolean(),
	/** Input tokens a calendar month (UTC) over all accounts; null: no limit. */
	budget_tokens: z.number().int().min(0).max(Number.MAX_SAFE_INTEGER).nullable(),
	/** Calls the judge has in hand on one host, waiting ones included. */
	capacity: z.number().int().min(0).max(100_000),
	/** Part of the capacity that free accounts may take. */
	free_share: z.number().min(0).max(1),
}

export const GuardStatus = z
	.object({
		access: z.enum(['testers', 'everyone']),
		switches: z.object(switches),
		month: z.object({ month: z.string(), calls: z.number().int(), tokens: z.number().int() }),
		held: z.object({ all: z.number().int(), free: z.number().int() }),
	})
	.meta({ id: 'GuardStatus' })

/** Body of `PATCH /v1/admin/guard`. */
export const ChangeGuard = z.strictObject(switches).partial().meta({ id: 'ChangeGuard' })
