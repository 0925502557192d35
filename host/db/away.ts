/** The driver's, the socket's and Postgres's own ways to say so; a start or stop of it, no connection left. */
const codes =
	/^(CONNECTION_(CLOSED|ENDED|DESTROYED)|CONNECT_TIMEOUT|ECONNREFUSED|ECONNRESET|EPIPE|ENOENT|57P0[123]|53300)$/

/** The database does not answer just now. Nobody knows whether a statement that fails so was executed. */
export const isAway = (error: unknown): boolean => codes.test((error as { code?: string } | null)?.code ?? '')

/** Disk or memory is full (class 53): nothing was written, and the same may succeed once there is room. */
export const isFull = (error: unknown): boolean =>
	/^53[124]00$/.test((error as { code?: string } | null)?.code ?? '')
