import { useLocation } from 'preact-iso'
import { client } from '../../../data/client.ts'
import { type Listed, useList } from '../../../data/list.ts'
import { LinkButton } from '../../../parts/button.tsx'
import { More } from '../../../parts/more.tsx'
import { Failure } from '../../../parts/note.tsx'
import { Empty, Skeleton } from '../../../parts/page.tsx'
import { runColumns } from '../../../parts/run-columns.tsx'
import { State } from '../../../parts/state.tsx'
import { type Column, Table } from '../../../parts/table.tsx'
import { Time } from '../../../parts/time.tsx'
import type { TabProps } from '../tabs.tsx'

const pageMax = 25
const refreshMs = 10_000
const statuses = {
	all: 'All',
	live: 'Live',
	succeeded: 'Succeeded',
	failed: 'Failed',
	cancelled: 'Cancelled',
}

type Row = Awaited<ReturnType<typeof client.runs.all>>['data'][number]

/** Runs of this agent, newest first. The page of all runs has more filters. */
export default function Runs({ agent }: TabProps) {
	const { query, route } = useLocation()
	const status = query.status !== undefined && query.status in statuses ? query.status : 'all'
	const runs = useList(
		`runs ${agent.id} ${status}`,
		(cursor) => client.runs.all({ status, deployment: agent.id, limit: pageMax, ...(cursor && { cursor }) }),
		refreshMs,
	)
	const root = `/agents/${encodeURIComponent(agent.name)}`
	return (
		<>
			<div class="chips">
				<select
					aria-label="Status"
					value={status}
					onChange={(event) => route(`${root}/runs?status=${event.currentTarget.value}`, true)}
				>
					{Object.entries(statuses).map(([value, title]) => (
						<option key={value} value={value}>
							{title}
						</option>
					))}
				</select>
				<LinkButton small kind="quiet" href={`/runs?agent=${encodeURIComponent(agent.name)}`}>
					All filters
				</LinkButton>
			</div>
			<Failure of={runs.error} />
			<Rows of={runs} root={root} />
		</>
	)
}

function Rows({ of: runs, root }: { of: Listed<Row>; root: string }) {
	if (!runs.rows) return runs.error === undefined ? <Skeleton lines={8} /> : null
	if (runs.rows.length === 0)
		return (
			<Empty title="No runs yet">
				<p>Run it from here, or call its address with a run key.</p>
				<LinkButton href={`${root}/try`}>Try it</LinkButton>
			</Empty>
		)
	return (
		<Table
			label="Runs"
			columns={columns}
			rows={runs.rows}
			id={({ id }) => id}
			href={({ id }) => `/runs/${id}`}
			more={<More of={runs} />}
		/>
	)
}

const columns: Column<Row>[] = [
	{ head: 'Run', cell: ({ id }) => <code>{id}</code> },
	{ head: 'Status', cell: ({ status }) => <State of={status} /> },
	runColumns.error,
	runColumns.version,
	{ head: 'Began', cell: ({ created_at }) => <Time at={created_at} />, minor: true },
	runColumns.took,
]
