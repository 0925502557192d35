import type { RunKey } from '../../../../owner/client/index.ts'
import { useAction } from '../../../data/action.ts'
import { client } from '../../../data/client.ts'
import { say } from '../../../data/said.ts'
import { Confirm } from '../../../parts/dialog.tsx'
import { Time } from '../../../parts/time.tsx'
import type { KeyDialog } from './dialog.ts'

export function RevokeKey({ of: key, deployment, onClose, onDone }: KeyDialog & { of: RunKey }) {
	const revoke = useAction(async () => {
		await client.deployments.revokeKey(deployment, key.id)
		await onDone()
		say(`${key.name} is revoked.`)
	})
	return (
		<Confirm
			title={`Revoke ${key.name}`}
			action="Revoke key"
			danger
			busy={revoke.busy}
			error={revoke.error}
			onConfirm={() => revoke.run()}
			onClose={onClose}
		>
			<p>
				Calls with it are refused within a second, and it cannot be used again. Runs that it began go on. Last
				used: {key.last_used_at ? <Time at={key.last_used_at} /> : 'never'}.
			</p>
		</Confirm>
	)
}
