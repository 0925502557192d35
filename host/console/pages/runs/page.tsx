import './runs.css'
import { useSignal } from '@preact/signals'
import type { AccountRun } from '../../../owner/client/index.ts'
import { sinceTime, useFilters } from '../../data/address.ts'
import { client } from '../../data/client.ts'
import { useList } from '../../data/list.ts'
import { useAgents } from '../../data/shell.ts'
import {
	AgentFilter,
	ClearFilters,
	CodeFilter,
	Filter,
	KeyFilter,
	SinceFilter,
} from '../../parts/filters.tsx'
import { More } from '../../parts/more.tsx'
import { Failure } from '../../parts/note.tsx'
import { Empty, Page, Skeleton } from '../../parts/page.tsx'
import { runColumns } from '../../parts/run-columns.tsx'
import { State } from '../../parts/state.tsx'
import { type Column, Table } from '../../parts/table.tsx'
import { Time } from '../../parts/time.tsx'

const pageMax = 50
const liveMs = 3_000
const restMs = 15_000
const statuses: [string, string][] = [
	['', 'All runs'],
	['live', 'Live'],
	['succeeded', 'Succeeded'],
	['failed', 'Failed'],
	['cancelled', 'Cancelled'],
]

/** `/runs`: runs of all agents, newest first, by what the address names. */
export default function Runs() {
	const { of: chosen, set } = useFilters<keyof Chosen>()
	const agents = useAgents()
	const everyMs = useSignal(liveMs)
	const agent = agents.data?.find(({ name }) => name === chosen.agent)
	const unknown = chosen.agent !== undefined && agents.data !== undefined && !agent
	const runs = useList(
		`all runs ${JSON.stringify(chosen)} ${agent?.id}`,
		async (cursor) => {
			if (chosen.agent !== undefined && !agent) return { data: [], next_cursor: null }
			const since = sinceTime(chosen.since)
			return client.runs.all({
				status: chosen.status ?? (chosen.code ? 'failed' : 'all'),
				limit: pageMax,
				...(agent && { deployment: agent.id }),
				...(chosen.code && { code: chosen.code }),
				...(chosen.key && { key: chosen.key }),
				...(since !== undefined && { since }),
				...(cursor && { cursor }),
			})
		},
		everyMs.value,
	)
	const { rows } = runs
	const live = rows?.some(({ completed_at }) => completed_at === null)
	const next = live ? liveMs : restMs
	if (rows && everyMs.peek() !== next) everyMs.value = next
	const any = Object.keys(chosen).length > 0
	return (
		<Page title="Runs">
			<Filters of={chosen} set={set} agents={agents.data ?? []} />
			<Failure of={runs.error ?? agents.error} />
			{unknown ? (
				<Empty title={`No agent is called ${chosen.agent}`} />
			) : rows === undefined || (chosen.agent !== undefined && !agent) ? (
				runs.error === undefined && <Skeleton lines={10} />
			) : rows.length === 0 ? (
				<Empty title={any ? 'No run fits these filters' : 'There are no runs yet'}>
					<p class="soft">
						{any ? 'Choose a longer time or another status.' : 'Call an agent with its run key, or try it.'}
					</p>
				</Empty>
			) : (
				<Table
					label="Runs"
					columns={columns}
					rows={rows}
					id={({ id }) => id}
					href={({ id }) => `/runs/${id}`}
					more={<More of={runs} />}
				/>
			)}
		</Page>
	)
}

type Chosen = Partial<Record<'status' | 'agent' | 'code' | 'key' | 'since', string>>

interface FiltersProps {
	of: Chosen
	set(changes: Chosen): void
	agents: { id: string; name: string }[]
}

function Filters({ of: chosen, set, agents }: FiltersProps) {
	return (
		<div class="chips">
			<Filter
				label="Status"
				options={statuses}
				value={chosen.status}
				onChoice={(status) => set({ status })}
			/>
			<AgentFilter agents={agents} value={chosen.agent} onChoice={(agent) => set({ agent, key: '' })} />
			<KeyFilter
				agent={agents.find(({ name }) => name === chosen.agent)?.id}
				value={chosen.key}
				onChoice={(key) => set({ key })}
			/>
			<CodeFilter value={chosen.code} onChoice={(code) => set({ code })} />
			<SinceFilter value={chosen.since} standard="" onChoice={(since) => set({ since })} />
			<ClearFilters
				shown={Object.keys(chosen).length > 0}
				onClear={() => set({ status: '', agent: '', code: '', key: '', since: '' })}
			/>
		</div>
	)
}

const startLength = 4
const endLength = 8

/** Whole, or its end where the page is narrow: ids of the same time begin alike. */
function RunId({ of: id }: { of: string }) {
	return (
		<code class="run-id nowrap">
			{id.slice(0, startLength)}
			<span class="middle">{id.slice(startLength, -endLength)}</span>
			<span class="end">{id.slice(-endLength)}</span>
		</code>
	)
}

const columns: Column<AccountRun>[] = [
	{ head: 'Run', cell: ({ id }) => <RunId of={id} /> },
	{ head: 'Agent', cell: ({ deployment_name }) => deployment_name },
	{ head: 'Status', cell: ({ status }) => <State of={status} /> },
	runColumns.error,
	runColumns.version,
	{ head: 'Accepted', cell: ({ created_at }) => <Time at={created_at} />, minor: true },
	runColumns.took,
]
