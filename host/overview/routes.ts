import { Overview } from '../api/overview.ts'
import type { Auth } from '../auth/index.ts'
import type { Sql } from '../db/index.ts'
import { owner } from '../http/operation.ts'
import type { App } from '../http/route.ts'
import { readOverview } from './overview.ts'

interface OverviewParts {
	sql: Sql
	auth: Pick<Auth, 'requireOwner'>
}

export function overviewRoutes(app: App, parts: OverviewParts): void {
	app.get(
		'/v1/overview',
		{
			schema: { response: { 200: Overview } },
			config: owner('getOverview', 'All your deployments: hours of the last day, what needs you, what comes'),
		},
		async (request) => readOverview(parts.sql, (await parts.auth.requireOwner(request)).accountId),
	)
}
