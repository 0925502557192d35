import type { Spent } from './agent-calls.ts'

/** A run as it is written down and ends. Host and runtime hold it in the same shapes. */

/** One line of a run's journal. The journal is the event log: what streams and webhooks show is read from it. */
export interface Entry {
	/** 1, 2, 3 … within the run: the `id` of the event in a stream, which has gaps for entries that are not shown. */
	seq: number
	at: number
	type: EventType
	/** Number of the effect this entry belongs to, in the order the guest issued them. */
	effect?: number
	/** On the entry that opens an effect: `sha256:` digest of method and arguments, for replay. */
	digest?: string
	/**
	 * On the entry that ends an effect: the JSON text delivered to the guest. On a connector's question: what its call goes on
	 * with (runtime/process/engine/questions.ts). Never part of the shown event.
	 */
	result?: string
	/** On the entry that ends an effect: false where the guest is to see a rejection (`result` is then the error). */
	ok?: boolean
	data: Record<string, unknown>
}

/**
 * The events of a run (spec event.vocabulary). `effect.*` entries are journal only: they are needed for replay and
 * never shown.
 */
export type EventType =
	| 'run.started'
	| 'model.started'
	| 'model.delta'
	| 'model.retrying'
	| 'model.completed'
	| 'tool.started'
	| 'tool.completed'
	| 'http.started'
	| 'http.completed'
	| 'memory.changed'
	| 'log'
	| 'approval.requested'
	| 'approval.decided'
	| 'run.waiting'
	| 'budget.warning'
	| 'effect.started'
	| 'effect.completed'
	| TerminalEventType

export type TerminalEventType = 'run.completed' | 'run.failed' | 'run.cancelled'

export type RunErrorCode =
	| 'provider_auth_failed'
	| 'provider_rate_limited'
	| 'provider_unavailable'
	| 'connector_unavailable'
	| 'connector_not_connected'
	| 'credentials_missing'
	| 'http_unavailable'
	| 'http_limit_reached'
	| 'tool_missing'
	| 'output_invalid'
	| 'time_limit_reached'
	| 'step_limit_reached'
	| 'token_limit_reached'
	| 'output_limit_reached'
	| 'memory_limit_reached'
	| 'cpu_limit_reached'
	| 'agent_error'
	| 'outcome_unknown'
	| 'replay_diverged'
	| 'cost_limit_reached'
	| 'budget_reached'
	| 'approval_denied'
	| 'platform_provider_refused'
	| 'cancelled'

export interface Usage {
	input_tokens: number
	cached_input_tokens: number
	output_tokens: number
	model_calls: number
	tool_calls: number
	/** Tool calls whose result is a failure. */
	failed_tool_calls: number
	/** Requests of `ctx.http` that were sent. */
	http_calls: number
	/** Searches that providers made for model calls. */
	web_searches: number
	/** Null: of one of its calls the price is not known. */
	usd: number | null
	/**
	 * By the agents that it called, and those below, as they report; absent where it called none. In none of the other sums.
	 * `unreported`: all that was left to those that did not report, which may have used less.
	 */
	agents?: Spent & { unreported?: Spent }
}

export type RunOutcome =
	| { status: 'succeeded'; output: string /* JSON text */; citations?: string /* JSON text, absent: none */ }
	| { status: 'failed'; error: { code: RunErrorCode; message: string } }
	| { status: 'cancelled'; error: { code: 'cancelled'; message: string } }
