import type { FastifyRequest } from 'fastify'
import { z } from 'zod'
import * as api from '../api/erasure.ts'
import { noteAbout, noteReceipt, refuseProgram } from '../auth/index.ts'
import { Problem } from '../http/errors.ts'
import { operator, owner } from '../http/operation.ts'
import type { App } from '../http/route.ts'
import { deleteDeployments, type ErasureParts, eraseAccount } from './erase.ts'

/** Everything of an account, by itself or by an operator. Both name it again, so that nobody does it by mistake. */
export function erasureRoutes(app: App, parts: ErasureParts): void {
	const erase = async (request: FastifyRequest, account: string) => {
		const receipt = await eraseAccount(parts, account, request.id)
		const { account: _, request_id: __, ...erased } = receipt
		noteReceipt(request, erased)
		return receipt
	}
	app.post(
		'/v1/account/erase',
		{
			schema: { body: api.EraseAccount, response: { 200: api.ErasedAccount } },
			config: owner('eraseOwnAccount', 'Erase everything of your account, and close it', ['conflict']),
		},
		async (request) => {
			const caller = await parts.auth.requireOwner(request)
			const { accountId, email } = caller
			refuseProgram(caller, 'erase an account', byToken)
			requireConfirmed(request.body.confirm, email, 'the e-mail address of the account')
			return erase(request, accountId)
		},
	)
	app.post(
		'/v1/admin/accounts/:id/erase',
		{
			schema: {
				params: z.object({ id: z.string() }),
				body: api.EraseAccount,
				response: { 200: api.ErasedAccount },
			},
			config: operator('eraseAccount', 'Erase everything of an account, and close it', ['conflict']),
		},
		async (request) => {
			const caller = await parts.auth.requireOperator(request)
			const { id } = request.params
			if (id === caller.accountId) refuseProgram(caller, 'erase its own account', byToken)
			requireConfirmed(request.body.confirm, id, 'the id of the account')
			noteAbout(request, id)
			await deleteDeployments(parts, id)
			return erase(request, id)
		},
	)
}

const byToken = 'Use a personal access token made in the console (/hub/tokens).'

function requireConfirmed(said: string, wanted: string, what: string): void {
	if (said.toLowerCase() === wanted.toLowerCase()) return
	const message = `must be ${what}`
	throw new Problem('invalid_request', `/confirm ${message}.`, { errors: [{ path: '/confirm', message }] })
}
