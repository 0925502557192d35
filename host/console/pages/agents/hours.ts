import type { DeploymentOverview } from '../../../owner/client/index.ts'
import { hostNow } from '../../data/clock.ts'
import type { Bar } from '../../parts/chart.tsx'

const hourMs = 3_600_000

/** The last 24 hours as bars, named by the local time at which each began. */
export function hourBars(hours: DeploymentOverview['hours'], now = hostNow()): Bar[] {
	const last = Math.floor(now / hourMs) * hourMs
	return hours.map(({ runs, failures, refused }, i) => {
		const at = new Date(last - (hours.length - 1 - i) * hourMs)
		const label = at.toLocaleTimeString([], { hour: '2-digit', minute: '2-digit' })
		return { label, value: runs + refused, bad: failures + refused }
	})
}
