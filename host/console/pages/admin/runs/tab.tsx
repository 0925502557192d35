import { useSignal } from '@preact/signals'
import { useAction } from '../../../data/action.ts'
import { client } from '../../../data/client.ts'
import { useList } from '../../../data/list.ts'
import { Button } from '../../../parts/button.tsx'
import { Confirm } from '../../../parts/dialog.tsx'
import { More } from '../../../parts/more.tsx'
import { Failure } from '../../../parts/note.tsx'
import { Empty, Skeleton } from '../../../parts/page.tsx'
import { State } from '../../../parts/state.tsx'
import { Table } from '../../../parts/table.tsx'
import { Time, Took } from '../../../parts/time.tsx'

const refreshMs = 5_000

/** Live runs of all accounts, without what they work on. */
export default function Runs() {
	const list = useList('admin-runs', (cursor) => client.admin.runs({ ...(cursor && { cursor }) }), refreshMs)
	const ending = useSignal<{ id: string; email: string } | null>(null)
	const end = useAction(async (id: string) => {
		await client.admin.cancelRun(id)
		ending.value = null
		await list.reload()
	})
	const close = () => {
		ending.value = null
		end.clear()
	}
	return (
		<>
			<Failure of={list.error} />
			{!list.rows && !list.error && <Skeleton />}
			{list.rows?.length === 0 && <Empty title="Nothing runs just now" />}
			{list.rows && list.rows.length > 0 && (
				<Table
					label="Live runs"
					columns={[
						{ head: 'Run', cell: ({ id }) => <code>{id}</code> },
						{ head: 'Status', cell: ({ status }) => <State of={status} /> },
						{ head: 'Agent', cell: ({ deployment_name }) => deployment_name },
						{ head: 'Account', cell: ({ email }) => email, minor: true },
						{ head: 'Begun', cell: ({ created_at }) => <Time at={created_at} />, minor: true },
						{ head: 'For', cell: ({ started_at }) => <Took from={started_at} to={null} />, number: true },
						{
							head: 'Actions',
							silent: true,
							cell: ({ id, email }) => (
								<Button
									small
									onClick={() => {
										ending.value = { id, email }
									}}
								>
									Stop
								</Button>
							),
							number: true,
						},
					]}
					rows={list.rows}
					id={({ id }) => id}
					more={<More of={list} />}
				/>
			)}
			{ending.value && (
				<Confirm
					title="Stop this run?"
					action="Stop run"
					danger
					busy={end.busy}
					error={end.error}
					onConfirm={() => void end.run(ending.value?.id ?? '')}
					onClose={close}
				>
					<p>
						The run of {ending.value.email} ends as cancelled. A tool call that is under way may still take
						effect.
					</p>
				</Confirm>
			)}
		</>
	)
}
