import { useSignal } from '@preact/signals'
import { useEffect, useRef } from 'preact/hooks'
import type { AccountApproval, Approval } from '../../../owner/client/index.ts'
import { client } from '../../data/client.ts'
import { heldRows } from './held-rows.ts'

/** What the page shows of the rows that it has read, until `key` changes or the newest are asked for. */
export function useHeld(key: string, read: AccountApproval[] | undefined) {
	const held = useRef<{ key: string; rows: AccountApproval[] }>({ key, rows: [] })
	const turn = useSignal(0)
	/** As they are where the list no longer has them. */
	const ends = useSignal<Record<string, Approval>>({})
	const at = `${key} ${turn.value}`
	if (held.current.key !== at) held.current = { key: at, rows: [] }
	const { rows, fresh, gone } = heldRows(held.current.rows, read ?? [])
	if (read) held.current.rows = rows
	const decided = (approval: Approval) => {
		ends.value = { ...ends.peek(), [approval.id]: approval }
	}
	const unsure = (read ? gone : []).filter(({ id, status }) => status === 'pending' && !ends.value[id])
	useEffect(() => {
		for (const { id, run, deployment_url: url } of unsure)
			void client.runs.approvals(url, run).then(
				({ data }) => {
					const found = data.find((one) => one.id === id)
					// A list of many pages loses some that wait.
					if (found && found.status !== 'pending') decided(found)
				},
				// The next reading of the list asks again.
				() => {},
			)
	}, [read])
	return {
		rows: read && rows.map((row) => ({ ...row, ...ends.value[row.id] })),
		fresh: read ? fresh.length : 0,
		decided,
		showFresh() {
			turn.value++
		},
	}
}
