import { z } from 'zod'
import { plainWords } from '../../bundles/words.ts'
import type { Judge } from '../judge/types.ts'

/** A tool as the gate and the protocol see it. */
export interface Tool {
	name: string
	/** Beyond a valid token; null: none. */
	scope: string | null
	/** Its entry in `tools/list`. */
	listing: Listing
	/** Contract: throws an `ArgumentError` that names the argument, and nothing else. */
	prepare(args: unknown): Prepared
}

export interface Listing {
	name: string
	title: string
	description: string
	inputSchema: ObjectSchema
	outputSchema: ObjectSchema
	annotations: {
		title: string
		readOnlyHint: true
		idempotentHint: true
		destructiveHint: false
		openWorldHint: false
	}
}

interface ObjectSchema {
	type: 'object'
	[key: string]: unknown
}

export interface Prepared {
	/** What the judge will read, and so what is counted. */
	texts: string[]
	run(judge: Judge, signal: AbortSignal): Promise<Success>
}

/** The tool's own fields with `basis` and `judge`. */
export type Success = Record<string, unknown>

export const longestList = 1_024

export class ArgumentError extends Error {
	constructor(argument: string, message: string) {
		super(`Invalid argument ${argument}: ${message}`)
		this.name = 'ArgumentError'
	}
}

interface Definition<I extends z.ZodObject> {
	name: string
	title: string
	description: string
	scope: string | null
	input: I
	/** Fields of a success beside the envelope's. */
	output: z.ZodObject
	texts(args: z.output<I>): (string | undefined)[]
	run(args: z.output<I>, judge: Judge, signal: AbortSignal): Promise<Success>
}

export function defineTool<I extends z.ZodObject>(tool: Definition<I>): Tool {
	return {
		name: tool.name,
		scope: tool.scope,
		listing: {
			name: tool.name,
			title: tool.title,
			description: tool.description,
			inputSchema: jsonSchema(tool.input),
			outputSchema: outputSchema(tool.output),
			annotations: {
				title: tool.title,
				readOnlyHint: true,
				idempotentHint: true,
				destructiveHint: false,
				openWorldHint: false,
			},
		},
		prepare: (given) => {
			refuseEndless(given)
			const parsed = tool.input.safeParse(given ?? {}, { error: plainWords })
			if (!parsed.success) throw argumentError(parsed.error)
			const args = parsed.data
			return {
				texts: tool.texts(args).filter((text) => text !== undefined),
				run: (judge, signal) => tool.run(args, judge, signal),
			}
		},
	}
}

/** Schemas look at every item before they count: a body of 16 MiB can hold millions. */
function refuseEndless(args: unknown): void {
	for (const [name, value] of Object.entries(args ?? {})) {
		if (Array.isArray(value) && value.length > longestList)
			throw new ArgumentError(name, `must have at most ${longestList} items`)
	}
}

function argumentError({ issues }: z.ZodError): ArgumentError {
	const issue = issues[0] as z.core.$ZodIssue
	if (issue.code === 'unrecognized_keys')
		return new ArgumentError(String(issue.keys[0]), 'there is no such argument')
	const path = issue.path.map((part, i) =>
		typeof part === 'number' ? `[${part}]` : `${i ? '.' : ''}${String(part)}`,
	)
	return new ArgumentError(path.join('') || 'arguments', issue.message)
}

const jsonSchema = (schema: z.ZodType) => {
	const { $schema: _, ...rest } = z.toJSONSchema(schema, { io: 'input' })
	return rest as ObjectSchema
}

const envelope = z.object({
	allowance_remaining: z.string().describe('What the account may still spend, after this call'),
	usage: z.object({ input_tokens: z.int(), credits: z.number() }),
	basis: z.enum(['evidence', 'text', 'none']).describe('What the answer rests on; none: it is a guess'),
	judge: z.object({ backend: z.string(), calibration: z.string() }),
})

/** Clients validate `structuredContent` of errors, too: one object, a success or `{ok: false, allowance_remaining}`. */
function outputSchema(fields: z.ZodObject): ObjectSchema {
	const { properties, required } = jsonSchema(
		z.object({ ...fields.shape, ...envelope.shape }),
	) as unknown as {
		properties: Record<string, unknown>
		required: string[]
	}
	return {
		type: 'object',
		properties: { ok: { type: 'boolean' }, ...properties },
		required: ['ok', 'allowance_remaining'],
		oneOf: [{ properties: { ok: { const: true } }, required }, { properties: { ok: { const: false } } }],
	}
}

// What arguments are made of.

const wellFormed = (text: string) => text.isWellFormed()
const lone = 'must be well-formed Unicode; it has a lone surrogate'
const empty = 'must not be empty'

/** May be empty: there is then simply nothing in it. */
export const text = () => z.string().refine(wellFormed, lone)
/** Something must be asked or said. */
export const phrase = () =>
	text()
		.min(1, empty)
		.refine((value) => value.trim() !== '', empty)

export const probability = () => z.number().min(0).max(1)

/** Index of the highest. */
export function highest(values: number[]): number {
	return values.reduce((best, value, i) => (value > (values[best] as number) ? i : best), 0)
}
