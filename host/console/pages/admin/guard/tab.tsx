import { useSignal } from '@preact/signals'
import type { GuardState } from '../../../../owner/client/index.ts'
import { useAction } from '../../../data/action.ts'
import { bound, ticked } from '../../../data/bound.ts'
import { client } from '../../../data/client.ts'
import { count } from '../../../data/format.ts'
import { useLoad } from '../../../data/load.ts'
import { Button } from '../../../parts/button.tsx'
import { CheckField, TextField } from '../../../parts/field.tsx'
import { Failure, Note } from '../../../parts/note.tsx'
import { Card, Facts, Shown } from '../../../parts/page.tsx'

const refreshMs = 10_000

/** What the guard does now, and the switches of its operators. */
export default function Guard() {
	const guard = useLoad('admin-guard', () => client.admin.guard(), refreshMs)
	return (
		<Shown of={guard}>
			{(state) => (
				<div class="columns">
					<Card title="Now">
						<Facts
							of={[
								['Who may use it', state.access === 'testers' ? 'testers' : 'everyone'],
								['Month', state.month.month],
								['Calls', count(state.month.calls)],
								['Input tokens', count(state.month.tokens)],
								['In hand here', `${count(state.held.all)}, ${count(state.held.free)} of free accounts`],
							]}
						/>
					</Card>
					<Switches state={state} changed={guard.set} />
				</div>
			)}
		</Shown>
	)
}

function Switches({ state: { switches }, changed }: { state: GuardState; changed(state: GuardState): void }) {
	const maintenance = useSignal(switches.maintenance)
	const budget = useSignal(switches.budget_tokens === null ? '' : String(switches.budget_tokens))
	const capacity = useSignal(String(switches.capacity))
	const share = useSignal(String(switches.free_share))
	const done = useSignal(false)
	const save = useAction(async () => {
		done.value = false
		changed(
			await client.admin.changeGuard({
				maintenance: maintenance.value,
				budget_tokens: budget.value.trim() === '' ? null : Number(budget.value),
				capacity: Number(capacity.value),
				free_share: Number(share.value),
			}),
		)
		done.value = true
	})
	return (
		<Card title="Switches">
			<form
				class="form"
				onSubmit={(event) => {
					event.preventDefault()
					void save.run()
				}}
			>
				<CheckField label="Maintenance: every call is refused with its message" {...ticked(maintenance)} />
				<TextField
					label="Input tokens a month"
					type="number"
					hint="Over all accounts, by the calendar month in UTC. Empty: no limit."
					{...bound(budget)}
					fault={save.faults['/budget_tokens']}
				/>
				<TextField
					label="Capacity of a host"
					type="number"
					required
					hint="Calls the judge has in hand, waiting ones included."
					{...bound(capacity)}
					fault={save.faults['/capacity']}
				/>
				<TextField
					label="Share of free accounts"
					type="number"
					step="any"
					min={0}
					max={1}
					required
					hint="Of the capacity, from 0 to 1."
					{...bound(share)}
					fault={save.faults['/free_share']}
				/>
				<Failure of={save.error} />
				{done.value && (
					<Note tone="good">
						<p role="status">The switches are set, on every host within a second.</p>
					</Note>
				)}
				<div class="actions">
					<Button kind="primary" type="submit" busy={save.busy}>
						Set switches
					</Button>
				</div>
			</form>
		</Card>
	)
}
