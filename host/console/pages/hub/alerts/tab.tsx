import type { Alert } from '../../../../api/alerts.ts'
import { client } from '../../../data/client.ts'
import { useList } from '../../../data/list.ts'
import { useAccount } from '../../../data/shell.ts'
import { CheckField } from '../../../parts/field.tsx'
import { More } from '../../../parts/more.tsx'
import { Failure } from '../../../parts/note.tsx'
import { Card, Empty, Shown, Skeleton } from '../../../parts/page.tsx'
import { Table } from '../../../parts/table.tsx'
import { Time } from '../../../parts/time.tsx'

const said: Record<Alert['type'], (data: Record<string, unknown>) => string> = {
	'agent.failing': ({ failed_runs, code }) => `Its last ${failed_runs} runs failed: ${code}`,
	'budget.warning': ({ threshold, month }) => `${threshold} % of a budget were used in ${month}`,
	'credential.needs_sign_in': ({ credential }) => `${credential} needs a new sign-in`,
	'endpoint.disabled': ({ reason }) => `A webhook endpoint was disabled: ${reason}`,
}

/** What the agents needed their owner for. */
export default function Alerts() {
	const alerts = useList('alerts', (cursor) => client.overview.alerts({ ...(cursor && { cursor }) }))
	return (
		<Card title="Alerts" actions={<ByMail />}>
			<Failure of={alerts.error} />
			{!alerts.rows && !alerts.error && <Skeleton />}
			{alerts.rows?.length === 0 && <Empty title="No agent needed you in the last 90 days" />}
			{alerts.rows && alerts.rows.length > 0 && (
				<Table
					label="Alerts"
					columns={[
						{ head: 'When', cell: ({ at }) => <Time at={at} /> },
						{ head: 'Agent', cell: ({ name }) => name },
						{ head: 'What', cell: ({ type, data }) => said[type](data) },
						{
							head: 'Over since',
							cell: ({ cleared_at }) => cleared_at && <Time at={cleared_at} />,
							minor: true,
						},
					]}
					rows={alerts.rows}
					id={({ id }) => id}
					href={({ deployment }) => `/agents/${deployment}`}
					more={<More of={alerts} />}
				/>
			)}
		</Card>
	)
}

function ByMail() {
	const account = useAccount()
	return (
		<Shown of={account} lines={1}>
			{({ alert_mail, sends_mail }) => (
				<CheckField
					label={sends_mail ? 'By e-mail, too' : 'By e-mail, too, once this host sends any (SMTP_URL)'}
					checked={alert_mail}
					onCheck={async (on) => account.set(await client.account.setAlertMail(on))}
				/>
			)}
		</Shown>
	)
}
