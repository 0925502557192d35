import { z } from 'zod'
import * as api from '../api/tools.ts'
import type { Auth } from '../auth/index.ts'
import { owner } from '../http/operation.ts'
import type { App } from '../http/route.ts'
import { acceptTools, readTools, type ToolParts } from './tools.ts'

const byId = z.object({ id: z.string() })

/** `/v1/deployments/{id}/tools`: the tool lock. */
export function toolRoutes(app: App, parts: ToolParts & { auth: Pick<Auth, 'requireOwner'> }): void {
	app.get(
		'/v1/deployments/:id/tools',
		{
			schema: { params: byId, response: { 200: api.ToolLockList } },
			config: owner('listTools', 'Tools of its connectors: as locked, as offered now, and the difference', [
				'conflict',
				'wrong_place',
			]),
		},
		async (request) => {
			const { accountId } = await parts.auth.requireOwner(request)
			return { data: await readTools(parts, accountId, request.params.id) }
		},
	)
	app.post(
		'/v1/deployments/:id/tools/accept',
		{
			schema: { params: byId, body: api.AcceptTools, response: { 200: api.ToolLockList } },
			config: owner('acceptTools', 'Accept offers that were shown; their tools are callable again', [
				'conflict',
				'wrong_place',
			]),
		},
		async (request) => {
			const { accountId } = await parts.auth.requireOwner(request)
			return { data: await acceptTools(parts, accountId, request.params.id, request.body) }
		},
	)
}
