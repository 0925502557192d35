import { Cron } from 'croner'

// The times of a cron expression in a time zone. The console shows them before a schedule is saved, so both have them here.

export interface CronTimes {
	/** Null: there is none any more. */
	after(at: Date): Date | null
	/** The next `count` of them. */
	list(count: number, from: Date): Date[]
}

const options = { mode: '5-part', paused: true } as const
const minuteMs = 60_000
/** No zone puts its clocks forward and back again within it. */
const stepMs = 14 * 1440 * minuteMs

/**
 * Where clocks are put forward, all times that do not exist are one time, at the end of the gap; croner moves only an
 * expression of a single hour and minute. With `*` as the hour nothing is moved: the next hour has a time of its own.
 * Where clocks are put back, times that are named one by one come at their first passing, and repeating ones (`*`, a
 * step, a range) at both.
 */
export function cronTimes(cron: string, timezone: string): CronTimes {
	const times = new Cron(cron, { ...options, timezone })
	const clock = new Cron(cron, { ...options, timezone: 'UTC' })
	const everyHour = cron.split(' ')[1] === '*'
	const offset = everyHour ? () => 0 : offsetOf(timezone)
	const lost = ({ at, ms }: Gap) => {
		const end = at + offset(at)
		const time = clock.nextRun(new Date(end - ms - 1000))
		return time !== null && time.getTime() < end
	}
	const repeats = /[*/-]/.test(cron.split(' ', 2).join(''))
	const second = repeats ? () => false : secondPassing(offsetOf(timezone))
	const passing = (at: Date) => {
		let next = times.nextRun(at)
		while (next !== null && second(next.getTime())) next = times.nextRun(next)
		return next
	}
	const after = (at: Date) => {
		const next = passing(at)
		if (next === null) return null
		for (const gap of gaps(offset, at.getTime(), next.getTime())) if (lost(gap)) return new Date(gap.at)
		return next
	}
	const list = (count: number, from: Date) => {
		const found: Date[] = []
		while (found.length < count) {
			const next = after(found.at(-1) ?? from)
			if (next === null) break
			found.push(next)
		}
		return found
	}
	return { after, list }
}

/**
 * Of an expression without a next time. One whose times all lie in gaps is refused, too: croner takes 0.2 s to find that
 * out, at every look.
 */
export function whyNever(cron: string, timezone: string, now: Date): string {
	const isLeftOut = new Cron(cron, { ...options, timezone: 'UTC' }).nextRun(now) !== null
	return isLeftOut
		? `names only times that the clocks of ${timezone} leave out; choose another hour`
		: 'names a time that never comes'
}

/** At its end: how much the clocks leave out there. */
interface Gap {
	at: number
	ms: number
}

/** After `from` and until `to`. */
function* gaps(offset: (at: number) => number, from: number, to: number): Generator<Gap> {
	for (let start = from; start < to; start += stepMs) {
		const before = offset(start)
		let [low, high] = [start, Math.min(start + stepMs, to)]
		const ms = offset(high) - before
		if (ms <= 0) continue
		while (high - low > 1) {
			const middle = Math.floor((low + high) / 2)
			if (offset(middle) === before) low = middle
			else high = middle
		}
		yield { at: high, ms }
	}
}

/** Whether the clocks of a zone have shown the same before, up to a day ago. */
const secondPassing = (offset: (at: number) => number) => (at: number) => {
	const first = at + offset(at) - offset(at - 1440 * minuteMs)
	return first < at && first + offset(first) === at + offset(at)
}

/** How far the clocks of a zone are ahead of UTC, in ms. */
function offsetOf(timeZone: string): (at: number) => number {
	const format = new Intl.DateTimeFormat('en', { timeZone, timeZoneName: 'longOffset' })
	return (at) => {
		const [, sign, hours = '0', minutes = '0'] = /GMT([+-])(\d+):(\d+)/.exec(format.format(at)) ?? []
		return (sign === '-' ? -1 : 1) * (Number(hours) * 60 + Number(minutes)) * minuteMs
	}
}
