import { useSignal } from '@preact/signals'
import type { Schedule } from '../../../../owner/client/index.ts'
import { client } from '../../../data/client.ts'
import { useLoad } from '../../../data/load.ts'
import { Button } from '../../../parts/button.tsx'
import { Empty, Shown } from '../../../parts/page.tsx'
import type { TabProps } from '../tabs.tsx'
import { EditSchedule } from './edit.tsx'
import { ScheduleCard } from './schedule.tsx'

const refreshMs = 30_000

/** Runs that begin by the clock. */
export default function Schedules({ agent }: TabProps) {
	const schedules = useLoad(`schedules ${agent.id}`, () => client.schedules.list(agent.id), refreshMs)
	const editing = useSignal<Schedule | 'new' | undefined>(undefined)
	return (
		<div class="stack">
			<div class="row apart">
				<p class="soft">One time makes one run, with the inputs that stand here.</p>
				<Button
					kind="primary"
					icon="plus"
					onClick={() => {
						editing.value = 'new'
					}}
				>
					New schedule
				</Button>
			</div>
			<Shown of={schedules}>
				{({ data }) =>
					data.length === 0 ? (
						<Empty title="No schedules">
							<p>Make one to run this agent every hour, on weekdays, or at any other times.</p>
						</Empty>
					) : (
						data.map((schedule) => (
							<ScheduleCard
								key={schedule.id}
								deployment={agent.id}
								of={schedule}
								onEdit={() => {
									editing.value = schedule
								}}
								onDone={schedules.reload}
							/>
						))
					)
				}
			</Shown>
			{editing.value && (
				<EditSchedule
					agent={agent}
					of={editing.value === 'new' ? undefined : editing.value}
					onDone={async () => {
						editing.value = undefined
						await schedules.reload()
					}}
					onClose={() => {
						editing.value = undefined
					}}
				/>
			)}
		</div>
	)
}
