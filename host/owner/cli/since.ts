import { InvalidArgumentError } from 'commander'

export const sinceHelp = 'RFC 3339, a date (UTC), or back from now: 90m, 24h, 7d'

const unitMs = { m: 60_000, h: 3_600_000, d: 86_400_000 }

/** `--since` as the API takes it. What is no time is wrong usage before any host is asked. */
export function since(text: string): string {
	const [, count, unit] = /^(\d{1,5})([mhd])$/.exec(text) ?? []
	if (unit) return new Date(Date.now() - Number(count) * unitMs[unit as keyof typeof unitMs]).toISOString()
	const date = /^\d{4}-\d{2}-\d{2}(T\d{2}:\d{2}(:\d{2}(\.\d+)?)?(Z|[+-]\d{2}:\d{2}))?$/i
	const at = new Date(text)
	// A day that a month does not have becomes the next month's.
	const real =
		!Number.isNaN(at.getTime()) &&
		new Date(`${text.slice(0, 10)}T00:00Z`).getUTCDate() === Number(text.slice(8, 10))
	if (!date.test(text) || !real) throw new InvalidArgumentError(`It takes a time: ${sinceHelp}.`)
	return at.toISOString()
}
