import { useSignal } from '@preact/signals'
import { useAction } from '../../../data/action.ts'
import { bound, chosen } from '../../../data/bound.ts'
import { client } from '../../../data/client.ts'
import { hostNow } from '../../../data/clock.ts'
import { Button } from '../../../parts/button.tsx'
import { Dialog } from '../../../parts/dialog.tsx'
import { ChoiceField, TextField } from '../../../parts/field.tsx'
import { Failure } from '../../../parts/note.tsx'

const dayMs = 86_400_000
const lives = [
	{ value: '30', label: '30 days' },
	{ value: '90', label: '90 days' },
	{ value: '365', label: 'a year' },
	{ value: '', label: 'until it is revoked' },
]

export function NewToken({ onClose, onIssued }: { onClose(): void; onIssued(token: string): void }) {
	const name = useSignal('')
	const days = useSignal('90')
	const issue = useAction(async () => {
		const life = Number(days.value) * dayMs
		const expires = life > 0 ? new Date(hostNow() + life).toISOString() : undefined
		onIssued((await client.account.createToken(name.value, expires)).token)
	})
	const footer = (
		<>
			<Button disabled={issue.busy} onClick={onClose}>
				Cancel
			</Button>
			<Button kind="primary" type="submit" busy={issue.busy} disabled={name.value.trim() === ''}>
				Make token
			</Button>
		</>
	)
	return (
		<Dialog title="New token" onClose={onClose} onSubmit={issue.run} busy={issue.busy} footer={footer}>
			<TextField
				label="Name"
				hint="What will use it, such as “deploys from CI”."
				autoFocus
				maxLength={100}
				{...bound(name)}
				fault={issue.faults['/name']}
			/>
			<ChoiceField label="Works for" {...chosen(days)} options={lives} fault={issue.faults['/expires_at']} />
			<Failure of={issue.error} />
		</Dialog>
	)
}
