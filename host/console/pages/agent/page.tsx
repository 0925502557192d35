import { useRoute } from 'preact-iso'
import { useAgents } from '../../data/shell.ts'
import { Empty, Page, Shown } from '../../parts/page.tsx'
import { State } from '../../parts/state.tsx'
import { Tabs } from '../../parts/tabs.tsx'
import { tabs } from './tabs.tsx'

/** `/agents/{name}`: one agent, a tab for each of its sides. */
export default function AgentPage() {
	const { params } = useRoute()
	const agents = useAgents()
	const name = params.agent ?? ''
	const at = params.tab ?? ''
	return (
		<Shown of={agents} lines={8}>
			{(all) => {
				const agent = all.find((one) => one.name === name) ?? all.find((one) => one.id === name)
				const tab = tabs.find(({ path }) => path === at)
				if (!agent || !tab)
					return (
						<Page title={name}>
							<Empty title="There is no such agent, or no such tab">
								<a href="/">To the agents</a>
							</Empty>
						</Page>
					)
				const root = `/agents/${encodeURIComponent(agent.name)}`
				const href = (path: string) => (path === '' ? root : `${root}/${path}`)
				return (
					<Page title={agent.name} aside={<State of={agent.state} />} lead={agent.agent.description}>
						<Tabs
							label={`Sides of ${agent.name}`}
							tabs={tabs.map(({ path, title }) => ({ href: href(path), name: title }))}
							at={href(at)}
						/>
						<tab.view agent={agent} changed={agents.reload} />
					</Page>
				)
			}}
		</Shown>
	)
}
