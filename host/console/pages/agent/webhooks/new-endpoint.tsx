import { useSignal } from '@preact/signals'
import type { EndpointWithSecret } from '../../../../owner/client/index.ts'
import { useAction } from '../../../data/action.ts'
import { bound } from '../../../data/bound.ts'
import { client } from '../../../data/client.ts'
import { Button } from '../../../parts/button.tsx'
import { Dialog } from '../../../parts/dialog.tsx'
import { TextField } from '../../../parts/field.tsx'
import { Failure } from '../../../parts/note.tsx'
import { chosenOf, EventsField, eventsOf } from './events-field.tsx'

interface Props {
	deployment: string
	onDone(issued: EndpointWithSecret): Promise<void>
	onClose(): void
}

export function NewEndpoint({ deployment, onDone, onClose }: Props) {
	const url = useSignal('')
	const events = useSignal(chosenOf(null))
	const add = useAction(async () =>
		onDone(await client.webhooks.add(deployment, url.value.trim(), eventsOf(events.value) ?? undefined)),
	)
	const footer = (
		<>
			<Button disabled={add.busy} onClick={onClose}>
				Cancel
			</Button>
			<Button type="submit" kind="primary" busy={add.busy}>
				Add webhook
			</Button>
		</>
	)
	return (
		<Dialog title="Add webhook" onClose={onClose} onSubmit={add.run} busy={add.busy} footer={footer}>
			<TextField
				label="Address"
				type="url"
				placeholder="https://example.com/berth"
				{...bound(url)}
				fault={add.faults['/url']}
				autoFocus
			/>
			<EventsField
				value={events.value}
				onValue={(value) => {
					events.value = value
				}}
				fault={add.faults['/events']}
			/>
			<Failure of={add.error} />
		</Dialog>
	)
}
