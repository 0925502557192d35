import './agent.css'
import { ErrorBoundary, useRoute } from 'preact-iso'
import type { DeploymentWithActivity } from '../../../owner/client/index.ts'
import { useAgents } from '../../data/shell.ts'
import { Empty, Page, Shown } from '../../parts/page.tsx'
import { State } from '../../parts/state.tsx'
import { Tabs } from '../../parts/tabs.tsx'
import { StateChange } from './state/change.tsx'
import { type TabProps, tabs } from './tabs.tsx'

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
				const tab = tabs.find(({ path }) => path === (params.tab ?? ''))
				if (agent && tab)
					return <Sides key={agent.id} agent={agent} changed={agents.reload} at={tab.path} View={tab.view} />
				return (
					<Page title={name}>
						<Empty title="There is no such agent, or no such tab">
							<a href="/">To the agents</a>
						</Empty>
					</Page>
				)
			}}
		</Shown>
	)
}

type SidesProps = TabProps & { at: string; View: (typeof tabs)[number]['view'] }

function Sides({ agent, changed, at, View }: SidesProps) {
	const root = `/agents/${encodeURIComponent(agent.name)}`
	const href = (path: string) => (path === '' ? root : `${root}/${path}`)
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
				tabs={tabs.map(({ path, title }) => ({ href: href(path), name: title }))}
				at={href(at)}
			/>
			<ErrorBoundary key={at}>
				<View agent={agent} changed={changed} />
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
