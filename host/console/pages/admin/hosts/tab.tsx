import { client } from '../../../data/client.ts'
import { count } from '../../../data/format.ts'
import { useLoad } from '../../../data/load.ts'
import { Shown } from '../../../parts/page.tsx'
import { State } from '../../../parts/state.tsx'
import { Table } from '../../../parts/table.tsx'
import { Time } from '../../../parts/time.tsx'

const refreshMs = 5_000

/** Hosts that told the database of themselves, with what they run. */
export default function Hosts() {
	const hosts = useLoad('admin-hosts', () => client.admin.hosts(), refreshMs)
	return (
		<Shown of={hosts}>
			{({ data }) => (
				<Table
					label="Hosts"
					columns={[
						{
							head: 'Host',
							cell: ({ id, current }) => (
								<span class="row">
									<code>{id}</code>
									{current && <span class="tag good">answers you</span>}
								</span>
							),
						},
						{ head: 'Place', cell: ({ place }) => place },
						{
							head: 'Lease',
							cell: ({ lease }) =>
								lease === 'held' ? <State of="active" label="held" /> : <State of="failed" label="lapsed" />,
						},
						{ head: 'Live runs', cell: ({ live_runs }) => count(live_runs), number: true },
						{ head: 'Address', cell: ({ address }) => address ?? '–', minor: true },
						{ head: 'Version', cell: ({ version }) => version ?? '–', minor: true },
						{ head: 'Since', cell: ({ since }) => <Time at={since} />, minor: true },
					]}
					rows={data}
					id={({ id }) => id}
				/>
			)}
		</Shown>
	)
}
