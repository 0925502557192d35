import { useSignal } from '@preact/signals'
import type { Session } from '../../../../api/sessions.ts'
import { useAction } from '../../../data/action.ts'
import { client } from '../../../data/client.ts'
import { useLoad } from '../../../data/load.ts'
import { Button } from '../../../parts/button.tsx'
import { Failure } from '../../../parts/note.tsx'
import { Card, Shown } from '../../../parts/page.tsx'
import { Table } from '../../../parts/table.tsx'
import { Time } from '../../../parts/time.tsx'

const kinds = { browser: 'Browser', program: 'Program', mcp: 'Guard client' }

/** Browsers that are signed in, and programs that were let in. */
export default function Sessions() {
	const sessions = useLoad('sessions', () => client.account.sessions())
	const ending = useSignal<string | null>(null)
	const end = useAction(async ({ id, current }: Session) => {
		ending.value = id
		await client.account.revokeSession(id)
		if (current) location.assign('/sign-in')
		await sessions.reload()
	})
	return (
		<Card title="Who is signed in">
			<Failure of={end.error} />
			<Shown of={sessions}>
				{({ data }) => (
					<Table
						label="Sessions"
						columns={[
							{
								head: 'Name',
								cell: ({ name, current }) => (
									<span class="row">
										<span class="cut">{name || 'without a name'}</span>
										{current && <span class="tag good">this one</span>}
									</span>
								),
							},
							{ head: 'Kind', cell: ({ kind }) => kinds[kind] },
							{ head: 'Since', cell: ({ created_at }) => <Time at={created_at} />, minor: true },
							{ head: 'Last used', cell: ({ last_used_at }) => <Time at={last_used_at} /> },
							{ head: 'Ends', cell: ({ expires_at }) => <Time at={expires_at} />, minor: true },
							{
								head: 'Actions',
								silent: true,
								cell: (session) => (
									<Button
										small
										busy={end.busy && ending.value === session.id}
										onClick={() => end.run(session)}
									>
										{session.current ? 'Sign out' : 'Revoke'}
									</Button>
								),
								number: true,
							},
						]}
						rows={data}
						id={({ id }) => id}
					/>
				)}
			</Shown>
		</Card>
	)
}
