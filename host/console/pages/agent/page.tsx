import './agent.css'
import { ErrorBoundary, useRoute } from 'preact-iso'
import type { DeploymentWithActivity } from '../../../owner/client/index.ts'
import { useAgents } from '../../data/shell.ts'
import { agentSides, sideAt } from '../../data/sides.ts'
import { Empty, Page, Shown } from '../../parts/page.tsx'
import { State } from '../../parts/state.tsx'
import { Tabs } from '../../parts/tabs.tsx'
import { StateChange } from './state/change.tsx'
import { type TabProps, views } from './tabs.tsx'

const refreshMs = 30_000

/** `/agents/{name}`: one agent, a tab for each of its sides. */
export default function AgentPage() {
	const { params } = useRoute()
	const agents = useAgents(refreshMs)
	const name = params.agent ?? ''
	return (
		<Shown of={agents} lines={8}>
			{(all) => {
				const agent = all.find((one) => one.name === name) ?? all.find((one) => one.id === name)
				const at = params.tab ?? ''
				if (agent) return <Sides key={agent.id} agent={agent} changed={agents.reload} at={at} />
				return (
					<Page title={name}>
						<Empty title="There is no such agent">
							<a href="/">To the agents</a>
						</Empty>
					</Page>
				)
			}}
		</Shown>
	)
}

function Sides({ agent, changed, at }: TabProps & { at: string }) {
	const root = `/agents/${encodeURIComponent(agent.name)}`
	const href = (path: string) => sideAt(root, path)
	const side = agentSides.find(([path]) => path === at)?.[0]
	const View = side === undefined ? undefined : views[side]
	return (
		<Page
			title={agent.name}
			aside={
				<>
					<State of={agent.state} />
					<a class="tag" href={href('versions')}>
						v{agent.version}
					</a>
					<span class="tag">{agent.place}</span>
				</>
			}
			lead={<Lead of={agent} />}
			actions={<StateChange agent={agent} changed={changed} />}
		>
			<Tabs
				label={`Sides of ${agent.name}`}
				tabs={agentSides.map(([path, name]) => ({ href: href(path), name }))}
				at={href(at)}
			/>
			<ErrorBoundary key={at}>
				{View ? <View agent={agent} changed={changed} /> : <Empty title="There is no such tab" />}
			</ErrorBoundary>
		</Page>
	)
}

function Lead({ of: { agent, state_reason, place, place_alive } }: { of: DeploymentWithActivity }) {
	if (!agent.description && !state_reason && place_alive) return null
	return (
		<>
			{agent.description && <p>{agent.description}</p>}
			{state_reason && <p>{state_reason}</p>}
			{!place_alive && (
				<p>No host of the place {place} is alive: its address does not answer, and nothing of it runs.</p>
			)}
		</>
	)
}
