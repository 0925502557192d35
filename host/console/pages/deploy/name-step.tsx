import { useSignal } from '@preact/signals'
import { ApiError, type CreatedDeployment } from '../../../owner/client/index.ts'
import { useAction } from '../../data/action.ts'
import { client } from '../../data/client.ts'
import { useLoad } from '../../data/load.ts'
import { useAccount } from '../../data/shell.ts'
import { Button } from '../../parts/button.tsx'
import { TextField } from '../../parts/field.tsx'
import { Failure } from '../../parts/note.tsx'
import { Shown } from '../../parts/page.tsx'
import { type Checked, check, type Limit, limitOf } from './dropped.ts'
import { Slots } from './slots.tsx'

interface StepProps {
	checked: Checked
	/** What was typed so far. */
	name: string
	onName(name: string): void
	onChecked(checked: Checked): void
	onCreated(created: CreatedDeployment): void
	onBack(): void
}

/** 2: a name and a place; with its button the deployment exists. */
export function NameStep({ checked, name, onName, onChecked, onCreated, onBack }: StepProps) {
	const places = useLoad('places', () => client.deployments.places())
	const account = useAccount()
	const chosen = useSignal<string | undefined>(undefined)
	const place = chosen.value ?? places.data?.data.find((one) => one.default)?.id ?? places.data?.data[0]?.id
	const create = useAction(async () => {
		const { bytes, fileName } = checked
		onCreated(await client.deployments.create({ bytes, fileName, name: name.trim(), place }))
	})
	const limit = checked.limit ?? reached(create.error)
	if (limit)
		return (
			<section class="stack" aria-label="Name and place">
				<h2>No slot is free</h2>
				<Slots
					of={limit}
					changed={async () => {
						create.clear()
						await account.reload()
						onChecked(await check(checked, checked.peeked, checked.name))
					}}
				>
					<Back onBack={onBack} />
				</Slots>
			</section>
		)
	const slots = account.data?.slots
	return (
		<section class="stack" aria-label="Name and place">
			<h2>Name and place</h2>
			<form
				class="stack"
				onSubmit={(event) => {
					event.preventDefault()
					void create.run()
				}}
			>
				<TextField
					label="Name"
					value={name}
					onText={onName}
					required
					autoFocus
					maxLength={60}
					fault={nameFault(create.error)}
					hint="You recognise it by this name, and its letters begin its address. The same agent may be deployed under several names."
				/>
				<Shown of={places} lines={2}>
					{({ data }) => (
						<fieldset class="places">
							<legend>Where it runs</legend>
							{data.map(({ id, name, url, deployable }) => (
								<label key={id} class="place">
									<input
										type="radio"
										name="place"
										value={id}
										checked={id === place}
										disabled={!deployable}
										onChange={() => {
											chosen.value = id
										}}
									/>
									<span>
										{data.length === 1 ? name : id}{' '}
										<span class="soft">
											{deployable ? (data.length === 1 ? id : url) : 'no host of it is alive'}
										</span>
									</span>
								</label>
							))}
						</fieldset>
					)}
				</Shown>
				<p class="soft">
					{slots && `${slots.used} of ${slots.limit ?? 'any number of'} slots used. `}The deployment takes a
					slot from now on, until it is stopped.
				</p>
				<Failure of={nameFault(create.error) ? undefined : create.error} />
				<div class="actions">
					<Button type="submit" kind="primary" busy={create.busy} disabled={name.trim() === ''}>
						Create deployment
					</Button>
					<Back onBack={onBack} />
				</div>
			</form>
		</section>
	)
}

function Back({ onBack }: { onBack(): void }) {
	return (
		<Button kind="quiet" onClick={onBack}>
			Back to the bundle
		</Button>
	)
}

function reached(error: unknown): Limit | undefined {
	return error instanceof ApiError && error.code === 'running_agent_limit_reached'
		? limitOf(error.problem)
		: undefined
}

function nameFault(error: unknown): string | undefined {
	if (!(error instanceof ApiError)) return undefined
	if (error.code === 'name_taken') return error.message
	const errors = Array.isArray(error.problem.errors) ? error.problem.errors : []
	return errors.find(({ path }) => path === 'name')?.message
}
