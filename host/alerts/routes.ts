import * as api from '../api/alerts.ts'
import type { Auth } from '../auth/index.ts'
import type { Rows, Sql } from '../db/index.ts'
import { owner } from '../http/operation.ts'
import { toPage } from '../http/page.ts'
import type { App } from '../http/route.ts'

interface AlertRouteParts {
	sql: Sql
	auth: Pick<Auth, 'requireOwner'>
}

type Row = Pick<Rows['alerts'], 'id' | 'at' | 'cleared_at' | 'data'> &
	Pick<api.Alert, 'type' | 'deployment' | 'name'>

export function alertRoutes(app: App, { sql, auth }: AlertRouteParts): void {
	app.get(
		'/v1/alerts',
		{
			schema: { querystring: api.AlertQuery, response: { 200: api.AlertPage } },
			config: owner('listAlerts', 'What you were alerted to in the last 90 days, newest first'),
		},
		async (request) => {
			const { accountId } = await auth.requireOwner(request)
			const { limit, cursor } = request.query
			const rows = await sql<Row[]>`
				select a.id, a.type, a.deployment_id as deployment, d.name, a.at, a.cleared_at, a.data
				from alerts a join deployments d on d.id = a.deployment_id
				where a.account_id = ${accountId} ${cursor === undefined ? sql`` : sql`and a.id < ${cursor}`}
				order by a.id desc limit ${limit + 1}`
			return toPage(rows, limit, ({ at, cleared_at, ...row }) => ({
				...row,
				at: at.toISOString(),
				cleared_at: cleared_at?.toISOString() ?? null,
			}))
		},
	)
}
