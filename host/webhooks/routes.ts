import type { FastifyRequest } from 'fastify'
import { z } from 'zod'
import { NoBody } from '../api/common.ts'
import * as api from '../api/endpoints.ts'
import type { Auth } from '../auth/index.ts'
import { ownDeployment } from '../deployments/index.ts'
import { owner } from '../http/operation.ts'
import type { App } from '../http/route.ts'
import { type DeliveryParts, listDeliveries, ping, redeliver, redeliverSpan } from './deliveries.ts'
import {
	createEndpoint,
	deleteEndpoint,
	type EndpointParts,
	patchEndpoint,
	rotateSecret,
} from './endpoints.ts'
import { readEndpoints, requireEndpoint, viewEndpoint } from './store.ts'

interface WebhookParts extends EndpointParts, DeliveryParts {
	auth: Pick<Auth, 'requireOwner'>
}

const byId = z.object({ id: z.string() })
const byEndpoint = z.object({ id: z.string(), endpoint: z.string() })
const byDelivery = z.object({ id: z.string(), delivery: z.string() })

/** Below `/v1/deployments/{id}`: endpoints and the log of what was sent to them. */
export function webhookRoutes(app: App, parts: WebhookParts): void {
	/** The deployment, which is the caller's own. */
	const own = async (request: FastifyRequest & { params: { id: string } }): Promise<string> => {
		const { accountId } = await parts.auth.requireOwner(request)
		return (await ownDeployment(parts.sql, accountId, request.params.id)).id
	}
	app.post(
		'/v1/deployments/:id/endpoints',
		{
			schema: { params: byId, body: api.CreateEndpoint, response: { 201: api.EndpointWithSecret } },
			config: owner('createEndpoint', 'Have a URL told of runs that end; the signing secret is shown once', [
				'conflict',
			]),
		},
		async (request, reply) =>
			reply.code(201).send(await createEndpoint(parts, await own(request), request.body)),
	)
	app.get(
		'/v1/deployments/:id/endpoints',
		{
			schema: { params: byId, response: { 200: api.EndpointList } },
			config: owner('listEndpoints', 'Its webhook endpoints'),
		},
		async (request) => ({ data: (await readEndpoints(parts.sql, await own(request))).map(viewEndpoint) }),
	)
	app.get(
		'/v1/deployments/:id/endpoints/:endpoint',
		{
			schema: { params: byEndpoint, response: { 200: api.Endpoint } },
			config: owner('getEndpoint', 'One endpoint'),
		},
		async (request) =>
			viewEndpoint(await requireEndpoint(parts.sql, await own(request), request.params.endpoint)),
	)
	app.patch(
		'/v1/deployments/:id/endpoints/:endpoint',
		{
			schema: { params: byEndpoint, body: api.PatchEndpoint, response: { 200: api.Endpoint } },
			config: owner('changeEndpoint', 'Change its URL or events, disable it or switch it on again'),
		},
		async (request) => patchEndpoint(parts, await own(request), request.params.endpoint, request.body),
	)
	app.delete(
		'/v1/deployments/:id/endpoints/:endpoint',
		{
			schema: { params: byEndpoint, response: { 204: z.undefined() } },
			config: owner('deleteEndpoint', 'Delete an endpoint'),
		},
		async (request, reply) => {
			await deleteEndpoint(parts.sql, await own(request), request.params.endpoint)
			return reply.code(204).send()
		},
	)
	useRoutes(app, parts, own)
	deliveryRoutes(app, parts, own)
}

type Own = (request: FastifyRequest & { params: { id: string } }) => Promise<string>

/** Its secret, and whether it answers. */
function useRoutes(app: App, parts: WebhookParts, own: Own): void {
	app.post(
		'/v1/deployments/:id/endpoints/:endpoint/rotate',
		{
			schema: { params: byEndpoint, body: api.RotateEndpoint, response: { 201: api.EndpointWithSecret } },
			config: owner('rotateEndpointSecret', 'A new secret; for the overlap both sign'),
		},
		async (request, reply) => {
			const { endpoint } = request.params
			const rotated = await rotateSecret(parts, await own(request), endpoint, request.body.overlap_seconds)
			return reply.code(201).send(rotated)
		},
	)
	app.post(
		'/v1/deployments/:id/endpoints/:endpoint/ping',
		{
			schema: { params: byEndpoint, body: NoBody, response: { 200: api.Delivery } },
			config: owner('pingEndpoint', 'Send a ping, and see what came of it', ['conflict']),
		},
		async (request) => ping(parts, await own(request), request.params.endpoint),
	)
}

function deliveryRoutes(app: App, parts: WebhookParts, own: Own): void {
	app.get(
		'/v1/deployments/:id/deliveries',
		{
			schema: { params: byId, querystring: api.DeliveryQuery, response: { 200: api.DeliveryPage } },
			config: owner('listDeliveries', 'What was sent, newest first, with every attempt'),
		},
		async (request) => listDeliveries(parts.sql, await own(request), request.query),
	)
	app.get(
		'/v1/deployments/:id/endpoints/:endpoint/deliveries',
		{
			schema: { params: byEndpoint, querystring: api.DeliveryQuery, response: { 200: api.DeliveryPage } },
			config: owner('listEndpointDeliveries', 'What was sent to one endpoint'),
		},
		async (request) => {
			const deployment = await own(request)
			const { id: endpoint } = await requireEndpoint(parts.sql, deployment, request.params.endpoint)
			return listDeliveries(parts.sql, deployment, { ...request.query, endpoint })
		},
	)
	app.post(
		'/v1/deployments/:id/deliveries/:delivery/redeliver',
		{
			schema: { params: byDelivery, body: NoBody, response: { 200: api.Delivery } },
			config: owner('redeliver', 'Send one again, from the start of the schedule', ['conflict']),
		},
		async (request) => redeliver(parts, await own(request), request.params.delivery),
	)
	app.post(
		'/v1/deployments/:id/deliveries/redeliver',
		{
			schema: { params: byId, body: api.RedeliverSpan, response: { 200: api.RedeliverAnswer } },
			config: owner('redeliverSpan', 'Send a span of time again', ['conflict']),
		},
		async (request) => redeliverSpan(parts, await own(request), request.body),
	)
}
