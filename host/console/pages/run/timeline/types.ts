// A run's events as what a page shows: calls on a time axis, and lines of a log. Times are milliseconds of the epoch.

import type { Citation } from '../../../../owner/client/index.ts'

export interface Said {
	code: string
	message: string
	/** Of a connector's own error. */
	said?: string
}

/** One try of a call. */
export interface Try {
	from: number
	/** Null: not over, as far as the events tell. */
	to: number | null
	/** Why it counts for nothing. */
	error?: Said
	/** Its host went away in the middle of it. */
	lost?: true
}

export interface Tokens {
	input_tokens: number
	cached_input_tokens: number
	output_tokens: number
	web_searches: number
	usd: number | null
}

export type Kind = 'model' | 'tool' | 'http' | 'memory' | 'waiting'
/** `stopped`: the run ended meanwhile. */
export type EffectState = 'running' | 'done' | 'failed' | 'stopped'

export interface Effect {
	id: string
	/** Its number in the events; null where it has none of its own. */
	call: number | null
	kind: Kind
	/** A model, a tool, a method and address, a path, a question. */
	name: string
	connector: string | null
	from: number
	to: number | null
	state: EffectState
	tries: Try[]
	/** The effect that brought it about. */
	parent: string | null
	input?: unknown
	/** Text of a model, so far or whole; output of a tool. */
	output?: unknown
	/** The event holds only its beginning. */
	truncated?: true
	error?: Said
	stop?: string
	/** Of a response. */
	status?: number
	/** Of all tries, as far as it is known. */
	usage?: Tokens
	stack?: string
	/** What a model's answer rests on, and what its provider searched for. */
	citations?: Citation[]
	searches?: unknown
	/** What the guard found in a result. */
	screen?: unknown
	/** Of a decision. */
	decision?: { decision: string; note: string | null; content?: unknown }
	approval?: string
}

export interface Line {
	seq: number
	at: number
	level: string
	message: string
	data?: unknown
	stack?: string
	truncated?: true
}

export interface Timeline {
	/** Of the last event that was taken in. */
	seq: number
	from: number | null
	/** Of the last event. */
	last: number | null
	/** Of the run's end. */
	to: number | null
	effects: Effect[]
	/** Those of them with a number. */
	byCall: Map<number, Effect>
	lines: Line[]
	/** How often it was begun. */
	attempts: number
	/** When the run was begun again: a host was gone, or a decision had come. */
	restarts: { at: number; attempt: number; lost: boolean }[]
	/** Spans in which nothing held the run: it waited for a person. */
	parked: { from: number; to: number | null }[]
	end: { status: string; error?: Said; stack?: string; inFlight: unknown[] } | null
}
