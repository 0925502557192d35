import type { Allowance } from '../../../runtime/wire/agent-calls.ts'
import type { HostCalls } from '../../../runtime/wire/host-calls.ts'
import type { Entry, RunOutcome, TerminalEventType, Usage } from '../../../runtime/wire/journal.ts'
import type { RunStatus } from '../../db/index.ts'
import type { KnownDeployment } from '../../deployments/index.ts'
import type { RunTrace } from '../../traces/index.ts'
import type { RunParts } from '../parts.ts'
import type { Feed } from './feed.ts'

/** A run as it is stored and shown. JSON is kept as text: it is handed on and never looked into. */
export interface RunRecord {
	id: string
	deployment: string
	version: number
	lineage: string | null
	status: RunStatus
	inputs: string
	output: string | null
	/** A list; null: none. */
	citations: string | null
	error: { code: string; message: string } | null
	usage: string | null
	created_at: number
	started_at: number | null
	completed_at: number | null
	/** Days from its end on; null: for ever. */
	kept_days: number | null
}

/** A run that this host executes. One owner: this process, until a commit of it is refused as fenced. */
export interface LiveRun {
	id: string
	/** As it was when the run began: it stays on this version. */
	deployment: KnownDeployment
	version: number
	digest: string
	lineage: string | null
	epoch: number
	attempt: number
	inputs: string
	seed: string
	/** It began with, where another host or an earlier start of this one began it. */
	prelude?: string | null
	/** How many agents stand above it. */
	depth?: number | null
	/** What its caller lets it use. */
	allowance?: Allowance | null
	/** Its caller's span, where traces are made. */
	traceparent?: string | null
	trace?: RunTrace
	createdAt: number
	startedAt: number | null
	/** When the runtime was told of it last, by `performance.now()`. */
	begunAt: number
	/** Since when it waits for people while a connector's call stays open, by `performance.now()`. */
	heldAt: number | null
	/** Whether its row is known to be there; before that no effect happens but what `ahead.ts` allows. */
	stored: boolean
	/** Somebody reads its stream: model deltas are recorded. */
	stream: boolean
	/** Somebody on another host reads or waits: commits are told by NOTIFY. */
	watched: boolean
	cancelReason: string | null
	/** Its last write: the next one begins after it, so that the journal has no gap and ends with the end. */
	writing: Promise<unknown>
	/** The record when it has ended; null where this host has lost the run. Never rejects. */
	ended: Promise<RunRecord | null>
	settle: (record: RunRecord | null) => void
}

/** What ends a run, from the runtime or by hand. */
export interface RunEnd {
	run: string
	epoch: number
	entries: Entry[]
	outcome: RunOutcome
	usage: Usage
}

/** Of an `Idempotency-Key`, and a digest of the inputs it was first sent with. */
export type Idempotency = { key: string; body: string } | null

/** The runs this host executes: begun here, written here, ended here. */
export interface RunEngine {
	parts: RunParts
	feed: Feed
	live: Map<string, LiveRun>
	/** Throws `overloaded` where this host has all the runs it may have, or takes none any more. */
	requireRoom(): void
	/** How many runs it may take over from others. */
	room(): number
	/** False: nothing was written (`runInserter` says why). */
	begin(run: LiveRun, rev: number, idempotency: Idempotency): Promise<boolean>
	/** Again, with what of it is committed: after its runtime or its host died. */
	resume(run: LiveRun, journal: Entry[]): void
	/** Another host owns it: stops it without a word. */
	lose(run: LiveRun): void
	cancel(run: LiveRun, reason: string): void
	/**
	 * A run that no runtime executes, and that this host owns, with what of it is committed. Rejects where it could not be
	 * written: claim it again.
	 */
	endByHand(run: LiveRun, journal: Entry[], end: RunEnd): Promise<void>
	calls: {
		'run.commit': (a: Parameters<HostCalls['run.commit']>[0]) => Promise<Record<string, never>>
		'run.end': (a: Parameters<HostCalls['run.end']>[0]) => Promise<Record<string, never>>
	}
	/** Refuses new runs from here on. */
	close(): void
	/** Runs still going are handed over: who waits for one here is answered with the run as it stands. */
	part(): void
	/** Calls `tell` once then, or soon if it was so before. Answers how to take that back. */
	onPart(tell: () => void): () => void
	isParted(): boolean
}

export const terminalTypes: Record<RunOutcome['status'], TerminalEventType> = {
	succeeded: 'run.completed',
	failed: 'run.failed',
	cancelled: 'run.cancelled',
}

export const noUsage: Usage = {
	input_tokens: 0,
	cached_input_tokens: 0,
	output_tokens: 0,
	model_calls: 0,
	tool_calls: 0,
	failed_tool_calls: 0,
	http_calls: 0,
	web_searches: 0,
	usd: 0,
}

/** Another host owns the run. The runtime stops it and sends nothing more. */
export class Fenced extends Error {
	readonly code = 'fenced'
	constructor(run: string) {
		super(`another host owns ${run}`)
	}
}
