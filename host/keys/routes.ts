import type { FastifyRequest } from 'fastify'
import { z } from 'zod'
import { BudgetReport } from '../api/budgets.ts'
import * as keys from '../api/keys.ts'
import type { Auth } from '../auth/index.ts'
import { reportBudgets } from '../budgets/index.ts'
import { ownDeployment } from '../deployments/index.ts'
import { owner } from '../http/operation.ts'
import type { App } from '../http/route.ts'
import { createKey, type KeyParts, listKeys, patchKey, revokeKey, rotateKey } from './keys.ts'

const byId = z.object({ id: z.string() })
const byKey = z.object({ id: z.string(), key: z.string() })

/** Below `/v1/deployments/{id}`: run keys, and what they and their deployment may use in a month. */
export function keyRoutes(app: App, parts: KeyParts & { auth: Pick<Auth, 'requireOwner'> }): void {
	const caller = async (request: FastifyRequest) => (await parts.auth.requireOwner(request)).accountId

	app.get(
		'/v1/deployments/:id/keys',
		{ schema: { params: byId, response: { 200: keys.KeyList } }, config: owner('listKeys', 'Its run keys') },
		async (request) => ({ data: await listKeys(parts.sql, await caller(request), request.params.id) }),
	)
	app.post(
		'/v1/deployments/:id/keys',
		{
			schema: { params: byId, body: keys.CreateKey, response: { 201: keys.IssuedKey } },
			config: owner('createKey', 'Another run key; its value is shown once', ['conflict']),
		},
		async (request, reply) => {
			const { expires_at, ...key } = request.body
			const issued = await createKey(parts, await caller(request), request.params.id, {
				...key,
				expires_at: expires_at ?? null,
			})
			return reply.code(201).send(issued)
		},
	)
	app.patch(
		'/v1/deployments/:id/keys/:key',
		{
			schema: { params: byKey, body: keys.PatchKey, response: { 200: keys.RunKey } },
			config: owner('changeKey', 'Change name or budgets; a budget is that of the key and its successors'),
		},
		async (request) =>
			patchKey(parts, await caller(request), request.params.id, request.params.key, request.body),
	)
	app.get(
		'/v1/deployments/:id/budgets',
		{
			schema: { params: byId, response: { 200: BudgetReport } },
			config: owner('getBudgets', 'Its budgets and those of its run keys, and what the month has used'),
		},
		async (request) => {
			const { id } = await ownDeployment(parts.sql, await caller(request), request.params.id)
			return reportBudgets(parts.sql, id)
		},
	)
	app.post(
		'/v1/deployments/:id/keys/:key/rotate',
		{
			schema: { params: byKey, body: keys.RotateKey, response: { 201: keys.IssuedKey } },
			config: owner(
				'rotateKey',
				'A successor that sees the same runs; the old key works on for the overlap',
				['conflict'],
			),
		},
		async (request, reply) => {
			const { id, key } = request.params
			const issued = await rotateKey(parts, await caller(request), id, key, request.body.overlap_seconds)
			return reply.code(201).send(issued)
		},
	)
	app.delete(
		'/v1/deployments/:id/keys/:key',
		{
			schema: { params: byKey, response: { 200: keys.RunKey } },
			config: owner('revokeKey', 'Revoke a run key, on every host within a second'),
		},
		async (request) => revokeKey(parts, await caller(request), request.params.id, request.params.key),
	)
}
