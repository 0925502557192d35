import { setTimeout as sleep } from 'node:timers/promises'
import type { ResponseHead } from '../egress/index.ts'

export const RETRIES = 2
const FIRST_WAIT_MS = 500
const LONGEST_WAIT_MS = 60_000

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

/** Some providers say themselves whether a retry makes sense. */
export function askedRetry(headers: ResponseHead['headers']): boolean | undefined {
	const said = headers['x-should-retry']
	return said === 'true' ? true : said === 'false' ? false : undefined
}

/** False where the wait would be longer than anyone has time for. */
export async function waitToRetry(
	attempt: number,
	asked: number | undefined,
	{ signal, deadlineAt }: { signal: AbortSignal; deadlineAt?: number },
): Promise<boolean> {
	const usual = FIRST_WAIT_MS * 2 ** attempt * (1 - Math.random() / 4)
	const ms = asked ?? usual
	const left = deadlineAt === undefined ? LONGEST_WAIT_MS : deadlineAt - Date.now()
	if (ms > Math.min(left, LONGEST_WAIT_MS)) return false
	await sleep(ms, undefined, { signal }).catch(() => signal.throwIfAborted())
	return true
}
