import { useSignal } from '@preact/signals'
import { useAction } from '../../../data/action.ts'
import { bound, ticked } from '../../../data/bound.ts'
import { client } from '../../../data/client.ts'
import { Button } from '../../../parts/button.tsx'
import { Dialog } from '../../../parts/dialog.tsx'
import { CheckField, TextField } from '../../../parts/field.tsx'
import { Failure } from '../../../parts/note.tsx'
import { SecretDialog } from '../../../parts/secret.tsx'
import { PlanField } from './plan-field.tsx'

/** Makes an account and shows the one-time link by which its person comes in. */
export function NewAccount({ onClose }: { onClose(): void }) {
	const email = useSignal('')
	const plan = useSignal('free')
	const tester = useSignal(false)
	const link = useSignal<string | null>(null)
	const create = useAction(async () => {
		const made = await client.admin.createAccount({
			email: email.value.trim(),
			plan: plan.value,
			tester: tester.value,
		})
		if (made.sign_in_link) link.value = made.sign_in_link
		else onClose()
	})
	if (link.value !== null)
		return (
			<SecretDialog
				title={`Sign-in link of ${email.value}`}
				secret={link.value}
				hint="It works once, for a day. Send it to the person; they set a password with it."
				onStored={onClose}
			/>
		)
	const footer = (
		<>
			<Button disabled={create.busy} onClick={onClose}>
				Cancel
			</Button>
			<Button kind="primary" type="submit" busy={create.busy} disabled={email.value.trim() === ''}>
				Create account
			</Button>
		</>
	)
	return (
		<Dialog title="New account" onClose={onClose} onSubmit={create.run} busy={create.busy} footer={footer}>
			<TextField
				label="E-mail"
				type="email"
				autoComplete="off"
				autoFocus
				{...bound(email)}
				fault={create.faults['/email']}
			/>
			<PlanField
				value={plan.value}
				onChoice={(name) => {
					plan.value = name
				}}
			/>
			<CheckField label="Guard tester" {...ticked(tester)} />
			<Failure of={create.error} />
		</Dialog>
	)
}
