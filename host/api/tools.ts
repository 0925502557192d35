import { z } from 'zod'

// The tool lock (spec connector.lock).

const definition = z.record(z.string(), z.unknown())

export const ToolLock = z
	.object({
		/** Its canonical URL. */
		connector: z.string(),
		tool: z.string(),
		/** `changed`: blocked until accepted. `missing`: not offered any more. `unknown`: the connector could not be asked. */
		state: z.enum(['locked', 'changed', 'missing', 'unknown']),
		locked: z.object({ hash: z.string(), definition, locked_at: z.string() }).nullable(),
		offered: z.object({ hash: z.string(), definition }).nullable(),
		/** By JSON Pointer into the definitions. */
		difference: z.array(
			z.object({ path: z.string(), locked: z.unknown().optional(), offered: z.unknown().optional() }),
		),
		/** What of it cannot work here, as it is offered now. */
		warning: z.string().nullable(),
		error: z.object({ code: z.string(), detail: z.string() }).nullable(),
	})
	.meta({ id: 'ToolLock' })

export const ToolLockList = z.object({ data: z.array(ToolLock) }).meta({ id: 'ToolLockList' })

/** Body of `POST …/tools/accept`: the offers that were shown, by their hashes. */
export const AcceptTools = z
	.strictObject({
		tools: z
			.array(z.strictObject({ connector: z.string(), tool: z.string(), hash: z.string() }))
			.min(1)
			.max(1000),
	})
	.meta({ id: 'AcceptTools' })

export type ToolLock = z.infer<typeof ToolLock>
export type AcceptTools = z.infer<typeof AcceptTools>
