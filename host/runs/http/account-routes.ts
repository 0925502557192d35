import { z } from 'zod'
import * as api from '../../api/runs.ts'
import type { Sql } from '../../db/index.ts'
import { ownDeployment } from '../../deployments/index.ts'
import { notFound, Problem } from '../../http/errors.ts'
import { owner } from '../../http/operation.ts'
import { toPage } from '../../http/page.ts'
import type { App } from '../../http/route.ts'
import type { Places } from '../../places/index.ts'
import { readRefusals } from '../accept/refusals.ts'
import { cancelRun } from '../live/cancel.ts'
import { listLive, listRunsOf, readRunOf } from '../live/read.ts'
import { runJson } from '../live/view.ts'
import { isRunCode } from './codes.ts'
import type { RunRouteParts } from './parts.ts'

/** `/v1/runs`: everything of an account that is under way, and the means to end it; and what never came to be a run. */
export function accountRunRoutes(app: App, parts: RunRouteParts & { places: Pick<Places, 'urlOf'> }): void {
	app.get(
		'/v1/runs',
		{
			schema: { querystring: api.AccountRunQuery, response: { 200: api.AccountRunPage } },
			config: owner(
				'listAccountRuns',
				'Runs of all your deployments, newest first; the live ones, unless `status` or `code` says otherwise',
				['not_found'],
			),
		},
		async (request) => {
			const { accountId } = await parts.auth.requireOwner(request)
			const { status = request.query.code ? 'all' : 'live', since, until, limit, ...rest } = request.query
			await requireFilters(parts.sql, accountId, rest)
			const which = {
				...rest,
				limit,
				...(since !== undefined && { since: Date.parse(since) }),
				...(until !== undefined && { until: Date.parse(until) }),
			}
			const rows = await rowsOf(parts, accountId, status, which)
			return toPage(rows, limit, (row) => row)
		},
	)
	app.get(
		'/v1/runs/:run',
		{
			schema: { params: z.object({ run: z.string() }), response: { 200: api.RunDetail } },
			config: owner('getAccountRun', 'A run by its id alone, with its deployment and what began it'),
		},
		async (request) => {
			const { accountId } = await parts.auth.requireOwner(request)
			const found = await readRunOf(parts.sql, parts.config, accountId, request.params.run)
			if (!found) throw notFound('There is no such run.')
			const { record, name, slug, place, key, schedule } = found
			return {
				...(JSON.parse(runJson(record)) as api.Run),
				deployment_name: name,
				deployment_url: parts.places.urlOf({ place, slug }),
				key,
				schedule,
			}
		},
	)
	app.get(
		'/v1/deployments/:id/refusals',
		{
			schema: { params: z.object({ id: z.string() }), response: { 200: api.RefusalList } },
			config: owner('listRefusals', 'Calls that were refused before there was a run, by code and hour'),
		},
		async (request) => {
			const { accountId } = await parts.auth.requireOwner(request)
			const { id } = await ownDeployment(parts.sql, accountId, request.params.id)
			return { data: await readRefusals(parts.sql, id) }
		},
	)
	app.post(
		'/v1/runs/cancel',
		{
			schema: { body: api.CancelRuns, response: { 200: api.CancelRunsAnswer } },
			config: owner('cancelRuns', 'End every live run of a deployment, of a run key, or of the account', [
				'not_found',
			]),
		},
		async (request) => {
			const { accountId } = await parts.auth.requireOwner(request)
			const { deployment, key } = request.body
			if (deployment !== undefined) await ownDeployment(parts.sql, accountId, deployment)
			if (key !== undefined) await requireKey(parts.sql, accountId, key)
			const live = await listLive(parts.sql, accountId, { deployment, key })
			await Promise.all(live.map(({ id }) => cancelRun(parts.runs.engine, id, 'its owner cancelled it')))
			return {
				in_flight: live.map(({ id, deployment: of, status }) => ({ run: id, deployment: of, status })),
			}
		},
	)
}

/** One that is not there is told: no run would be found, as if there were none. */
async function requireFilters(
	sql: Sql,
	account: string,
	{ deployment, key, code }: { deployment?: string; key?: string; code?: string },
): Promise<void> {
	if (deployment !== undefined) await ownDeployment(sql, account, deployment)
	if (key !== undefined) await requireKey(sql, account, key)
	if (code === undefined || isRunCode(code)) return
	const message = 'is no code that a run ends with'
	throw new Problem('invalid_request', `code: ${message}`, { errors: [{ path: '/code', message }] })
}

export async function requireKey(sql: Sql, accountId: string, key: string): Promise<void> {
	const rows = await sql`
		select 1 from run_keys k join deployments d on d.id = k.deployment_id
		where k.id = ${key} and d.account_id = ${accountId}`
	if (rows.length === 0) throw notFound('There is no such run key.')
}

function rowsOf(
	{ sql, config }: Pick<RunRouteParts, 'sql' | 'config'>,
	account: string,
	status: NonNullable<z.infer<typeof api.AccountRunQuery>['status']>,
	which: Parameters<typeof listRunsOf>[4],
): Promise<api.AccountRun[]> {
	if (status === 'live') return listLive(sql, account, which)
	if (status === 'queued' || status === 'running' || status === 'waiting')
		return listLive(sql, account, { ...which, status })
	return listRunsOf(sql, config, account, status, which)
}
