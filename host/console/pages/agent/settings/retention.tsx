import { useSignal } from '@preact/signals'
import { hasOlderRuns } from '../../../../owner/client/index.ts'
import { useAction } from '../../../data/action.ts'
import { bound } from '../../../data/bound.ts'
import { client } from '../../../data/client.ts'
import { hostNow } from '../../../data/clock.ts'
import { plural } from '../../../data/format.ts'
import { Button } from '../../../parts/button.tsx'
import { Confirm } from '../../../parts/dialog.tsx'
import { TextField } from '../../../parts/field.tsx'
import { Failure, Note } from '../../../parts/note.tsx'
import { Card } from '../../../parts/page.tsx'
import type { TabProps } from '../tabs.tsx'

const daysMax = 36_500

/** How long ended runs are kept; asks first where some would go. */
export function Retention({ agent, changed }: TabProps) {
	const shown = agent.retain_days === null ? '' : String(agent.retain_days)
	const days = useSignal(shown)
	const asking = useSignal(false)
	const done = useSignal('')
	const wanted = () => (days.peek() === '' ? null : Number(days.peek()))
	const keep = useAction(async () => {
		const number = wanted()
		await client.deployments.patch(agent.id, { retain_days: number })
		await changed()
		asking.value = false
		done.value =
			number === null
				? 'Ended runs are kept as long as plan and host say.'
				: `Ended runs are kept ${plural(number, 'day')}.`
	})
	const look = useAction(async () => {
		done.value = ''
		const number = wanted()
		if (number !== null && (await hasOlderRuns(client, agent.id, number, hostNow()))) asking.value = true
		else await keep.run()
	})
	return (
		<Card title="Ended runs">
			<form
				class="form"
				onSubmit={(event) => {
					event.preventDefault()
					if (days.value !== shown) void look.run()
				}}
			>
				<TextField
					label="Kept for days"
					type="number"
					min={1}
					max={daysMax}
					{...bound(days)}
					fault={keep.faults['/retain_days']}
					hint="Empty: as long as plan and host say. With fewer days, older runs are deleted."
				/>
				<Failure of={look.error ?? (asking.value ? undefined : keep.error)} />
				{/* There before its text comes, so that it is read out. */}
				<div role="status">
					{done.value && (
						<Note tone="good">
							<p>{done.value}</p>
						</Note>
					)}
				</div>
				<div class="actions">
					<Button kind="primary" type="submit" busy={look.busy || keep.busy} disabled={days.value === shown}>
						Keep runs so long
					</Button>
				</div>
			</form>
			{asking.value && (
				<Confirm
					title="Delete older runs?"
					action="Delete older runs"
					danger
					busy={keep.busy}
					error={keep.error}
					onConfirm={keep.run}
					onClose={() => {
						asking.value = false
					}}
				>
					<p>
						Some ended runs of {agent.name} are older than {plural(wanted() ?? 0, 'day')}. They are deleted
						for good, with their inputs, outputs and logs.
					</p>
				</Confirm>
			)}
		</Card>
	)
}
