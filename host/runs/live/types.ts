import type { Entry, RunOutcome, TerminalEventType, Usage } from '../../../runtime/wire/journal.ts'
import type { RunStatus } from '../../db/index.ts'
import type { KnownDeployment } from '../../deployments/index.ts'

/** A run as it is stored and shown. JSON is kept as text: it is handed on and never looked into. */
export interface RunRecord {
	id: string
	deployment: string
	version: number
	lineage: string | null
	status: RunStatus
	inputs: string
	output: string | null
	error: { code: string; message: string } | null
	usage: string | null
	created_at: number
	started_at: number | null
	completed_at: number | null
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
	createdAt: number
	startedAt: number | null
	/** When the runtime was told of it last, by `performance.now()`. */
	begunAt: number
	/** Since when it waits for people while a connector's call stays open, by `performance.now()`. */
	heldAt: number | null
	/** Whether its row is known to be there; before that no effect happens. */
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
	usd: 0,
}

/** Another host owns the run. The runtime stops it and sends nothing more. */
export class Fenced extends Error {
	readonly code = 'fenced'
	constructor(run: string) {
		super(`another host owns ${run}`)
	}
}
