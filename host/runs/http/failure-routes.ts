import { sharedNow } from '../../../runtime/lib/clock.ts'
import * as api from '../../api/failures.ts'
import { ownDeployment } from '../../deployments/index.ts'
import { owner } from '../../http/operation.ts'
import type { App } from '../../http/route.ts'
import { readFailures } from '../live/failures.ts'
import { requireKey } from './account-routes.ts'
import type { RunRouteParts } from './parts.ts'

const dayMs = 86_400_000

export function failureRoutes(app: App, parts: Pick<RunRouteParts, 'sql' | 'auth' | 'config'>): void {
	app.get(
		'/v1/failures',
		{
			schema: { querystring: api.FailureQuery, response: { 200: api.FailureList } },
			config: owner(
				'listFailures',
				'Failed runs and refused calls, by deployment, code and message, newest first',
				['not_found'],
			),
		},
		async (request) => {
			const { accountId } = await parts.auth.requireOwner(request)
			const { since, until, ...rest } = request.query
			if (rest.deployment !== undefined) await ownDeployment(parts.sql, accountId, rest.deployment)
			if (rest.key !== undefined) await requireKey(parts.sql, accountId, rest.key)
			return readFailures(parts.sql, parts.config, accountId, {
				...rest,
				since: since === undefined ? sharedNow() - dayMs : Date.parse(since),
				...(until !== undefined && { until: Date.parse(until) }),
			})
		},
	)
}
