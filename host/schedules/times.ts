import { sharedNow } from '../../runtime/lib/clock.ts'
import { type CronTimes, cronTimes, whyNever } from '../api/cron-times.ts'
import { Problem } from '../http/errors.ts'

/** Numbers, names, `*`, ranges, lists and steps; croner would take more than cron's five fields mean. */
const field = /^[0-9A-Za-z*,/-]+$/

/**
 * Refuses what is no cron expression of five fields, no time zone, or never comes.
 */
export function readTimes(cron: string, timezone: string): CronTimes {
	const fields = cron.split(/\s+/)
	if (fields.length !== 5)
		throw wrong('cron', 'must have five fields: minute, hour, day of month, month, day of week')
	const odd = fields.find((text) => !field.test(text))
	if (odd !== undefined)
		throw wrong(
			'cron',
			`has a field of other than numbers, names, "*", ",", "-" and "/": ${odd.slice(0, 20)}`,
		)
	if (!isZone(timezone)) throw wrong('timezone', 'must be an IANA time zone, as in Europe/Berlin')
	const times = parse(fields.join(' '), timezone)
	const now = new Date(sharedNow())
	if (times.after(now)) return times
	throw wrong('cron', whyNever(fields.join(' '), timezone, now))
}

function parse(cron: string, timezone: string): CronTimes {
	try {
		return cronTimes(cron, timezone)
	} catch (error) {
		throw wrong('cron', `is not valid: ${(error as Error).message.replace(/^\w+: /, '')}`)
	}
}

/** Fixed offsets, which are no zones, are taken by Intl, too. */
function isZone(name: string): boolean {
	if (!/^[A-Za-z]/.test(name)) return false
	try {
		return new Intl.DateTimeFormat('en', { timeZone: name }) !== null
	} catch {
		return false
	}
}

function wrong(member: string, message: string): Problem {
	return new Problem('invalid_request', `${member} ${message}.`, {
		errors: [{ path: `/${member}`, message }],
	})
}

/** What is to be done about a time that has come. `next`: the one after it. */
export type Due =
	| { fire: true; caughtUp: boolean; next: Date | null }
	| { fire: false; skipped: Date; next: Date | null }

/** The resolution of cron: whoever comes later than this has missed it. */
export const missedAfterMs = 60_000

/**
 * A time is fired when it has come. Where nobody was there for it (no host, or a stopped deployment), `skip` leaves out
 * all that have passed and `run_once` makes one run of them.
 */
export function dueAt(times: CronTimes, missed: 'skip' | 'run_once', at: Date, now: Date): Due {
	const late = now.getTime() - at.getTime() > missedAfterMs
	if (!late) return { fire: true, caughtUp: false, next: times.after(at) }
	if (missed === 'run_once') return { fire: true, caughtUp: true, next: times.after(now) }
	// One that came within the last minute is not missed, and is due at once.
	return { fire: false, skipped: at, next: times.after(new Date(now.getTime() - missedAfterMs - 1)) }
}
