import './failures.css'
import { sinceTime, useFilters } from '../../data/address.ts'
import { client } from '../../data/client.ts'
import { plural } from '../../data/format.ts'
import { useLoad } from '../../data/load.ts'
import { useAgents } from '../../data/shell.ts'
import { AgentFilter, ClearFilters, CodeFilter, KeyFilter, SinceFilter } from '../../parts/filters.tsx'
import { Empty, Page, Shown } from '../../parts/page.tsx'
import { Group } from './group.tsx'

const refreshMs = 15_000

/** `/failures`: what went wrong over all agents, in groups, each with what to do next. */
export default function Failures() {
	const { of: chosen, set } = useFilters<'agent' | 'code' | 'key' | 'since'>()
	const agents = useAgents()
	const agent = agents.data?.find(({ name }) => name === chosen.agent)
	const failures = useLoad(
		`failures ${JSON.stringify(chosen)} ${agent?.id}`,
		async () => {
			// Not one that is still to be looked up.
			if (chosen.agent !== undefined && !agent) return undefined
			return client.overview.failures({
				since: sinceTime(chosen.since ?? '24h'),
				...(agent && { deployment: agent.id }),
				...(chosen.code && { code: chosen.code }),
				...(chosen.key && { key: chosen.key }),
			})
		},
		refreshMs,
	)
	const any = Object.keys(chosen).length > 0
	const unknown = chosen.agent !== undefined && agents.data !== undefined && !agent
	return (
		<Page title="Failures">
			<div class="chips">
				<AgentFilter
					agents={agents.data ?? []}
					value={chosen.agent}
					onChoice={(name) => set({ agent: name, key: '' })}
				/>
				<KeyFilter agent={agent?.id} value={chosen.key} onChoice={(key) => set({ key })} />
				<CodeFilter value={chosen.code} onChoice={(code) => set({ code })} />
				<SinceFilter value={chosen.since} standard="24h" onChoice={(since) => set({ since })} />
				<ClearFilters shown={any} onClear={() => set({ agent: '', code: '', key: '', since: '' })} />
			</div>
			{unknown ? (
				<Empty title={`No agent is called ${chosen.agent}`} />
			) : (
				<Shown of={failures} lines={8}>
					{(found) =>
						found.data.length === 0 ? (
							<Empty title="Nothing failed">
								<p class="soft">
									{any
										? 'Nothing that fits these filters. Choose a longer time.'
										: 'Not in the last 24 hours.'}
								</p>
							</Empty>
						) : (
							<div class="failures">
								<p class="soft" role="status">
									{plural(found.total, 'failure')} in {plural(found.data.length, 'group')}, refused calls
									included{found.truncated && ', and more that are not shown'}
								</p>
								{found.data.map((group) => (
									<Group
										key={`${group.kind} ${group.deployment} ${group.code} ${group.last_run ?? group.message}`}
										of={group}
										onFilter={set}
									/>
								))}
							</div>
						)
					}
				</Shown>
			)}
		</Page>
	)
}
