import type { Agent } from '../../bundles/index.ts'
import type { Entry, RunOutcome, Usage } from '../../runtime/wire/journal.ts'

/** One span of a trace, as it has ended. Times are ms since 1970, in the time that all hosts share. */
export interface Span {
	name: string
	kind: 'server' | 'client' | 'internal'
	traceId: string
	spanId: string
	parentId: string | undefined
	start: number
	end: number
	attributes: Record<string, string | number | string[]>
	/** A code, never the words of an error; null: it went well. */
	error: string | null
}

export interface TracedRun {
	id: string
	deployment: { id: string; name: string; version: number; agent: Pick<Agent, 'model'> }
	version: number
	/** JSON text. */
	inputs: string
	/** Of its caller; null: nobody's trace contains it. */
	traceparent?: string | null
	createdAt: number
}

export interface EndedRun {
	outcome: RunOutcome
	usage: Usage
	completedAt: number
}

/** The spans of one run: each is sent when what it tells of is committed. */
export interface RunTrace {
	/** The run's own, for what it calls. */
	traceparent: string
	take(entries: Entry[]): void
	/** Committed before, and sent by whoever committed it. */
	recall(journal: Entry[]): void
	end(ended: EndedRun): void
}

export interface Traces {
	ofRun(run: TracedRun): RunTrace
	/** Begins a call of the guard; answers how to end it, with a code where it failed. `traceparent`: its caller's. */
	guardCall(tool: string, traceparent: unknown): (error: string | null) => void
	/** Spans since the start. */
	counts(): { exported: number; dropped: number }
	/** Sends what is left, within a bound. */
	stop(): Promise<void>
}
