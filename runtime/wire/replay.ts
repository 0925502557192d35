/** Messages between host and runtime about running a recorded run again (spec journal.replay-offline). */
import type { Entry } from './journal.ts'

export interface ReplayCalls {
	/**
	 * An ended run again, from its journal alone: no effect is executed. `against`: with another bundle, to see where it
	 * would part from the journal. `output`: JSON text of what it succeeded with.
	 */
	'run.replay': (a: {
		run: string
		deployment: string
		digest: string
		inputs: string
		seed: string
		prelude: string | null
		output: string | null
		journal: Entry[]
		against?: { digest: string } | { base64: string }
		/** Definitions of connector tools as they are locked; given, the answer has `calls`. */
		tools?: LockedTool[]
	}) => ReplayResult & { calls?: AskedOfModel[] }
}

/** What a program asked for; `args` is JSON text. Method `end`: it ended, with its output or `{code, message}`. */
export interface Asked {
	method: string
	args: string
}

export interface LockedTool {
	connector: string
	name: string
	definition: { description: string; input: object }
}

/** What a model was sent in one call. */
export interface AskedOfModel {
	/** Number of the effect, which is `call` in its events. */
	call: number
	system: string
	messages: unknown[]
	tools: { name: string; description: string; input: object }[]
	/** What the program set for this call alone. */
	parameters?: object
	/** The same, in the spelling for all interfaces. */
	options?: object
	output?: object
}

export type ReplayResult =
	| { same: true; effects: number }
	/** Null: on this side nothing came. */
	| { same: false; effect: number; recorded: Asked | null; asked: Asked | null }
