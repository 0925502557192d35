import { client } from '../../../data/client.ts'
import { count, plural } from '../../../data/format.ts'
import { useList } from '../../../data/list.ts'
import { useLoad } from '../../../data/load.ts'
import { Bars } from '../../../parts/chart.tsx'
import { More } from '../../../parts/more.tsx'
import { Failure } from '../../../parts/note.tsx'
import { Card, Empty, Shown } from '../../../parts/page.tsx'
import { Table } from '../../../parts/table.tsx'
import { Time } from '../../../parts/time.tsx'

const chartTall = 72

/** What the guard was used for, and every change of the credits. */
export default function Credits() {
	return (
		<div class="stack">
			<Usage />
			<Ledger />
		</div>
	)
}

function Usage() {
	const usage = useLoad('guard-usage', () => client.account.guardUsage())
	return (
		<Card title="Guard, last 30 days">
			<Shown of={usage} lines={3}>
				{({ days }) => {
					const sum = (of: 'calls' | 'tokens' | 'credits') => days.reduce((all, day) => all + day[of], 0)
					return (
						<div class="stack tight">
							<Bars
								bars={days.map(({ day, calls }) => ({ label: day, value: calls }))}
								unit="call"
								tall={chartTall}
							/>
							<p class="soft">
								{plural(sum('calls'), 'call')}, {plural(sum('tokens'), 'token')},{' '}
								{plural(sum('credits'), 'credit')}
							</p>
						</div>
					)
				}}
			</Shown>
		</Card>
	)
}

function Ledger() {
	const ledger = useList('ledger', (cursor) => client.account.ledger({ ...(cursor && { cursor }) }))
	return (
		<Card title="Ledger">
			<Failure of={ledger.error} />
			{ledger.rows?.length === 0 && <Empty title="No credit was given or used yet" />}
			{ledger.rows && ledger.rows.length > 0 && (
				<Table
					label="Changes of the credits"
					columns={[
						{ head: 'When', cell: ({ at }) => <Time at={at} /> },
						{ head: 'What for', cell: ({ reason }) => reason },
						{
							head: 'Credits',
							cell: ({ amount }) => (amount > 0 ? `+${count(amount)}` : count(amount)),
							number: true,
						},
						{ head: 'Balance', cell: ({ balance }) => count(balance), number: true },
					]}
					rows={ledger.rows}
					id={({ id }) => id}
					more={<More of={ledger} />}
				/>
			)}
		</Card>
	)
}
