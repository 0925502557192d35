/** Faults of a database that an operator can mend, in words; and a bound for one that never answers. */
import { setTimeout as delay } from 'node:timers/promises'
import { isAway } from './away.ts'

const noRoom = /^53[0124]00$/

/** After "The database …"; null: a fault of another kind. */
export function mendable(error: unknown): string | null {
	const { code = '', message } = ofPostgres(error)
	if (isAway({ code })) return `cannot be reached: ${message || code}`
	if (code.startsWith('28')) return `does not let Berth in: ${message}. Look at user and password.`
	if (code === '3D000') return `is not there: ${message}. Create it, or name another.`
	if (code === '42501') return `does not let Berth make its tables: ${message}`
	return noRoom.test(code) ? `has no room: ${message}. Free some, and start again.` : null
}

/** Drizzle wraps the driver's error. */
function ofPostgres(error: unknown): { code?: string; message: string } {
	const { code, message = '', cause } = (error ?? {}) as { code?: unknown; message?: string; cause?: unknown }
	if (typeof code === 'string' || cause === undefined)
		return { ...(code ? { code: String(code) } : {}), message }
	return ofPostgres(cause)
}

const firstAnswerMs = 30_000

/** The driver's own limit ends once somebody answers: it tries again for ever where that is no Postgres, and hangs up. */
export async function answered<T>(ask: () => Promise<T>, ms = firstAnswerMs): Promise<T> {
	const waiting = new AbortController()
	const late = delay(ms, undefined, { signal: waiting.signal }).then(() => {
		const said = `no Postgres answers there within ${ms / 1000} s`
		throw Object.assign(new Error(said), { code: 'CONNECT_TIMEOUT' })
	})
	try {
		return await Promise.race([ask(), late])
	} finally {
		waiting.abort()
		late.catch(() => undefined)
	}
}
