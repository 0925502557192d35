import type { Account } from '../../../../api/account.ts'
import { count } from '../../../data/format.ts'
import { useAccount } from '../../../data/shell.ts'
import { Card, Facts, Shown } from '../../../parts/page.tsx'
import { State } from '../../../parts/state.tsx'
import { Table } from '../../../parts/table.tsx'
import { Time } from '../../../parts/time.tsx'
import { PasswordCard } from './password.tsx'

/** Plan, slots and who holds them. */
export function Plan() {
	const account = useAccount()
	return (
		<Shown of={account} lines={8}>
			{(shown) => (
				<div class="stack">
					<div class="columns">
						<Card title="Account">
							<Facts
								of={[
									['E-mail', shown.email],
									['Plan', `${shown.plan.name}${shown.plan.paid ? ', paid' : ''}`],
									['Credits', count(shown.credits)],
									['Guard tester', shown.tester ? 'yes' : 'no'],
									['Operator', shown.operator ? 'yes' : 'no'],
									['Since', <Time key="since" at={shown.created_at} />],
								]}
							/>
						</Card>
						<PasswordCard has={shown.has_password} changed={account.set} />
					</div>
					<Slots of={shown.slots} />
				</div>
			)}
		</Shown>
	)
}

function Slots({ of: { used, limit, held } }: { of: Account['slots'] }) {
	return (
		<Card
			title={limit === null ? `${count(used)} slots used` : `${count(used)} of ${count(limit)} slots used`}
		>
			{limit !== null && (
				<meter class="slots" aria-label="Slots used" min={0} max={Math.max(limit, 1)} value={used} />
			)}
			{held.length === 0 ? (
				<p class="soft">No agent takes a slot. An agent takes one from its creation until it is stopped.</p>
			) : (
				<Table
					label="Who holds a slot"
					columns={[
						{ head: 'Agent', cell: ({ name }) => name },
						{ head: 'State', cell: ({ state }) => <State of={state} /> },
						{ head: 'Since', cell: ({ since }) => <Time at={since} /> },
					]}
					rows={held}
					id={({ deployment }) => deployment}
					href={({ name }) => `/agents/${encodeURIComponent(name)}`}
				/>
			)}
		</Card>
	)
}
