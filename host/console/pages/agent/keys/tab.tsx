import { useSignal } from '@preact/signals'
import type { IssuedKey, RunKey } from '../../../../owner/client/index.ts'
import { client } from '../../../data/client.ts'
import { hostNow } from '../../../data/clock.ts'
import { useLoad } from '../../../data/load.ts'
import { Button } from '../../../parts/button.tsx'
import { Empty, Shown } from '../../../parts/page.tsx'
import { SecretDialog } from '../../../parts/secret.tsx'
import { State } from '../../../parts/state.tsx'
import { type Column, Table } from '../../../parts/table.tsx'
import { Time } from '../../../parts/time.tsx'
import type { TabProps } from '../tabs.tsx'
import { BudgetText } from './budget-text.tsx'
import { KeyBudget } from './key-budget.tsx'
import { NewKey } from './new-key.tsx'
import { RevokeKey } from './revoke-key.tsx'
import { RotateKey } from './rotate-key.tsx'

type Asked = { what: 'new' } | { what: 'rotate' | 'revoke' | 'budget'; key: RunKey }

/** Run keys: who may call the agent, how far, for how long. */
export default function Keys({ agent: { id } }: TabProps) {
	const keys = useLoad(`keys ${id}`, () => client.deployments.keys(id))
	const budgets = useLoad(`budgets ${id}`, () => client.deployments.budgets(id))
	const asked = useSignal<Asked | undefined>(undefined)
	const issued = useSignal<IssuedKey | undefined>(undefined)
	const ask = (next: Asked | undefined) => {
		asked.value = next
	}
	const done = async (key?: IssuedKey) => {
		ask(undefined)
		issued.value = key
		await Promise.all([keys.reload(), budgets.reload()])
	}
	const dialog = { deployment: id, onClose: () => ask(undefined), onDone: done }
	return (
		<div class="stack">
			<div class="row apart">
				<p class="soft">A run key calls this agent and nothing else. Its value is shown once.</p>
				<Button kind="primary" icon="plus" onClick={() => ask({ what: 'new' })}>
					New key
				</Button>
			</div>
			<Shown of={keys}>
				{({ data }) =>
					data.length === 0 ? (
						<Empty title="No run keys">
							<p>Make one for each program that calls this agent.</p>
						</Empty>
					) : (
						<Table
							label="Run keys"
							columns={columnsOf(ask, budgets.data?.keys ?? [], data)}
							rows={data}
							id={(key) => key.id}
						/>
					)
				}
			</Shown>
			{asked.value?.what === 'new' && <NewKey {...dialog} />}
			{asked.value?.what === 'rotate' && <RotateKey {...dialog} of={asked.value.key} />}
			{asked.value?.what === 'revoke' && <RevokeKey {...dialog} of={asked.value.key} />}
			{asked.value?.what === 'budget' && <KeyBudget {...dialog} of={asked.value.key} />}
			{issued.value && (
				<SecretDialog
					title={`Run key ${issued.value.name}`}
					secret={issued.value.run_key}
					hint="Store it where the calling program reads it."
					onStored={() => {
						issued.value = undefined
					}}
				/>
			)}
		</div>
	)
}

const stateOf = ({ revoked_at, expires_at }: RunKey) => {
	if (revoked_at) return 'revoked'
	return expires_at && Date.parse(expires_at) <= hostNow() ? 'expired' : 'active'
}

/** As the host decides: the key of a rotation that works longest is the one to rotate. */
const isNewest = ({ id, lineage, expires_at }: RunKey, all: RunKey[]) => {
	const end = (at: string | null) => (at === null ? Number.POSITIVE_INFINITY : Date.parse(at))
	const isLater = (other: RunKey) => !other.revoked_at && end(other.expires_at) > end(expires_at)
	return !all.some((other) => other.id !== id && other.lineage === lineage && isLater(other))
}

type Used = Awaited<ReturnType<typeof client.deployments.budgets>>['keys']

const columnsOf = (ask: (next: Asked) => void, used: Used, all: RunKey[]): Column<RunKey>[] => [
	{
		head: 'Name',
		cell: ({ name, id, lineage }) => (
			<>
				{name}
				<div class="small soft">
					{id}
					{lineage !== id && ` · in place of ${lineage}`}
				</div>
			</>
		),
	},
	{ head: 'State', cell: (key) => <State of={stateOf(key)} /> },
	{ head: 'Scopes', cell: ({ scopes }) => scopes.join(', '), minor: true },
	{ head: 'Last used', cell: ({ last_used_at }) => <Time at={last_used_at} />, minor: true },
	{ head: 'Ends', cell: ({ expires_at }) => <Time at={expires_at} />, minor: true },
	{
		head: 'Budget, used',
		cell: ({ budgets, lineage }) => (
			<BudgetText of={budgets} used={used.find((one) => one.lineage === lineage)?.used} />
		),
		number: true,
		minor: true,
	},
	{
		head: 'Actions',
		cell: (key) =>
			key.revoked_at === null && (
				<div class="actions">
					<Button small onClick={() => ask({ what: 'budget', key })}>
						Budget
					</Button>
					{stateOf(key) === 'active' && isNewest(key, all) && (
						<Button small onClick={() => ask({ what: 'rotate', key })}>
							Rotate
						</Button>
					)}
					<Button small onClick={() => ask({ what: 'revoke', key })}>
						Revoke
					</Button>
				</div>
			),
		number: true,
	},
]
