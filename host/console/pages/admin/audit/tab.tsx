import { client } from '../../../data/client.ts'
import { useList } from '../../../data/list.ts'
import { AuditTable } from '../../../parts/audit-table.tsx'

/** What was changed on the platform, and by whom. */
export default function Audit() {
	const list = useList('admin-audit', (cursor) => client.admin.audit({ ...(cursor && { cursor }) }))
	return <AuditTable of={list} account />
}
