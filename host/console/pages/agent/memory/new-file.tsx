import { useSignal } from '@preact/signals'
import { useAction } from '../../../data/action.ts'
import { bound } from '../../../data/bound.ts'
import { client } from '../../../data/client.ts'
import { Confirm } from '../../../parts/dialog.tsx'
import { TextField } from '../../../parts/field.tsx'

interface Props {
	url: string
	onDone(path: string): Promise<void>
	onClose(): void
}

/** Refused where there is one of that name, so that none is lost. */
export function NewFile({ url, onDone, onClose }: Props) {
	const path = useSignal('')
	const make = useAction(async () => {
		const made = await client.memory.create(url, path.value.trim(), '')
		await onDone(made.path)
	})
	return (
		<Confirm
			title="New file of memory"
			action="Make file"
			busy={make.busy}
			error={make.error}
			onConfirm={() => make.run()}
			onClose={onClose}
		>
			<TextField label="Path" placeholder="notes/today.md" {...bound(path)} autoFocus />
		</Confirm>
	)
}
