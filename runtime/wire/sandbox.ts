/**
 * Messages between the runtime and one sandbox process (the child), as tuples to keep frames short.
 *
 * - Runtime → child: `ToChild`.
 * - Child → runtime: first `[READY]`. Then exactly one frame `[run, ...items: FromChild[]]` for every message that names a
 *   run, in the order received; a turn that sends nothing answers `[run]`. So the runtime knows which turns are still
 *   owed. The sandbox writes the frame as text (`answer` in runtime/sandbox/main.ts), because the items already are JSON.
 *   The runtime trusts no member of it and checks each item (runtime/process/sandboxes/live-run.ts).
 * - Child → runtime, without a frame: the mark. Before each turn the child writes the run's number into four bytes that
 *   both processes share (`MARK_FD`). If the child dies or hangs, the runtime reads there whose turn it was.
 *
 * `run` is a number of the runtime's own, never the run's id. Effects and their arguments: runtime/wire/effects.ts.
 */

export type ToChild =
	| ['bundle', name: string, agent: string, scripts: GuestScript[]]
	| [
			'start',
			run: number,
			bundle: string,
			memoryMb: number,
			cpuMs: number,
			starved: number,
			inputs: string,
			seed: string,
			at: number,
			alone: boolean,
	  ]
	| ['deliver', run: number, n: number, ok: boolean, json: string, at: number]
	| ['stop', run: number]
	/** No run of this bundle is to come. */
	| ['forget', bundle: string]
	| ['trim']

export interface GuestScript {
	name: string
	code: string
}

/** One item of a frame. `stack`: of an error, for its owner. */
export type FromChild =
	/** Effect `n` (1, 2, 3 …): a key of `Effects` and its arguments as JSON. */
	| [n: number, method: string, args: string, stack?: string]
	/** The end, as the guest program says or as the sandbox says. */
	| [0, kind: EndKind, text: string, stack?: string]
	/** How many lines of the log were not sent so far. */
	| [-1, kind: 'log', lines: string]

/**
 * `ok`: JSON of the output; `error`: JSON of `{code, message}`; `starved`: cut off before it had its CPU time; `alone`: to be
 * begun again in a context of its own, as the shared one broke or is too small for it; the others: a message.
 */
export type EndKind = 'ok' | 'error' | 'agent' | 'cpu' | 'memory' | 'starved' | 'alone'

/** First frame of a child: its isolates work. */
export const READY = 'ready'

/** Longest frame between the two; the guest's own bounds (runtime/guest/bridge.ts) keep well below it. */
export const MAX_FRAME_BYTES = 64 * 1024 * 1024

export const CHANNEL_FD = 3
/** The mark: written by runtime/sandbox/run.ts, read by runtime/process/sandboxes/mark.ts. */
export const MARK_FD = 4
