import { z } from 'zod'

const Asked = z.object({ method: z.string(), arguments: z.unknown() })

const Tool = z.object({ name: z.string(), description: z.string(), input: z.unknown() })

/** What a model was sent in one call. `call`: as in the events of the run. */
export const ModelCall = z
	.object({
		call: z.number(),
		system: z.string(),
		messages: z.array(z.unknown()),
		/** Tools of connectors as they are locked now. */
		tools: z.array(Tool),
		/** What the program set for this call alone. */
		parameters: z.unknown().optional(),
		options: z.unknown().optional(),
		output: z.unknown().optional(),
	})
	.meta({ id: 'ModelCall' })

/** `?full`, `?full=true` */
export const Full = z
	.enum(['', 'true', 'false'])
	.optional()
	.describe('With what the model was sent in each call: system prompt, messages, tool definitions')
export const isFull = (full: z.infer<typeof Full>) => full !== undefined && full !== 'false'

/** What came of running a recorded run again (spec journal.replay-offline). */
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
		/** With `full`; up to 24 Mi characters in all. */
		model_calls: z.array(ModelCall).optional(),
	})
	.meta({ id: 'ReplayReport' })

export type ModelCall = z.infer<typeof ModelCall>
export type ReplayReport = z.infer<typeof ReplayReport>
