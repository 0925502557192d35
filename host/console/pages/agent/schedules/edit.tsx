import { useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import type { DeploymentWithActivity, Schedule } from '../../../../owner/client/index.ts'
import { useAction } from '../../../data/action.ts'
import { bound, chosen } from '../../../data/bound.ts'
import { client } from '../../../data/client.ts'
import { say } from '../../../data/said.ts'
import { Button } from '../../../parts/button.tsx'
import { Dialog } from '../../../parts/dialog.tsx'
import { ChoiceField, TextField } from '../../../parts/field.tsx'
import { Failure } from '../../../parts/note.tsx'
import { SchemaForm, useFormValue } from '../../../parts/schema-form/form.tsx'
import { NextTimes } from './next-times.tsx'
import { type Preview, previewOf } from './preview.ts'
import { ZoneField } from './zone-field.tsx'

interface Props {
	agent: DeploymentWithActivity
	/** Undefined: a new one. */
	of: Schedule | undefined
	onDone(): Promise<void>
	onClose(): void
}

const usual = [
	{ value: '0 * * * *', label: 'every hour' },
	{ value: '0 9 * * *', label: 'every day at 9:00' },
	{ value: '0 9 * * 1-5', label: 'on weekdays at 9:00' },
	{ value: '0 9 * * 1', label: 'on Mondays at 9:00' },
	{ value: '0 9 1 * *', label: 'on the first of the month at 9:00' },
]

export function EditSchedule({ agent, of: schedule, onDone, onClose }: Props) {
	const cron = useSignal(schedule?.cron ?? '0 9 * * 1-5')
	const timezone = useSignal(schedule?.timezone ?? Intl.DateTimeFormat().resolvedOptions().timeZone)
	const missed = useSignal<string>(schedule?.missed ?? 'skip')
	const inputs = useFormValue(agent.agent.inputs, schedule?.inputs)
	const preview = useSignal<Preview | undefined>(undefined)
	const save = useAction(async () => {
		const ready = inputs.ready()
		if (!ready) throw new Error('Something in the inputs cannot be read.')
		const wanted = {
			cron: cron.value.trim(),
			timezone: timezone.value.trim(),
			missed: missed.value === 'run_once' ? ('run_once' as const) : ('skip' as const),
			inputs: ready,
		}
		if (schedule) await client.schedules.patch(agent.id, schedule.id, wanted)
		else await client.schedules.add(agent.id, wanted)
		await onDone()
		say('The schedule is saved.')
	})
	useEffect(() => {
		let newest = true
		void previewOf(cron.value, timezone.value).then((found) => {
			if (newest) preview.value = found
		})
		return () => {
			newest = false
		}
	}, [cron.value, timezone.value, preview])
	const footer = (
		<>
			<Button onClick={onClose}>Cancel</Button>
			<Button type="submit" kind="primary" busy={save.busy}>
				Save schedule
			</Button>
		</>
	)
	const shown = preview.value
	return (
		<Dialog
			title={schedule ? 'Edit schedule' : 'New schedule'}
			onClose={onClose}
			onSubmit={save.run}
			footer={footer}
		>
			<ChoiceField
				label="When"
				value={usual.some(({ value }) => value === cron.value) ? cron.value : ''}
				options={[...usual, { value: '', label: 'other times' }]}
				onChoice={(value) => {
					if (value) cron.value = value
				}}
			/>
			<TextField
				label="Cron expression"
				{...bound(cron)}
				fault={save.faults['/cron'] ?? (shown && 'fault' in shown ? shown.fault : undefined)}
				hint="Minute, hour, day of month, month, day of week."
			/>
			<ZoneField
				value={timezone.value}
				onText={(text) => {
					timezone.value = text
				}}
				fault={save.faults['/timezone']}
			/>
			{shown && 'times' in shown && <NextTimes of={shown.times} zone={timezone.value} />}
			<ChoiceField
				label="Times that nobody could fire"
				{...chosen(missed)}
				options={[
					{ value: 'skip', label: 'are left out' },
					{ value: 'run_once', label: 'make one run in place of all of them' },
				]}
			/>
			<h3>Inputs</h3>
			<SchemaForm of={inputs} faults={save.faults} />
			<Failure of={save.error} />
		</Dialog>
	)
}
