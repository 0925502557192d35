import { signal } from '@preact/signals'
import { duration, exact, relative } from '../data/format.ts'

const tickMs = 10_000
/** One clock for every time on a page. */
const now = signal(Date.now())
setInterval(() => {
	if (!document.hidden) now.value = Date.now()
}, tickMs)

/** `3 min ago`, the exact time on hover. A dash for what has not happened. */
export function Time({ at }: { at: string | null | undefined }) {
	if (!at) return <span class="soft">–</span>
	const ms = Date.parse(at)
	return (
		<time dateTime={at} title={exact(ms)} class="nowrap">
			{relative(ms, Math.max(now.value, Date.now()))}
		</time>
	)
}

/** From one time to another; still going where there is no end. */
export function Took({ from, to }: { from: string | null; to: string | null }) {
	if (!from) return <span class="soft">–</span>
	const end = to ? Date.parse(to) : Math.max(now.value, Date.now())
	return <span class="nowrap">{duration(Math.max(0, end - Date.parse(from)))}</span>
}
