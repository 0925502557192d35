// How figures and times are written, alike on every page.

const second = 1000
const minute = 60 * second
const hour = 60 * minute
const day = 24 * hour

const exactFormat = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'long' })
const dayFormat = new Intl.DateTimeFormat(undefined, { month: 'short', day: 'numeric' })
const yearFormat = new Intl.DateTimeFormat(undefined, { month: 'short', day: 'numeric', year: 'numeric' })
const numberFormat = new Intl.NumberFormat('en-US')

/** `840 ms`, `3.2 s`, `4 min 5 s`, `2 h 10 min`. */
export function duration(ms: number): string {
	if (ms < second) return `${Math.round(ms)} ms`
	if (ms < minute) return `${(ms / second).toFixed(1)} s`
	if (ms < hour) return two(ms, minute, 'min', second, 's')
	if (ms < day) return two(ms, hour, 'h', minute, 'min')
	return two(ms, day, 'd', hour, 'h')
}

function two(ms: number, large: number, largeUnit: string, small: number, smallUnit: string): string {
	const rest = Math.floor((ms % large) / small)
	return `${Math.floor(ms / large)} ${largeUnit}${rest > 0 ? ` ${rest} ${smallUnit}` : ''}`
}

/** `just now`, `3 min ago`, `in 2 h`, `12 Nov`. */
export function relative(at: number, now: number): string {
	const away = Math.abs(now - at)
	const said = (text: string) => (at > now ? `in ${text}` : `${text} ago`)
	if (away < 10 * second) return at > now ? 'in a moment' : 'just now'
	if (away < minute) return said(`${Math.floor(away / second)} s`)
	if (away < hour) return said(`${Math.floor(away / minute)} min`)
	if (away < day) return said(`${Math.floor(away / hour)} h`)
	if (away < 7 * day) return said(`${Math.floor(away / day)} d`)
	const sameYear = new Date(at).getFullYear() === new Date(now).getFullYear()
	return (sameYear ? dayFormat : yearFormat).format(at)
}

/** With the zone, for where the relative one is pointed at. */
export const exact = (at: number): string => exactFormat.format(at)

/** `$0.0042`, `$1.20`: four figures where it is little. Null is a price that is not known. */
export function dollars(usd: number | null): string {
	if (usd === null) return '–'
	if (usd === 0) return '$0.00'
	if (usd < 0.0001) return '< $0.0001'
	return `$${usd < 1 ? usd.toFixed(4) : numberFormat.format(Number(usd.toFixed(2)))}`
}

export const count = (value: number): string => numberFormat.format(value)

/** `12.3k`, `4.1M` where the exact figure does not matter. */
export function rough(value: number): string {
	if (value < 10_000) return count(value)
	return value < 1_000_000 ? `${(value / 1000).toFixed(1)}k` : `${(value / 1_000_000).toFixed(1)}M`
}

export function bytes(value: number): string {
	if (value < 1024) return `${value} B`
	if (value < 1024 * 1024) return `${(value / 1024).toFixed(1)} KiB`
	return `${(value / 1024 / 1024).toFixed(1)} MiB`
}

/** `1 run`, `2 runs`. */
export const plural = (value: number, one: string, many = `${one}s`): string =>
	`${count(value)} ${value === 1 ? one : many}`

/** The first letters of a commit's id; an example comes from no commit. */
export const commitName = (id: string, letters = 7): string =>
	/^0+$/.test(id) ? 'none' : id.slice(0, letters)
