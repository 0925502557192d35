import { useAction } from '../../../data/action.ts'
import { client } from '../../../data/client.ts'
import { say } from '../../../data/said.ts'
import { Confirm } from '../../../parts/dialog.tsx'
import type { EndpointDialog } from './edit-endpoint.tsx'

export function RemoveEndpoint({ deployment, endpoint, onDone, onClose }: EndpointDialog) {
	const remove = useAction(async () => {
		await client.webhooks.remove(deployment, endpoint.id)
		await onDone()
		say('The webhook is removed.')
	})
	return (
		<Confirm
			title="Remove webhook"
			action="Remove webhook"
			danger
			busy={remove.busy}
			error={remove.error}
			onConfirm={() => remove.run()}
			onClose={onClose}
		>
			<p>
				{endpoint.url} is told of nothing more, and its secret is erased. Deliveries that wait are not sent.
			</p>
		</Confirm>
	)
}
