import type { Action } from '../../../data/action.ts'
import { Confirm } from '../../../parts/dialog.tsx'

interface Props {
	/** What the operator takes from their own account. */
	loses: 'use' | 'role'
	save: Action<[]>
	onClose(): void
}

/** Before operators lock themselves out. */
export function OwnAccount({ loses, save, onClose }: Props) {
	const disables = loses === 'use'
	return (
		<Confirm
			title={disables ? 'Disable your own account?' : 'Give up your own role?'}
			action={disables ? 'Disable my account' : 'Give up my role'}
			danger
			busy={save.busy}
			error={save.error}
			onConfirm={save.run}
			onClose={onClose}
		>
			<p>
				This is the account that you are signed in with.{' '}
				{disables
					? 'You are signed out at once and cannot sign in again, and your agents stop.'
					: 'You can no longer open these pages.'}{' '}
				Only another operator can undo it.
			</p>
		</Confirm>
	)
}
