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
