import { useSignal } from '@preact/signals'
import type { RunKey } from '../../../../owner/client/index.ts'
import { useAction } from '../../../data/action.ts'
import { chosen } from '../../../data/bound.ts'
import { client } from '../../../data/client.ts'
import { Confirm } from '../../../parts/dialog.tsx'
import { ChoiceField } from '../../../parts/field.tsx'
import type { KeyDialog } from './dialog.ts'

export const overlaps = [
	{ value: '0', label: 'ends at once' },
	{ value: '3600', label: 'works for one more hour' },
	{ value: '86400', label: 'works for one more day' },
	{ value: '604800', label: 'works for one more week' },
]

export function RotateKey({ of: key, deployment, onClose, onDone }: KeyDialog & { of: RunKey }) {
	const overlap = useSignal('86400')
	const rotate = useAction(async () =>
		onDone(await client.deployments.rotateKey(deployment, key.id, Number(overlap.value))),
	)
	return (
		<Confirm
			title={`Rotate ${key.name}`}
			action="Rotate key"
			once
			busy={rotate.busy}
			error={rotate.error}
			onConfirm={() => rotate.run()}
			onClose={onClose}
		>
			<p>A new key takes its place, with the same scopes, budget and view of past runs.</p>
			<ChoiceField label="The old key" {...chosen(overlap)} options={overlaps} />
		</Confirm>
	)
}
