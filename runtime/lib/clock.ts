/**
 * The time that all hosts share: the database's. A host hears it with every renewal of its lease and tells its runtime; in
 * between the monotonic clock goes on. A machine's own clock may be wrong, or be put right at any moment, so it counts only
 * until the first word of the database. Durations are never measured by it.
 */
let base: number | null = null

/** The machine's monotonic clock, the same in all its processes; `performance.now()` begins with each. */
const origin = Number(process.hrtime.bigint()) / 1e6 - performance.now()
export const machineMs = () => origin + performance.now()

/** In ms since 1970. */
export function sharedNow(): number {
	return base === null ? Date.now() : Math.round(base + machineMs())
}

/**
 * It was `now` at some moment between two of `machineMs`. What is held already stays where that fits, so that the time does
 * not jump about by what a message takes.
 */
export function setSharedNow(now: number, from: number, until: number): void {
	base = Math.min(Math.max(base ?? now - until, now - until), now - from)
}

/** A pause longer than this is none of work. */
const PAUSE_MS = 1_000
let stoodStillAt = Number.NEGATIVE_INFINITY

/**
 * Milliseconds that this process was there to work. Where it stood still between two looks (it was stopped, its machine was),
 * little of that counts: nobody could have used the time. Somebody must look more often than every second.
 */
export function workClock(now = () => performance.now()): () => number {
	let lookedAt = now()
	let worked = lookedAt
	return () => {
		const time = now()
		worked += Math.min(time - lookedAt, PAUSE_MS)
		if (time - lookedAt > PAUSE_MS) stoodStillAt = time
		lookedAt = time
		return worked
	}
}

/** Whether a work clock has found so since then, by `performance.now()`: a time-out tells nothing of the other side then. */
export const stoodStillSince = (at: number) => stoodStillAt > at

/** Goes on from `last`, or from now where that is later, by the monotonic clock: it never stands still and never jumps. */
export function clockFrom(date: () => number, last = 0): () => number {
	const offset = Math.max(date(), last) - performance.now()
	return () => Math.round(offset + performance.now())
}
