import type { Sql } from './deps.ts'
import { sweepWindows } from './guard/windows.ts'

/** A registration this old is gone once none of its grants is left; one that never had any expires after a day. */
const unusedClientDays = 30

/** Removes what has expired. Any number of hosts may do it at once. */
export async function sweep(sql: Sql): Promise<void> {
	await sql`delete from guard_oauth where expires_at < now()`
	await sql`
		delete from guard_oauth c
		where model = 'Client'
			and (payload->>'client_id_issued_at')::float8
				< extract(epoch from now()) - ${unusedClientDays} * 86400
			and not exists (
				select from guard_oauth g
				where g.model = 'Grant' and g.payload->>'clientId' = c.payload->>'client_id')`
	await sweepWindows(sql)
}
