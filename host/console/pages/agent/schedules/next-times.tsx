import { Time } from '../../../parts/time.tsx'

/** `Monday, November 23, 2026 at 9:00 AM`, as the clock of the schedule shows it, and how far away that is. */
export function NextTimes({ of: times, zone }: { of: string[]; zone: string }) {
	if (times.length === 0) return <p class="soft">It never comes again.</p>
	const format = formatOf(zone)
	return (
		<ol class="stack tight" aria-label="Next times">
			{times.map((at) => (
				<li key={at} class="row apart">
					<span>{format.format(Date.parse(at))}</span>
					<span class="soft">
						<Time at={at} />
					</span>
				</li>
			))}
		</ol>
	)
}

function formatOf(timeZone: string): Intl.DateTimeFormat {
	const style = { dateStyle: 'full', timeStyle: 'short' } as const
	try {
		return new Intl.DateTimeFormat(undefined, { ...style, timeZone })
	} catch {
		// The browser knows fewer zones than the host: its own is better than none.
		return new Intl.DateTimeFormat(undefined, style)
	}
}
