import { useSignal } from '@preact/signals'
import { useLocation } from 'preact-iso'
import { useAction } from '../../../data/action.ts'
import { bound } from '../../../data/bound.ts'
import { client } from '../../../data/client.ts'
import { say } from '../../../data/said.ts'
import { Button } from '../../../parts/button.tsx'
import { TextField } from '../../../parts/field.tsx'
import { Failure } from '../../../parts/note.tsx'
import { Card } from '../../../parts/page.tsx'
import type { TabProps } from '../tabs.tsx'
import { DeleteDialog } from './delete-dialog.tsx'
import { Retention } from './retention.tsx'

/** Its name, how long its runs are kept, and its end. */
export default function Settings({ agent, changed }: TabProps) {
	const deleting = useSignal(false)
	return (
		<div class="stack">
			<Rename agent={agent} changed={changed} />
			<Retention agent={agent} changed={changed} />
			<Card title="Delete">
				<div class="stack">
					<p>
						Ends the agent for good. Its address answers 410 from then on. To keep it for later, stop it
						instead.
					</p>
					<div class="actions">
						<Button
							kind="danger"
							onClick={() => {
								deleting.value = true
							}}
						>
							Delete agent
						</Button>
					</div>
				</div>
			</Card>
			{deleting.value && (
				<DeleteDialog
					agent={agent}
					changed={changed}
					onClose={() => {
						deleting.value = false
					}}
				/>
			)}
		</div>
	)
}

function Rename({ agent, changed }: TabProps) {
	const { route } = useLocation()
	const name = useSignal(agent.name)
	const rename = useAction(async () => {
		const renamed = await client.deployments.patch(agent.id, { name: name.value })
		await changed()
		say(`The agent is now named ${renamed.name}.`)
		route(`/agents/${encodeURIComponent(renamed.name)}/settings`, true)
	})
	return (
		<Card title="Name">
			<form
				class="form"
				onSubmit={(event) => {
					event.preventDefault()
					void rename.run()
				}}
			>
				<TextField
					label="Name"
					{...bound(name)}
					fault={rename.faults['/name']}
					hint="What you know it by. Its address for callers stays as it is."
					maxLength={60}
				/>
				<Failure of={rename.error} />
				<div class="actions">
					<Button
						kind="primary"
						type="submit"
						busy={rename.busy}
						disabled={name.value.trim() === '' || name.value === agent.name}
					>
						Rename agent
					</Button>
				</div>
			</form>
		</Card>
	)
}
