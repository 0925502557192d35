import type { Endpoint } from '../api/endpoints.ts'
import type { Rows, Sql, Tx } from '../db/index.ts'
import { iso } from '../deployments/index.ts'
import { notFound } from '../http/errors.ts'
import { isId } from '../lib/ids.ts'

type EndpointRow = Pick<
	Rows['endpoints'],
	| 'id'
	| 'deployment_id'
	| 'url'
	| 'secret'
	| 'disabled_at'
	| 'disabled_reason'
	| 'failing_since'
	| 'created_at'
> & { events: Endpoint['events'] }

export const endpointColumns = (sql: Sql | Tx) => sql`
	id, deployment_id, url, events, secret, disabled_at, disabled_reason, failing_since, created_at`

export async function readEndpoints(sql: Sql | Tx, deployment: string): Promise<EndpointRow[]> {
	return sql<EndpointRow[]>`
		select ${endpointColumns(sql)} from endpoints
		where deployment_id = ${deployment} and deleted_at is null order by id`
}

/** Of this deployment, which the caller has been found to own. */
export async function requireEndpoint(sql: Sql | Tx, deployment: string, id: string): Promise<EndpointRow> {
	const [row] = isId('end', id)
		? await sql<EndpointRow[]>`
			select ${endpointColumns(sql)} from endpoints
			where id = ${id} and deployment_id = ${deployment} and deleted_at is null`
		: []
	if (!row) throw notFound('There is no such endpoint.')
	return row
}

export const viewEndpoint = (row: EndpointRow): Endpoint => ({
	id: row.id,
	url: row.url,
	events: row.events,
	disabled_at: iso(row.disabled_at),
	disabled_reason: row.disabled_reason,
	failing_since: iso(row.failing_since),
	created_at: iso(row.created_at),
})

/** Nothing more is sent there: what waits has failed. Its log stays. */
export async function giveUpPending(sql: Sql | Tx, endpoint: string): Promise<void> {
	await sql`
		update deliveries set status = 'failed', next_attempt_at = null, lease_until = null, completed_at = now()
		where endpoint_id = ${endpoint} and status = 'pending'`
}
