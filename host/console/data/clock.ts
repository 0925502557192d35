// The host's time. A browser's clock may be hours off, and every time that is shown or compared comes from the host.

/** A header tells the second that has begun. */
const secondMs = 1_000
/** Below it the two clocks agree: an answer takes a moment to come. */
const agreeMs = 5_000
let aheadMs = 0

/** In place of Date.now(), wherever it meets a time of the host. */
export const hostNow = (): number => Date.now() + aheadMs

/** From the `Date` header of an answer, which deployments at another origin do not show. */
export function heardTime(date: string | null): void {
	const ahead = Date.parse(date ?? '') + secondMs - Date.now()
	if (!Number.isNaN(ahead)) aheadMs = Math.abs(ahead) < agreeMs ? 0 : ahead
}
