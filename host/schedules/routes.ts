import type { FastifyRequest } from 'fastify'
import { z } from 'zod'
import * as api from '../api/schedules.ts'
import { ownDeployment } from '../deployments/index.ts'
import { owner } from '../http/operation.ts'
import type { App } from '../http/route.ts'
import { createSchedule, deleteSchedule, patchSchedule, type ScheduledDeployment } from './change.ts'
import type { ScheduleParts } from './parts.ts'
import { readSchedules, requireSchedule, viewSchedule } from './store.ts'

const byId = z.object({ id: z.string() })
const bySchedule = z.object({ id: z.string(), schedule: z.string() })

/** Below `/v1/deployments/{id}`. */
export function scheduleRoutes(app: App, parts: ScheduleParts): void {
	const own = async (request: FastifyRequest & { params: { id: string } }): Promise<ScheduledDeployment> => {
		const { accountId } = await parts.auth.requireOwner(request)
		return ownDeployment(parts.sql, accountId, request.params.id)
	}
	app.post(
		'/v1/deployments/:id/schedules',
		{
			schema: { params: byId, body: api.CreateSchedule, response: { 201: api.Schedule } },
			config: owner('createSchedule', 'Run it by the clock: a cron expression in a time zone, with inputs', [
				'inputs_invalid',
				'conflict',
			]),
		},
		async (request, reply) =>
			reply.code(201).send(await createSchedule(parts, await own(request), request.body)),
	)
	app.get(
		'/v1/deployments/:id/schedules',
		{
			schema: { params: byId, response: { 200: api.ScheduleList } },
			config: owner('listSchedules', 'Its schedules'),
		},
		async (request) => ({
			data: (await readSchedules(parts.sql, (await own(request)).id)).map(viewSchedule),
		}),
	)
	app.get(
		'/v1/deployments/:id/schedules/:schedule',
		{
			schema: { params: bySchedule, response: { 200: api.Schedule } },
			config: owner('getSchedule', 'One schedule'),
		},
		async (request) =>
			viewSchedule(await requireSchedule(parts.sql, (await own(request)).id, request.params.schedule)),
	)
	app.patch(
		'/v1/deployments/:id/schedules/:schedule',
		{
			schema: { params: bySchedule, body: api.PatchSchedule, response: { 200: api.Schedule } },
			config: owner('changeSchedule', 'Change it, pause it, or let it go on', ['inputs_invalid']),
		},
		async (request) => patchSchedule(parts, await own(request), request.params.schedule, request.body),
	)
	app.delete(
		'/v1/deployments/:id/schedules/:schedule',
		{
			schema: { params: bySchedule, response: { 204: z.undefined() } },
			config: owner('deleteSchedule', 'Delete a schedule; runs that it made stay'),
		},
		async (request, reply) => {
			await deleteSchedule(parts.sql, await own(request), request.params.schedule)
			return reply.code(204).send()
		},
	)
}
