import { useSignal } from '@preact/signals'
import type { Deployment } from '../../owner/client/index.ts'
import { useAction } from '../data/action.ts'
import { client } from '../data/client.ts'
import { Button } from './button.tsx'
import { Confirm } from './dialog.tsx'

interface CancelProps {
	deployment: Pick<Deployment, 'id' | 'name'>
	small?: boolean
	changed(): unknown
}

/** Gives up a deployment that was begun in the wizard: nothing of it is left, and its slot is free. */
export function CancelDeployment({ deployment: { id, name }, small, changed }: CancelProps) {
	const asked = useSignal(false)
	const cancel = useAction(async () => {
		await client.deployments.cancel(id)
		await client.deployments.remove(id)
		asked.value = false
		await changed()
	})
	return (
		<>
			<Button
				kind="quiet"
				{...(small && { small })}
				onClick={() => {
					asked.value = true
				}}
			>
				Cancel deployment
			</Button>
			{asked.value && (
				<Confirm
					title={`Cancel ${name}?`}
					action="Cancel deployment"
					keep="Keep it"
					danger
					busy={cancel.busy}
					error={cancel.error}
					onConfirm={() => cancel.run()}
					onClose={() => {
						asked.value = false
					}}
				>
					<p>
						It was never started. Its bundle and the credentials sealed for it are erased, and its slot is
						free again.
					</p>
				</Confirm>
			)}
		</>
	)
}
