import { setTimeout as sleep } from 'node:timers/promises'

const FIRST_MS = 100
/** While it waits, a tool call that is not repeatable is not recorded as done. */
const MAX_MS = 500
/** Trying again does not help: the run is another host's, the host is gone, the message can never be sent, there is no such thing. */
const FINAL = new Set<unknown>(['fenced', 'closed', 'frame_too_large', 'not_found', 'bundle_missing'])

/**
 * Asks the host until it can: a database that is away for a while costs a run time and nothing else. Ends with the host,
 * whose pipe closes then. The host takes the same entries twice as once, so a lost answer does no harm. Every call of the
 * runtime that is asked until it is answered uses this; p-retry 9.0.0 would add two packages and take as many lines.
 */
export async function untilDone<T>(ask: () => Promise<T>): Promise<T> {
	for (let wait = FIRST_MS; ; wait = Math.min(wait * 2, MAX_MS)) {
		try {
			return await ask()
		} catch (error) {
			if (FINAL.has((error as { code?: unknown }).code)) throw error
		}
		await sleep(wait)
	}
}

/** How long a server asks to wait: `retry-after-ms`, or `Retry-After` in seconds or as a date. */
export function askedWaitMs(headers: Record<string, unknown>, now: number): number | undefined {
	const exact = Number.parseFloat(String(headers['retry-after-ms']))
	if (exact >= 0) return exact
	const after = headers['retry-after']
	if (typeof after !== 'string') return undefined
	const seconds = Number(after)
	const ms = Number.isNaN(seconds) ? Date.parse(after) - now : seconds * 1000
	return Number.isNaN(ms) ? undefined : Math.max(0, ms)
}
