import { InvalidArgumentError } from 'commander'

// Times and durations of all options: `90m`, `24h`, `7d`, RFC 3339 or a date. What is none is wrong usage before any
// host is asked.

export const sinceHelp = 'RFC 3339, a date (UTC), or back from now: 90s, 90m, 24h, 7d'
export const untilHelp = 'RFC 3339, a date (UTC), or from now on: 90s, 90m, 24h, 7d'

const unitMs = { s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 }

/** `--since` as the API takes it. */
export const since = (text: string): string => timeOf(text, -1, sinceHelp)

/** `--expires` as the API takes it. Whether it is over already, the hosts' clock says. */
export const until = (text: string): string => timeOf(text, 1, untilHelp)

/** Seconds of a duration; a number alone is of seconds. */
export function duration(most: number): (text: string) => number {
	return (text) => {
		const ms = msOf(/^\d+(\.\d+)?$/.test(text) ? `${text}s` : text)
		if (ms === undefined || ms > most * 1000)
			throw new InvalidArgumentError(`It takes seconds, or 90m, 24h, 7d; at most ${most} seconds.`)
		return ms / 1000
	}
}

function timeOf(text: string, direction: 1 | -1, help: string): string {
	const ms = msOf(text)
	if (ms !== undefined) return new Date(Date.now() + direction * ms).toISOString()
	const date = /^\d{4}-\d{2}-\d{2}(T\d{2}:\d{2}(:\d{2}(\.\d+)?)?(Z|[+-]\d{2}:\d{2}))?$/i
	const at = new Date(text)
	// A day that a month does not have becomes the next month's.
	const real =
		!Number.isNaN(at.getTime()) &&
		new Date(`${text.slice(0, 10)}T00:00Z`).getUTCDate() === Number(text.slice(8, 10))
	if (!date.test(text) || !real) throw new InvalidArgumentError(`It takes a time: ${help}.`)
	return at.toISOString()
}

function msOf(text: string): number | undefined {
	const [, count, unit] = /^(\d{1,6}(?:\.\d{1,3})?)([smhd])$/.exec(text) ?? []
	return unit === undefined ? undefined : Number(count) * unitMs[unit as keyof typeof unitMs]
}
