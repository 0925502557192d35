import { useSignal } from '@preact/signals'
import type { Endpoint, EndpointWithSecret } from '../../../../owner/client/index.ts'
import { useAction } from '../../../data/action.ts'
import { bound } from '../../../data/bound.ts'
import { client } from '../../../data/client.ts'
import { say } from '../../../data/said.ts'
import { Confirm } from '../../../parts/dialog.tsx'
import { TextField } from '../../../parts/field.tsx'
import { chosenOf, EventsField, eventsOf } from './events-field.tsx'

/** What each dialog of an endpoint is given. */
export interface EndpointDialog {
	deployment: string
	endpoint: Endpoint
	onDone(issued?: EndpointWithSecret): Promise<void>
	onClose(): void
}

export function EditEndpoint({ deployment, endpoint, onDone, onClose }: EndpointDialog) {
	const url = useSignal(endpoint.url)
	const events = useSignal(chosenOf(endpoint.events))
	const save = useAction(async () => {
		await client.webhooks.patch(deployment, endpoint.id, {
			url: url.value.trim(),
			events: eventsOf(events.value),
		})
		await onDone()
		say('The webhook is saved.')
	})
	return (
		<Confirm
			title="Edit webhook"
			action="Save webhook"
			busy={save.busy}
			error={save.error}
			onConfirm={() => save.run()}
			onClose={onClose}
		>
			<TextField label="Address" type="url" {...bound(url)} fault={save.faults['/url']} />
			<EventsField
				value={events.value}
				onValue={(value) => {
					events.value = value
				}}
				fault={save.faults['/events']}
			/>
		</Confirm>
	)
}
