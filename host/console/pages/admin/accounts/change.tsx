import { useSignal } from '@preact/signals'
import type { AdminAccount } from '../../../../api/admin.ts'
import { useAction } from '../../../data/action.ts'
import { bound } from '../../../data/bound.ts'
import { client } from '../../../data/client.ts'
import { say } from '../../../data/said.ts'
import { useAccount } from '../../../data/shell.ts'
import { Button } from '../../../parts/button.tsx'
import { Dialog } from '../../../parts/dialog.tsx'
import { CheckField, TextField } from '../../../parts/field.tsx'
import { Failure } from '../../../parts/note.tsx'
import { OwnAccount } from './own.tsx'
import { PlanField } from './plan-field.tsx'
import { SignInLink } from './sign-in-link.tsx'

type Switch = 'tester' | 'operator' | 'disabled'
const switches: { name: Switch; label: string }[] = [
	{ name: 'tester', label: 'Guard tester' },
	{ name: 'operator', label: 'Operator: may do what you may' },
	{ name: 'disabled', label: 'Disabled: signed out at once, and its agents stop' },
]

/** Plan, roles, credits and a new sign-in link of one account. */
export function ChangeAccount({ account, onClose }: { account: AdminAccount; onClose(): void }) {
	const { id, email, credits } = account
	const plan = useSignal(account.plan)
	const flags = useSignal<Record<Switch, boolean>>({
		tester: account.tester,
		operator: account.operator,
		disabled: account.disabled,
	})
	const asking = useSignal(false)
	const own = useAccount().data?.id === id
	const { disabled, operator } = flags.value
	const loses = disabled && !account.disabled ? 'use' : account.operator && !operator ? 'role' : null
	const save = useAction(async () => {
		await client.admin.changeAccount(id, { plan: plan.value, ...flags.value })
		onClose()
		say(`${email} is saved.`)
	})
	const link = useSignal<string | null>(null)
	const make = useAction(async () => {
		link.value = (await client.admin.signInLink(id)).sign_in_link
	})
	const footer = (
		<>
			<Button disabled={make.busy} onClick={onClose}>
				Cancel
			</Button>
			<Button
				kind={loses === 'use' ? 'danger' : 'primary'}
				busy={save.busy}
				onClick={() => {
					if (own && loses) asking.value = true
					else void save.run()
				}}
			>
				Save
			</Button>
		</>
	)
	return (
		<Dialog title={email} onClose={onClose} busy={make.busy} footer={footer}>
			<PlanField
				value={plan.value}
				onChoice={(name) => {
					plan.value = name
				}}
			/>
			{switches.map(({ name, label }) => (
				<CheckField
					key={name}
					label={label}
					checked={flags.value[name]}
					onCheck={(checked) => {
						flags.value = { ...flags.value, [name]: checked }
					}}
				/>
			))}
			<Failure of={asking.value ? undefined : save.error} />
			<Credits id={id} credits={credits} />
			<SignInLink email={email} link={link} make={make} />
			{asking.value && loses && (
				<OwnAccount
					loses={loses}
					save={save}
					onClose={() => {
						asking.value = false
					}}
				/>
			)}
		</Dialog>
	)
}

function Credits({ id, credits }: { id: string; credits: number }) {
	const amount = useSignal('')
	const reason = useSignal('')
	const balance = useSignal(credits)
	const give = useAction(async () => {
		balance.value = (
			await client.admin.credit(id, Number(amount.value), reason.value.trim() || undefined)
		).credits
		amount.value = ''
	})
	return (
		<form
			class="stack tight"
			onSubmit={(event) => {
				event.preventDefault()
				void give.run()
			}}
		>
			<div class="columns">
				<TextField
					label="Credits to add"
					type="number"
					step="any"
					hint={`Balance ${balance.value}. With a minus they are taken away.`}
					{...bound(amount)}
					fault={give.faults['/credits']}
				/>
				<TextField
					label="Reason"
					maxLength={200}
					hint="Stands in the owner's ledger."
					{...bound(reason)}
					fault={give.faults['/reason']}
				/>
			</div>
			<Failure of={give.error} />
			<div class="actions">
				<Button type="submit" busy={give.busy} disabled={!Number(amount.value)}>
					Add credits
				</Button>
			</div>
		</form>
	)
}
