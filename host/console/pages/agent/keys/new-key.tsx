import { useSignal } from '@preact/signals'
import { useAction } from '../../../data/action.ts'
import { bound } from '../../../data/bound.ts'
import { client } from '../../../data/client.ts'
import { Button } from '../../../parts/button.tsx'
import { Dialog } from '../../../parts/dialog.tsx'
import { ChecksField, TextField } from '../../../parts/field.tsx'
import { Failure } from '../../../parts/note.tsx'
import { BudgetFields, budgetsOf, budgetTexts } from '../budget/fields.tsx'
import type { KeyDialog } from './dialog.ts'

const scopes = [
	{ value: 'run', label: 'run: start runs' },
	{ value: 'read', label: 'read: see runs of its own' },
	{ value: 'cancel', label: 'cancel: end runs of its own' },
	{ value: 'read:all', label: 'read:all: see every run of this agent' },
]

export function NewKey({ deployment, onClose, onDone }: KeyDialog) {
	const name = useSignal('')
	const chosen = useSignal(['run', 'read', 'cancel'])
	const ends = useSignal('')
	const budget = useSignal(budgetTexts(null))
	const make = useAction(async () =>
		onDone(
			await client.deployments.createKey(deployment, {
				...(name.value.trim() && { name: name.value.trim() }),
				scopes: chosen.value,
				...(ends.value && { expires_at: new Date(ends.value).toISOString() }),
				budgets: budgetsOf(budget.value),
			}),
		),
	)
	const footer = (
		<>
			<Button disabled={make.busy} onClick={onClose}>
				Cancel
			</Button>
			<Button type="submit" kind="primary" busy={make.busy}>
				Make key
			</Button>
		</>
	)
	return (
		<Dialog title="New run key" onClose={onClose} onSubmit={make.run} busy={make.busy} footer={footer}>
			<TextField
				label="Name"
				placeholder="run key"
				{...bound(name)}
				fault={make.faults['/name']}
				hint="The program that will hold it."
				maxLength={100}
			/>
			<ChecksField
				label="Scopes"
				options={scopes}
				value={chosen.value}
				onValue={(value) => {
					chosen.value = value
				}}
				fault={make.faults['/scopes']}
			/>
			<TextField
				label="Ends"
				type="datetime-local"
				{...bound(ends)}
				fault={make.faults['/expires_at']}
				hint="In your time zone. Empty: never."
			/>
			<BudgetFields of={budget} faults={make.faults} />
			<Failure of={make.error} />
		</Dialog>
	)
}
