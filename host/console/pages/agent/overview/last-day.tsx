import type { DeploymentOverview, DeploymentWithActivity } from '../../../../owner/client/index.ts'
import { dollars, rough } from '../../../data/format.ts'
import { Bars } from '../../../parts/chart.tsx'
import { State } from '../../../parts/state.tsx'
import { Time } from '../../../parts/time.tsx'
import { hourBars } from '../../agents/hours.ts'

const chartHeight = 88

export function LastDay({
	agent: { name, activity },
	overview,
}: {
	agent: DeploymentWithActivity
	overview: DeploymentOverview
}) {
	const of = encodeURIComponent(name)
	const { usd_month, budget_usd_month } = overview
	return (
		<div class="stack">
			<div class="hours">
				<Bars bars={hourBars(overview.hours)} unit="run" tall={chartHeight} />
			</div>
			<dl class="figures">
				<div>
					<dt>Runs</dt>
					<dd>
						<a href={`/runs?agent=${of}`}>{rough(activity.runs_24h)}</a>
					</dd>
				</div>
				<div>
					<dt>Failed</dt>
					<dd>
						<a href={`/failures?agent=${of}`}>{rough(activity.failed_24h)}</a>
					</dd>
				</div>
				<div>
					<dt>Refused calls</dt>
					<dd>
						<a href={`/failures?agent=${of}`}>{rough(activity.refused_24h)}</a>
					</dd>
				</div>
				<div>
					<dt>Spent this month</dt>
					<dd>
						<a href={`/agents/${of}/budget`}>
							{dollars(usd_month)}
							{budget_usd_month !== null && ` of ${dollars(budget_usd_month)}`}
						</a>
					</dd>
				</div>
				<div>
					<dt>Last run</dt>
					<dd>
						{activity.last_run ? (
							<a href={`/runs/${activity.last_run.id}`}>
								<State of={activity.last_run.status} />
							</a>
						) : (
							'–'
						)}
					</dd>
				</div>
				<div>
					<dt>Next scheduled run</dt>
					<dd>
						<a href={`/agents/${of}/schedules`}>
							<Time at={overview.next_run_at} />
						</a>
					</dd>
				</div>
			</dl>
		</div>
	)
}
