import { useSignal } from '@preact/signals'
import type { RunKey } from '../../../../owner/client/index.ts'
import { useAction } from '../../../data/action.ts'
import { client } from '../../../data/client.ts'
import { say } from '../../../data/said.ts'
import { Confirm } from '../../../parts/dialog.tsx'
import { BudgetFields, budgetsOf, budgetTexts } from '../budget/fields.tsx'
import type { KeyDialog } from './dialog.ts'

export function KeyBudget({ of: key, deployment, onClose, onDone }: KeyDialog & { of: RunKey }) {
	const texts = useSignal(budgetTexts(key.budgets))
	const save = useAction(async () => {
		await client.deployments.patchKey(deployment, key.id, { budgets: budgetsOf(texts.value) })
		await onDone()
		say(`The budget of ${key.name} is saved.`)
	})
	return (
		<Confirm
			title={`Budget of ${key.name}`}
			action="Save budget"
			busy={save.busy}
			error={save.error}
			onConfirm={() => save.run()}
			onClose={onClose}
		>
			<p>It is shared by the key and those that take its place. The agent's own budget counts as well.</p>
			<BudgetFields of={texts} faults={save.faults} />
		</Confirm>
	)
}
