import type { AuditEntry } from '../../api/audit.ts'
import type { Listed } from '../data/list.ts'
import { More } from './more.tsx'
import { Failure } from './note.tsx'
import { Empty, Skeleton } from './page.tsx'
import { Table } from './table.tsx'
import { Time } from './time.tsx'

const kinds: Record<AuditEntry['actor']['kind'], string> = {
	session: 'browser',
	console: 'browser',
	personal: 'token',
	oauth: 'program',
	local: 'operator of the machine',
	upload: 'upload token',
	sign_in: 'sign-in',
}

/** Who changed what, newest first. */
export function AuditTable({ of: list, account }: { of: Listed<AuditEntry>; account?: boolean }) {
	if (!list.rows) return list.error ? <Failure of={list.error} /> : <Skeleton />
	if (list.rows.length === 0) return <Empty title="Nothing was changed yet" />
	return (
		<>
			<Failure of={list.error} />
			<Table
				label="Audit log"
				columns={[
					{ head: 'When', cell: ({ at }) => <Time at={at} /> },
					{ head: 'What', cell: ({ operation }) => <code>{operation}</code> },
					{
						head: 'On',
						cell: ({ target }) => <span class="mono small">{Object.values(target).join(' ') || '–'}</span>,
						minor: true,
					},
					...(account
						? [
								{
									head: 'Account',
									cell: (entry: AuditEntry) => <code class="small">{entry.account ?? '–'}</code>,
									minor: true,
								},
							]
						: []),
					{
						head: 'By',
						cell: ({ actor, account }) =>
							actor.account !== null && actor.account !== account
								? `${kinds[actor.kind]} of an operator`
								: kinds[actor.kind],
					},
					{ head: 'From', cell: ({ address }) => <span class="mono small">{address}</span>, minor: true },
					{
						head: 'Answer',
						cell: ({ status }) => <span class={status < 400 ? 'soft' : 'bad-text'}>{status}</span>,
						number: true,
					},
				]}
				rows={list.rows}
				id={({ id }) => id}
				more={<More of={list} />}
			/>
		</>
	)
}
