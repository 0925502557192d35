import { client } from '../../../data/client.ts'
import { useLoad } from '../../../data/load.ts'
import { useOverview } from '../../../data/shell.ts'
import { Id } from '../../../parts/copy.tsx'
import { Card, Facts, Skeleton } from '../../../parts/page.tsx'
import { Request } from '../../../parts/request.tsx'
import { State } from '../../../parts/state.tsx'
import { Time } from '../../../parts/time.tsx'
import { Unpriced } from '../budget/unpriced.tsx'
import type { TabProps } from '../tabs.tsx'
import { agentFacts } from './facts.tsx'
import { LastDay } from './last-day.tsx'
import { Needs } from './needs.tsx'

/** What the agent is, how it is called, what it did in the last day, and what it needs. */
export function Overview({ agent }: TabProps) {
	const overview = useOverview()
	const budgets = useLoad(`budgets ${agent.id}`, () => client.deployments.budgets(agent.id))
	const own = overview.data?.deployments[agent.id]
	return (
		<div class="stack">
			{own && <Needs agent={agent} overview={own} />}
			<Unpriced of={budgets.data?.unpriced_models} />
			<Card title="Last 24 hours">
				{own ? <LastDay agent={agent} overview={own} /> : <Skeleton lines={4} />}
			</Card>
			<Card title="Call it">
				<div class="stack">
					<Id of={agent.url} />
					<Request url={agent.url} name={agent.name} inputs={agent.agent.inputs} />
				</div>
			</Card>
			<div class="columns">
				<Card title="Deployment">
					<Facts
						of={[
							['State', <State key="state" of={agent.state} />],
							...(agent.state_reason ? ([['Reason', agent.state_reason]] as [string, string][]) : []),
							['Since', <Time key="since" at={agent.state_since} />],
							['Place', agent.place],
							['Id', <Id key="id" of={agent.id} />],
							['Deployed', <Time key="created" at={agent.created_at} />],
						]}
					/>
				</Card>
				<Card title="Agent">
					<Facts of={agentFacts(agent)} />
				</Card>
			</div>
		</div>
	)
}
