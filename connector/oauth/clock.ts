/**
 * The time that all hosts share, for what is dated and judged here. The OAuth library takes it, too, as it is built in
 * (.tools/mend.mjs): a host whose own clock is wrong would hold every token of the others for over.
 */
let shared: () => number = Date.now

export function useClock(now: () => number): void {
	shared = now
}

/** In ms. */
export const now = () => shared()

/** In whole seconds. */
export const epochTime = (ms = now()) => Math.floor(ms / 1000)
