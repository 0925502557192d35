import { useSignal } from '@preact/signals'
import type { AdminAccount } from '../../../../api/admin.ts'
import { client } from '../../../data/client.ts'
import { count } from '../../../data/format.ts'
import { useList } from '../../../data/list.ts'
import { Button } from '../../../parts/button.tsx'
import { More } from '../../../parts/more.tsx'
import { Failure } from '../../../parts/note.tsx'
import { Empty, Skeleton } from '../../../parts/page.tsx'
import { Search } from '../../../parts/search.tsx'
import { type Column, Table } from '../../../parts/table.tsx'
import { Time } from '../../../parts/time.tsx'
import { ChangeAccount } from './change.tsx'
import { NewAccount } from './new-account.tsx'

/** Every account, by e-mail; one is opened to change it. */
export function Accounts() {
	const email = useSignal('')
	const adding = useSignal(false)
	const open = useSignal<AdminAccount | null>(null)
	const wanted = email.value.trim()
	const list = useList(`admin-accounts ${wanted}`, (cursor) =>
		client.admin.accounts({ ...(wanted && { email: wanted }), ...(cursor && { cursor }) }),
	)
	return (
		<>
			<div class="chips">
				<Search label="Find by e-mail address" hint="Whole e-mail address" text={email} />
				<Button
					icon="plus"
					onClick={() => {
						adding.value = true
					}}
				>
					New account
				</Button>
			</div>
			<Failure of={list.error} />
			{!list.rows && !list.error && <Skeleton />}
			{list.rows?.length === 0 && <Empty title="No account has this address" />}
			{list.rows && list.rows.length > 0 && (
				<Table
					label="Accounts"
					columns={columnsOf((account) => {
						open.value = account
					})}
					rows={list.rows}
					id={({ id }) => id}
					more={<More of={list} />}
				/>
			)}
			{adding.value && (
				<NewAccount
					onClose={() => {
						adding.value = false
						void list.reload()
					}}
				/>
			)}
			{open.value && (
				<ChangeAccount
					account={open.value}
					onClose={() => {
						open.value = null
						void list.reload()
					}}
				/>
			)}
		</>
	)
}

const columnsOf = (change: (account: AdminAccount) => void): Column<AdminAccount>[] => [
	{ head: 'E-mail', cell: ({ email }) => email },
	{ head: 'Plan', cell: ({ plan }) => plan },
	{ head: 'Roles', cell: (account) => <Roles of={account} /> },
	{ head: 'Credits', cell: ({ credits }) => count(credits), number: true, minor: true },
	{ head: 'Since', cell: ({ created_at }) => <Time at={created_at} />, minor: true },
	{
		head: 'Actions',
		silent: true,
		cell: (account) => (
			<Button small onClick={() => change(account)}>
				Change
			</Button>
		),
		number: true,
	},
]

function Roles({ of: { operator, tester, disabled } }: { of: AdminAccount }) {
	if (!operator && !tester && !disabled) return <span class="soft">–</span>
	return (
		<span class="row">
			{operator && <span class="tag good">operator</span>}
			{tester && <span class="tag">tester</span>}
			{disabled && <span class="tag bad">disabled</span>}
		</span>
	)
}
