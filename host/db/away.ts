/** The driver's, the network's and Postgres's own ways to say so; a start or stop of it, no connection left, a standby. */
const away =
	/^(CONNECTION_(CLOSED|ENDED|DESTROYED)|CONNECT_TIMEOUT|E(CONNREFUSED|CONNRESET|PIPE|NOENT|TIMEDOUT|HOSTUNREACH|NETUNREACH|NOTFOUND|AI_AGAIN)|08\w{3}|57P0[1235]|53300|25P0[34]|25006)$/
/** Disk, memory or another resource is used up (class 53): nothing was written. */
const full = /^53[0124]00$/
/** A lock or a time limit of Postgres, a deadlock or a conflict ended the statement: nothing was written. */
const busy = /^(57014|55P03|40P01|40001)$/

const codeOf = (error: unknown): string => String((error as { code?: unknown } | null)?.code ?? '')

/** The database does not answer just now. Nobody knows whether a statement that fails so was executed. */
export const isAway = (error: unknown): boolean => away.test(codeOf(error))

export interface Unavailable {
	/** In words for a caller. */
	detail: string
	retryAfterSeconds: number
}

/** Why the same may succeed a little later; null: it will not, the error is of another kind. */
export function unavailable(error: unknown): Unavailable | null {
	const code = codeOf(error)
	if (away.test(code)) return { detail: 'The database does not answer just now.', retryAfterSeconds: 1 }
	if (full.test(code)) return { detail: 'The database has no room just now.', retryAfterSeconds: 30 }
	if (busy.test(code))
		return { detail: 'The database is busy: a statement waited too long.', retryAfterSeconds: 2 }
	return null
}

/** What an operator can mend, in words after "The database …"; null: a fault of another kind. */
export function mendable(error: unknown): string | null {
	const { code = '', message } = ofPostgres(error)
	if (away.test(code)) return `cannot be reached: ${message || code}`
	if (code.startsWith('28')) return `does not let Berth in: ${message}. Look at user and password.`
	if (code === '3D000') return `is not there: ${message}. Create it, or name another.`
	if (code === '42501') return `does not let Berth make its tables: ${message}`
	return full.test(code) ? `has no room: ${message}. Free some, and start again.` : null
}

/** Drizzle wraps the driver's error. */
function ofPostgres(error: unknown): { code?: string; message: string } {
	const { code, message = '', cause } = (error ?? {}) as { code?: unknown; message?: string; cause?: unknown }
	if (typeof code === 'string' || cause === undefined)
		return { ...(code ? { code: String(code) } : {}), message }
	return ofPostgres(cause)
}
