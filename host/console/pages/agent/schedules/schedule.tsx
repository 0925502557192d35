import { useSignal } from '@preact/signals'
import type { ComponentChildren } from 'preact'
import type { Schedule } from '../../../../owner/client/index.ts'
import { useAction } from '../../../data/action.ts'
import { client } from '../../../data/client.ts'
import { say } from '../../../data/said.ts'
import { Button } from '../../../parts/button.tsx'
import { Code } from '../../../parts/code.tsx'
import { Confirm } from '../../../parts/dialog.tsx'
import { Failure } from '../../../parts/note.tsx'
import { Card, Facts } from '../../../parts/page.tsx'
import { State } from '../../../parts/state.tsx'
import { Time } from '../../../parts/time.tsx'
import { NextTimes } from './next-times.tsx'

interface Props {
	deployment: string
	of: Schedule
	onEdit(): void
	onDone(): Promise<void>
}

export function ScheduleCard({ deployment, of: schedule, onEdit, onDone }: Props) {
	const { id, cron, timezone, enabled, next_times } = schedule
	const removing = useSignal(false)
	const pause = useAction(async () => {
		await client.schedules.patch(deployment, id, { enabled: !enabled })
		await onDone()
		say(enabled ? 'The schedule is paused.' : 'The schedule goes on.')
	})
	const remove = useAction(async () => {
		await client.schedules.remove(deployment, id)
		await onDone()
		say('The schedule is deleted.')
	})
	const ask = (yes: boolean) => () => {
		removing.value = yes
	}
	return (
		<Card
			title={<code>{cron}</code>}
			actions={
				<>
					<Button small onClick={onEdit}>
						Edit
					</Button>
					<Button small busy={pause.busy} onClick={() => pause.run()}>
						{enabled ? 'Pause' : 'Resume'}
					</Button>
					<Button small onClick={ask(true)}>
						Delete
					</Button>
				</>
			}
		>
			<div class="columns">
				<Facts of={factsOf(schedule)} />
				<div>
					<h3>Next times</h3>
					{enabled ? (
						<NextTimes of={next_times} zone={timezone} />
					) : (
						<p class="soft">None while it is paused.</p>
					)}
				</div>
			</div>
			<Failure of={pause.error} />
			{removing.value && (
				<Confirm
					title="Delete schedule"
					action="Delete schedule"
					danger
					busy={remove.busy}
					error={remove.error}
					onConfirm={() => remove.run()}
					onClose={ask(false)}
				>
					<p>It makes no more runs. Those that it made stay.</p>
				</Confirm>
			)}
		</Card>
	)
}

function factsOf(schedule: Schedule): [string, ComponentChildren][] {
	const { enabled, timezone, missed, last_at, last_run, last_error, skipped_at, inputs } = schedule
	return [
		['State', enabled ? <State of="active" /> : <State of="stopped" label="paused" />],
		['Time zone', timezone],
		['Missed times', missed === 'skip' ? 'are left out' : 'make one run in place of all'],
		[
			'Last time',
			<>
				<Time at={last_at} />{' '}
				{last_run && (
					<a href={`/runs/${last_run}`}>
						<code>{last_run}</code>
					</a>
				)}
			</>,
		],
		...(last_error
			? ([
					[
						'Last error',
						<span class="fault">
							{last_error.code}: {last_error.message}
						</span>,
					],
				] as [string, ComponentChildren][])
			: []),
		...(skipped_at ? ([['Left out', <Time at={skipped_at} />]] as [string, ComponentChildren][]) : []),
		['Inputs', <Code label="inputs" text={JSON.stringify(inputs, null, 2)} />],
	]
}
