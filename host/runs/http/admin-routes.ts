import { z } from 'zod'
import * as api from '../../api/admin.ts'
import { NoBody } from '../../api/common.ts'
import { type Auth, noteAbout } from '../../auth/index.ts'
import type { Sql } from '../../db/index.ts'
import { notFound, Problem } from '../../http/errors.ts'
import { operator } from '../../http/operation.ts'
import { toPage } from '../../http/page.ts'
import type { App } from '../../http/route.ts'
import { findOwner, listAllLive, listHosts } from '../live/admin.ts'
import { cancelRun } from '../live/cancel.ts'
import type { Runs } from '../live/service.ts'

interface AdminRunParts {
	/** This host. */
	id: string
	sql: Sql
	auth: Pick<Auth, 'requireOperator'>
	runs: Pick<Runs, 'engine'>
}

/** What is under way on all hosts, for operators. */
export function adminRunRoutes(app: App, { id: me, sql, auth, runs }: AdminRunParts): void {
	app.get(
		'/v1/admin/hosts',
		{
			schema: { response: { 200: api.AdminHostList } },
			config: operator('listHosts', 'Hosts of this installation, with their leases and live runs'),
		},
		async (request) => {
			await auth.requireOperator(request)
			return { data: await listHosts(sql, me) }
		},
	)
	app.get(
		'/v1/admin/runs',
		{
			schema: { querystring: api.AdminRunQuery, response: { 200: api.AdminRunPage } },
			config: operator(
				'listRunsAsOperator',
				'Live runs of all accounts, newest first, without what they work on',
			),
		},
		async (request) => {
			await auth.requireOperator(request)
			const { limit, cursor } = request.query
			return toPage(await listAllLive(sql, { limit, cursor }), limit, (row) => row)
		},
	)
	app.post(
		'/v1/admin/runs/:id/cancel',
		{
			schema: { params: z.object({ id: z.string() }), body: NoBody, response: { 200: api.AdminCancel } },
			config: operator('cancelRunAsOperator', 'End a live run of any account', ['conflict']),
		},
		async (request) => {
			await auth.requireOperator(request)
			const { id } = request.params
			const found = await findOwner(sql, id)
			if (!found) throw notFound('There is no such run.')
			noteAbout(request, found.account)
			if (!found.live || !(await cancelRun(runs.engine, id, 'an operator cancelled it')))
				throw new Problem('conflict', 'The run has ended.')
			return { run: id, status: found.live }
		},
	)
}
