import type { ResponseHead } from '../../egress/index.ts'

/** How long the provider asks to wait: `retry-after-ms`, or `Retry-After` in seconds or as a date. */
export function askedWaitMs(headers: ResponseHead['headers'], now: number): number | undefined {
	const exact = Number.parseFloat(String(headers['retry-after-ms']))
	if (exact >= 0) return exact
	const after = headers['retry-after']
	if (typeof after !== 'string') return undefined
	const seconds = Number(after)
	const ms = Number.isNaN(seconds) ? Date.parse(after) - now : seconds * 1000
	return Number.isNaN(ms) ? undefined : Math.max(0, ms)
}

/** Some providers say themselves that a retry makes no sense. */
export function refusesRetry(headers: ResponseHead['headers']): boolean {
	return headers['x-should-retry'] === 'false'
}
