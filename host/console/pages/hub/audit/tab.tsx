import { client } from '../../../data/client.ts'
import { useList } from '../../../data/list.ts'
import { AuditTable } from '../../../parts/audit-table.tsx'
import { Card } from '../../../parts/page.tsx'

/** What was changed in this account, and by whom. */
export default function Audit() {
	const list = useList('audit', (cursor) => client.account.audit({ ...(cursor && { cursor }) }))
	return (
		<Card title="Audit log">
			<AuditTable of={list} />
		</Card>
	)
}
