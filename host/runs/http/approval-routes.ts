import { z } from 'zod'
import * as api from '../../api/approvals.ts'
import { owner, runKey } from '../../http/operation.ts'
import { toPage } from '../../http/page.ts'
import type { App } from '../../http/route.ts'
import { type ApprovalParts, listAccountApprovals } from '../live/account-approvals.ts'
import { decide, listApprovals } from '../live/approvals.ts'
import { noSuchRun } from '../live/expiry.ts'
import { readRun } from '../live/read.ts'
import type { RunRouteParts } from './parts.ts'
import { sightOf } from './routes.ts'

const byRun = z.object({ slug: z.string(), run: z.string() })
const byApproval = byRun.extend({ approval: z.string() })

/** What a run asks of a person. Whoever may read the run sees it; only its owner decides. */
export function approvalRoutes(app: App, parts: RunRouteParts & ApprovalParts): void {
	app.get(
		'/d/:slug/runs/:run/approvals',
		{
			schema: { params: byRun, response: { 200: api.ApprovalList } },
			config: runKey('listApprovals', 'What the run has asked a person, with what was decided'),
		},
		async (request) => {
			const deployment = await parts.at(request, request.params.slug)
			const sight = sightOf(deployment, await parts.auth.requireCaller(request, deployment, 'read'))
			const run = await readRun(parts.sql, sight, request.params.run)
			if (!run) throw noSuchRun(deployment.keptDays)
			return { data: await listApprovals(parts.sql, run) }
		},
	)
	app.get(
		'/v1/approvals',
		{
			schema: { querystring: api.AccountApprovalQuery, response: { 200: api.AccountApprovalPage } },
			config: owner('listAccountApprovals', 'What runs of all your deployments ask you, newest first'),
		},
		async (request) => {
			const { accountId } = await parts.auth.requireOwner(request)
			const rows = await listAccountApprovals(parts, accountId, request.query)
			return toPage(rows, request.query.limit, (row) => row)
		},
	)
	app.post(
		'/d/:slug/runs/:run/approvals/:approval',
		{
			schema: { params: byApproval, body: api.DecideApproval, response: { 200: api.Approval } },
			config: owner('decideApproval', 'Decide, once, about exactly the arguments that `digest` names', [
				'conflict',
				'inputs_invalid',
			]),
		},
		async (request) => {
			const deployment = await parts.at(request, request.params.slug)
			const { accountId } = await parts.auth.requireOwnerAt(request, deployment, 'decisions')
			const { id, keptDays } = deployment
			const sight = { deployment: id, lineage: undefined, keptDays }
			const run = await readRun(parts.sql, sight, request.params.run)
			if (!run) throw noSuchRun(deployment.keptDays)
			return decide(parts.sql, run, request.params.approval, request.body, accountId)
		},
	)
}
