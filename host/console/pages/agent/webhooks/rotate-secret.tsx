import { useSignal } from '@preact/signals'
import { useAction } from '../../../data/action.ts'
import { chosen } from '../../../data/bound.ts'
import { client } from '../../../data/client.ts'
import { Confirm } from '../../../parts/dialog.tsx'
import { ChoiceField } from '../../../parts/field.tsx'
import type { EndpointDialog } from './edit-endpoint.tsx'

const overlaps = [
	{ value: '0', label: 'signs no more' },
	{ value: '3600', label: 'signs for one more hour' },
	{ value: '86400', label: 'signs for one more day' },
	{ value: '604800', label: 'signs for one more week' },
]

export function RotateSecret({ deployment, endpoint, onDone, onClose }: EndpointDialog) {
	const overlap = useSignal('86400')
	const rotate = useAction(async () =>
		onDone(await client.webhooks.rotate(deployment, endpoint.id, Number(overlap.value))),
	)
	return (
		<Confirm
			title="Rotate the signing secret"
			action="Rotate secret"
			once
			busy={rotate.busy}
			error={rotate.error}
			onConfirm={() => rotate.run()}
			onClose={onClose}
		>
			<p>While both secrets sign, a receiver that knows either of them verifies the deliveries.</p>
			<ChoiceField label="The old secret" {...chosen(overlap)} options={overlaps} />
		</Confirm>
	)
}
