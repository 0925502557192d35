/**
 * What the runtime and a sandbox process say to each other, as tuples to keep frames short. The child answers every
 * message about a run with exactly one frame `[run, …items]`, in the order received: that is how the runtime knows
 * whether it still executes. `run` is a number of the runtime's own, never the run's id.
 */

export type ToChild =
	| ['bundle', digest: string, agent: string, scripts: GuestScript[]]
	| [
			'start',
			run: number,
			digest: string,
			memoryMb: number,
			cpuMs: number,
			starved: number,
			inputs: string,
			seed: string,
			at: number,
	  ]
	| ['deliver', run: number, n: number, ok: boolean, json: string, at: number]
	| ['stop', run: number]
	| ['trim']

export interface GuestScript {
	name: string
	code: string
}

/** `stack`: of an error, for its owner. Effect · end as the guest says or as the sandbox says · lines of the log that were not sent, so far. */
export type FromChild =
	| [n: number, method: string, args: string, stack?: string]
	| [0, kind: EndKind, text: string, stack?: string]
	| [-1, kind: 'log', lines: string]

/** `ok`: JSON of the output; `error`: JSON of `{code, message}`; `starved`: cut off before it had its CPU time; the others: a message. */
export type EndKind = 'ok' | 'error' | 'agent' | 'cpu' | 'memory' | 'starved'

/** First frame of a child: its isolates work. */
export const READY = 'ready'

/** Longest frame between the two; the guest's own bounds (prelude/bridge.ts) keep well below it. */
export const MAX_FRAME_BYTES = 64 * 1024 * 1024

export const CHANNEL_FD = 3
/** Where the child notes which run it is about to execute, so that the runtime knows at whose turn it died or hung. */
export const MARK_FD = 4
