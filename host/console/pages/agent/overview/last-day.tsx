import type { ComponentChildren } from 'preact'
import type { DeploymentOverview, DeploymentWithActivity } from '../../../../owner/client/index.ts'
import { dollars, rough } from '../../../data/format.ts'
import { Bars } from '../../../parts/chart.tsx'
import { State } from '../../../parts/state.tsx'
import { Time } from '../../../parts/time.tsx'
import { hourBars } from '../../agents/hours.ts'

const chartHeight = 88

interface Props {
	agent: DeploymentWithActivity
	overview: DeploymentOverview
}

/** A bar an hour, and the figures of the day, each with the page that has more of it. */
export function LastDay({ agent: { name, activity }, overview }: Props) {
	const of = encodeURIComponent(name)
	const { usd_month, budget_usd_month } = overview
	const budget = budget_usd_month === null ? '' : ` of ${dollars(budget_usd_month)}`
	const last = activity.last_run
	return (
		<div class="stack">
			<div class="hours">
				<Bars bars={hourBars(overview.hours)} unit="run" tall={chartHeight} />
			</div>
			<dl class="figures">
				<Figure name="Runs" href={`/runs?agent=${of}`}>
					{rough(activity.runs_24h)}
				</Figure>
				<Figure name="Failed" href={`/failures?agent=${of}`}>
					{rough(activity.failed_24h)}
				</Figure>
				<Figure name="Refused calls" href={`/failures?agent=${of}`}>
					{rough(activity.refused_24h)}
				</Figure>
				<Figure name="Spent this month" href={`/agents/${of}/budget`}>
					{dollars(usd_month)}
					{budget}
				</Figure>
				<Figure name="Last run" href={last ? `/runs/${last.id}` : `/agents/${of}/runs`}>
					{last ? <State of={last.status} /> : '–'}
				</Figure>
				<Figure name="Next scheduled run" href={`/agents/${of}/schedules`}>
					<Time at={overview.next_run_at} />
				</Figure>
			</dl>
		</div>
	)
}

function Figure({ name, href, children }: { name: string; href: string; children: ComponentChildren }) {
	return (
		<div>
			<dt>{name}</dt>
			<dd>
				<a href={href}>{children}</a>
			</dd>
		</div>
	)
}
