import { sharedNow } from '../../runtime/lib/clock.ts'
import type { AlertType } from '../api/alerts.ts'
import type { Sql, Tx } from '../db/index.ts'
import { newId } from '../lib/ids.ts'

export interface Raised {
	type: AlertType
	deployment: string
	/** Ids, names and numbers; no text of a run. */
	data: Record<string, unknown>
}

/** As many as a deployment may have endpoints (host/webhooks/endpoints.ts). */
const endpointsMax = 20

/**
 * Written in the transaction that sees the condition begin, so that it is told once and not at all if that is undone: the
 * alert, from which its e-mail is made, and a delivery for every endpoint that wants it. Senders find both by themselves.
 */
export async function raise(tx: Tx, { type, deployment, data }: Raised): Promise<void> {
	const id = newId('alr')
	const [row] = await tx`
		insert into alerts (id, account_id, deployment_id, type, data)
		select ${id}, account_id, id, ${type}, ${data as never} from deployments where id = ${deployment} and state <> 'deleted'
		on conflict do nothing returning 1`
	if (!row) return
	const body = JSON.stringify({
		type,
		timestamp: new Date(sharedNow()).toISOString(),
		data: { alert: id, deployment, ...data },
	})
	const ids = Array.from({ length: endpointsMax }, () => newId('dlv'))
	await tx`
		insert into deliveries (id, endpoint_id, event_id, place, type, body, status, next_attempt_at)
		select (${ids}::text[])[row_number() over (order by p.id)], p.id, ${newId('evt')}, d.place, ${type}, ${body}, 'pending', now()
		from endpoints p join deployments d on d.id = p.deployment_id
		where p.deployment_id = ${deployment} and p.deleted_at is null and p.disabled_at is null
			and (p.events is null or ${type} = any(p.events))`
}

/** To operators, by e-mail alone: at most once an hour over all hosts. */
export async function raiseDiskLow(sql: Sql, data: { host: string; free_mb: number }): Promise<void> {
	await sql`
		insert into alerts (id, type, data)
		select ${newId('alr')}, 'disk.low', ${data as never}
		where not exists (select 1 from alerts where account_id is null and at > now() - interval '1 hour')`
}
