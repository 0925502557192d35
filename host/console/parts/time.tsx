import { signal } from '@preact/signals'
import { hostNow } from '../data/clock.ts'
import { duration, exact, relative } from '../data/format.ts'

const tickMs = 10_000
/** One for every time on a page. */
const ticks = signal(0)
setInterval(() => {
	if (!document.hidden) ticks.value++
}, tickMs)

/** What reads it is drawn again with each tick. */
function ticking(): number {
	void ticks.value
	return hostNow()
}

/** `3 min ago`, the exact time on hover. A dash for what has not happened. */
export function Time({ at }: { at: string | null | undefined }) {
	if (!at) return <span class="soft">–</span>
	const ms = Date.parse(at)
	return (
		<time dateTime={at} title={exact(ms)} class="nowrap">
			{relative(ms, ticking())}
		</time>
	)
}

/** From one time to another; still going where there is no end. */
export function Took({ from, to }: { from: string | null; to: string | null }) {
	if (!from) return <span class="soft">–</span>
	const end = to ? Date.parse(to) : ticking()
	return <span class="nowrap">{duration(Math.max(0, end - Date.parse(from)))}</span>
}
