/** A run as the guest program holds it: every function is given the run that it works for. */
import type { GuestAgent } from '../../bundles/index.ts'
import type { Context } from '../../bundles/types/index.d.ts'

export interface LocalTool {
	description: string
	input: object
	/** `ctx`: for functions of the owner's own. */
	run(input: never, ctx: Context | undefined): unknown
}

export interface Waiting {
	resolve(value: unknown): void
	reject(error: unknown): void
	origin: { stack?: string }
}

export interface RunState {
	readonly agent: GuestAgent
	readonly inputs: Record<string, unknown>
	/** By the name the model knows. */
	readonly tools: Map<string, LocalTool>
	/** What the owner's code is given; none where there is none. */
	context: Context | undefined
	declared: boolean
	/** Effects without an answer, by number. */
	readonly waiting: { [n: number]: Waiting | undefined }
	/** Number of the last effect. */
	last: number
	/** Items for the host, with commas between. */
	outbox: string
	/** The last item, once the run is over. */
	ending: string
	/** Log lines that did not become effects, and how many of them were told. */
	notKept: number
	notKeptTold: number
}

export function newRun(agent: GuestAgent, inputs: Record<string, unknown>): RunState {
	return {
		agent,
		inputs,
		tools: new Map(),
		context: undefined,
		declared: false,
		waiting: { __proto__: null } as never,
		last: 0,
		outbox: '',
		ending: '',
		notKept: 0,
		notKeptTold: 0,
	}
}

/**
 * The one run of a context with the owner's code: `console`, `Date` and `Math.random` belong to it. Nothing in a context
 * that runs share, where no code is that could use them.
 */
export const own: { run: RunState | undefined } = { run: undefined }
