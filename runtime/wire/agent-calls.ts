/**
 * An agent that calls another one: both are runs, and the callee is an MCP server (host/runs/mcp). These members of a
 * call's `_meta` cross between them, on one host or two; other MCP servers ignore them.
 */

/** How many agents stand above the run that the call begins: 1 where its caller was begun by a program or a person. */
export const DEPTH = 'berth/depth'
/** Of the call: made again with it, the call attaches to the run that it has begun. */
export const CALL_KEY = 'berth/idempotency-key'

/** A run deeper than this is refused: an agent that requires itself, by whatever way, ends there. */
export const MAX_DEPTH = 8

/**
 * In the capabilities (`experimental`) of a server: it is an agent of a Berth, that is, it keeps to an allowance and
 * reports what was spent. No other server is told one.
 */
export const AGENT = 'berth/agent'
/** Of the call: an `Allowance`. */
export const ALLOWANCE = 'berth/allowance'
/** Of the result: `Spent`, by the run and all runs below it. */
export const SPENT = 'berth/spent'

/** What a run may use at most because of a run above it: the one whose limit it is. */
export interface Share {
	left: number
	run: string
}

/** `usd` is there where a run above has such a limit. */
export interface Allowance {
	tokens: Share
	usd?: Share
}

export interface Spent {
	tokens: number
	/** Null: the price is not known. */
	usd: number | null
}

/** In the entry that ends the call. */
export interface ShareSpent extends Spent {
	/** Nobody reported: it is all that the call might use. */
	unreported?: true
}

export function unreported({ tokens, usd }: Allowance): ShareSpent {
	return { tokens: tokens.left, usd: usd?.left ?? null, unreported: true }
}
