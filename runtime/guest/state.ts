/** The one run this context is for. Filled by `begin`, read by everything else. */
import type { GuestAgent } from '../../bundles/index.ts'
import type { Context } from '../../bundles/types/index.d.ts'

export interface LocalTool {
	description: string
	input: object
	run(input: never, ctx: Context): unknown
}

export interface RunState {
	agent: GuestAgent
	context: Context
	inputs: Record<string, unknown>
	/** By the name the model knows. */
	tools: Map<string, LocalTool>
	declared: boolean
}

export const run: RunState = {
	agent: undefined as never,
	context: undefined as never,
	inputs: {},
	tools: new Map(),
	declared: false,
}
