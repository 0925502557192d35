import './agents.css'
import { useSignal } from '@preact/signals'
import type { DeploymentOverview, DeploymentWithActivity } from '../../../owner/client/index.ts'
import { dollars, rough } from '../../data/format.ts'
import { useAgents, useOverview } from '../../data/shell.ts'
import { LinkButton } from '../../parts/button.tsx'
import { CancelDeployment } from '../../parts/cancel-deployment.tsx'
import { Bars } from '../../parts/chart.tsx'
import { Page, Shown } from '../../parts/page.tsx'
import { Search } from '../../parts/search.tsx'
import { State } from '../../parts/state.tsx'
import { type Column, Table } from '../../parts/table.tsx'
import { Time } from '../../parts/time.tsx'
import { FirstAgent } from './first-agent.tsx'
import { hourBars } from './hours.ts'

const refreshMs = 30_000

interface Row {
	agent: DeploymentWithActivity
	overview: DeploymentOverview | undefined
	changed(): Promise<void>
}

/** `/`: every agent, what it did in the last day, and what it needs. */
export function Agents() {
	const agents = useAgents(refreshMs)
	const overview = useOverview()
	return (
		<Page
			title="Agents"
			actions={
				<span class="phone-only">
					<LinkButton href="/deploy" kind="primary" icon="plus">
						Deploy agent
					</LinkButton>
				</span>
			}
		>
			<Shown of={agents} lines={8}>
				{(all) =>
					all.length === 0 ? (
						<FirstAgent />
					) : (
						<List
							rows={all.map((agent) => ({
								agent,
								overview: overview.data?.deployments[agent.id],
								changed: agents.reload,
							}))}
						/>
					)
				}
			</Shown>
		</Page>
	)
}

function List({ rows }: { rows: Row[] }) {
	const text = useSignal('')
	const wanted = text.value.trim().toLowerCase()
	const shown = rows.filter(({ agent }) => wordsOf(agent).includes(wanted))
	return (
		<>
			<div class="chips">
				<Search label="Search agents" hint="Search by name, state or place" text={text} />
			</div>
			<Table
				label="Agents"
				columns={columns}
				rows={shown}
				id={({ agent }) => agent.id}
				href={({ agent }) => addressOf(agent)}
				more={shown.length === 0 && <p class="table-end soft">No agent is called that.</p>}
			/>
		</>
	)
}

const addressOf = ({ id, name, state }: DeploymentWithActivity) =>
	state === 'creating' ? `/deploy?deployment=${id}` : `/agents/${encodeURIComponent(name)}`

const wordsOf = ({ name, state, place, agent }: DeploymentWithActivity) =>
	`${name} ${state} ${place} ${agent.name}`.toLowerCase()

const columns: Column<Row>[] = [
	{ head: 'Agent', cell: ({ agent }) => agent.name },
	{ head: 'State', cell: (row) => <Needs {...row} /> },
	{ head: 'Version', cell: ({ agent }) => `v${agent.version}`, minor: true },
	{ head: 'Place', cell: ({ agent }) => agent.place, minor: true },
	{
		head: 'Last run',
		cell: ({ agent: { activity } }) =>
			activity.last_run ? (
				<span class="last-run">
					<State of={activity.last_run.status} />
					<Time at={activity.last_run.created_at} />
				</span>
			) : (
				<span class="soft">–</span>
			),
		minor: true,
	},
	{
		head: 'Runs, 24 h',
		cell: ({ overview }) => overview && <Bars bars={hourBars(overview.hours)} unit="run" />,
		minor: true,
	},
	{ head: 'Runs', cell: ({ agent }) => rough(agent.activity.runs_24h), number: true, minor: true },
	{
		head: 'Failed',
		cell: ({ agent: { activity, name } }) => <Bad count={activity.failed_24h} agent={name} />,
		number: true,
	},
	{
		head: 'Refused calls',
		cell: ({ agent: { activity, name } }) => <Bad count={activity.refused_24h} agent={name} />,
		number: true,
		minor: true,
	},
	{
		head: 'Spent this month',
		cell: ({ overview }) => (overview ? <Spent of={overview} /> : null),
		number: true,
		minor: true,
	},
	{ head: 'Next run', cell: ({ overview }) => <Time at={overview?.next_run_at} />, minor: true },
]

function Bad({ count, agent }: { count: number; agent: string }) {
	if (count === 0) return <span class="soft">0</span>
	return (
		<a class="bad-figure" href={`/failures?agent=${encodeURIComponent(agent)}`}>
			{rough(count)}
		</a>
	)
}

function Needs({ agent, overview, changed }: Row) {
	const { state, name, place, place_alive } = agent
	const needing = state === 'creating' ? 0 : (overview?.credentials_needing.length ?? 0)
	return (
		<span class="row">
			<State of={state} />
			{!place_alive && <span class="tag bad">no host of {place}</span>}
			{state === 'creating' && (
				<>
					<a class="tag" href={addressOf(agent)}>
						continue
					</a>
					<CancelDeployment deployment={agent} small changed={changed} />
				</>
			)}
			{needing > 0 && (
				<a class="tag warn" href={`/agents/${encodeURIComponent(name)}/credentials`}>
					{needing === 1 ? 'credential' : `${needing} credentials`}
				</a>
			)}
			{overview && overview.approvals_waiting > 0 && (
				<a class="tag warn" href="/approvals">
					approval
				</a>
			)}
		</span>
	)
}

function Spent({ of: { usd_month, budget_usd_month } }: { of: DeploymentOverview }) {
	if (usd_month === null && budget_usd_month === null) return <span class="soft">–</span>
	return (
		<>
			{dollars(usd_month)}
			{budget_usd_month !== null && <span class="soft"> of {dollars(budget_usd_month)}</span>}
		</>
	)
}
