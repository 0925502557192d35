import { z } from 'zod'

const Asked = z.object({ method: z.string(), arguments: z.unknown() })

/** What came of running a recorded run again (contract 8, replay). */
export const ReplayReport = z
	.object({
		run: z.string(),
		/** Of the bundle it ran on. */
		version: z.number(),
		/** Entries of its journal. */
		events: z.number(),
		same: z.boolean(),
		/** How many effects were asked for, all as recorded. */
		effects: z.number().optional(),
		/** The first effect that is another. */
		effect: z.number().optional(),
		/** Null: the run had come to its end. `end`: it ended, with this output or error. */
		recorded: Asked.nullable().optional(),
		/** Null: the program waits for an answer that was never recorded. */
		asked: Asked.nullable().optional(),
	})
	.meta({ id: 'ReplayReport' })

export type ReplayReport = z.infer<typeof ReplayReport>
