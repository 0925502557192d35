import { useSignal } from '@preact/signals'
import { useAction } from '../../../data/action.ts'
import { client } from '../../../data/client.ts'
import { useLoad } from '../../../data/load.ts'
import { Button } from '../../../parts/button.tsx'
import { Confirm } from '../../../parts/dialog.tsx'
import { Card, Empty, Shown } from '../../../parts/page.tsx'
import { SecretDialog } from '../../../parts/secret.tsx'
import { Table } from '../../../parts/table.tsx'
import { Time } from '../../../parts/time.tsx'
import { NewToken } from './new-token.tsx'

/** Personal access tokens: what scripts and the command line act with. */
export default function Tokens() {
	const tokens = useLoad('tokens', () => client.account.tokens())
	const adding = useSignal(false)
	const issued = useSignal<string | null>(null)
	const leaving = useSignal<{ id: string; name: string } | null>(null)
	const revoke = useAction(async (id: string) => {
		await client.account.revokeToken(id)
		leaving.value = null
		await tokens.reload()
	})
	return (
		<Card
			title="Personal access tokens"
			actions={
				<Button
					icon="plus"
					onClick={() => {
						adding.value = true
					}}
				>
					New token
				</Button>
			}
		>
			<Shown of={tokens}>
				{({ data }) =>
					data.length === 0 ? (
						<Empty title="No tokens">
							<p class="soft">A token lets a script act for you at the whole API. It is shown once.</p>
						</Empty>
					) : (
						<Table
							label="Tokens"
							columns={[
								{ head: 'Name', cell: ({ name }) => name },
								{ head: 'Made', cell: ({ created_at }) => <Time at={created_at} />, minor: true },
								{ head: 'Last used', cell: ({ last_used_at }) => <Time at={last_used_at} /> },
								{ head: 'Ends', cell: ({ expires_at }) => <Time at={expires_at} /> },
								{
									head: 'Actions',
									silent: true,
									cell: ({ id, name }) => (
										<Button
											small
											onClick={() => {
												leaving.value = { id, name }
											}}
										>
											Revoke
										</Button>
									),
									number: true,
								},
							]}
							rows={data}
							id={({ id }) => id}
						/>
					)
				}
			</Shown>
			{adding.value && (
				<NewToken
					onClose={() => {
						adding.value = false
					}}
					onIssued={(token) => {
						adding.value = false
						issued.value = token
						void tokens.reload()
					}}
				/>
			)}
			{issued.value !== null && (
				<SecretDialog
					title="Your token"
					secret={issued.value}
					hint="It opens everything of this account; keep it like a password."
					onStored={() => {
						issued.value = null
					}}
				/>
			)}
			{leaving.value && (
				<Confirm
					title={`Revoke ${leaving.value.name}?`}
					action="Revoke token"
					danger
					busy={revoke.busy}
					error={revoke.error}
					onConfirm={() => void revoke.run(leaving.value?.id ?? '')}
					onClose={() => {
						leaving.value = null
						revoke.clear()
					}}
				>
					<p>Whatever uses it is refused within a second. This cannot be undone.</p>
				</Confirm>
			)}
		</Card>
	)
}
