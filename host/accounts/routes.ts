import { z } from 'zod'
import * as api from '../api/account.ts'
import {
	findAccount,
	issueToken,
	listTokens,
	noteReceipt,
	refuseProgram,
	revokeToken,
	sessionRoutes,
	signIn,
	type TokenRow,
	throttled,
} from '../auth/index.ts'
import { notFound, Problem } from '../http/errors.ts'
import { owner } from '../http/operation.ts'
import { toPage } from '../http/page.ts'
import type { App } from '../http/route.ts'
import { requireFuture } from '../http/validation.ts'
import { changeAccount } from './accounts.ts'
import { adminRoutes } from './admin-routes.ts'
import { readLedger, toCredits } from './ledger.ts'
import { pageRoutes } from './page-routes.ts'
import type { AccountParts } from './parts.ts'
import { heldSlots } from './plans.ts'
import { sweepPlatform } from './sweep.ts'

/** `/v1/account`, `/v1/tokens`, sessions and the pages of a browser, `/v1/admin/accounts`. */
export function platformRoutes(app: App, parts: AccountParts): void {
	accountRoutes(app, parts)
	tokenRoutes(app, parts)
	sessionRoutes(app, parts)
	pageRoutes(app, parts)
	adminRoutes(app, parts)
	sweepPlatform(app, parts)
}

function accountRoutes(app: App, parts: AccountParts): void {
	app.get(
		'/v1/account',
		{
			schema: { response: { 200: api.Account } },
			config: owner('getAccount', 'Your account: plan, slots, credits'),
		},
		async (request) => viewAccount(parts, (await parts.auth.requireOwner(request)).accountId),
	)
	app.patch(
		'/v1/account',
		{
			schema: { body: api.PatchAccount, response: { 200: api.ChangedAccount } },
			config: owner(
				'updateAccount',
				'Set your password, which ends your other browser sessions, and whether you get alerts by e-mail',
			),
		},
		async (request) => {
			const caller = await parts.auth.requireOwner(request)
			const { accountId, email, via, token } = caller
			const { password, current_password = '', alert_mail } = request.body
			const changed = Object.keys(request.body).filter((name) => name !== 'current_password')
			noteReceipt(request, { changed: changed.join(', ') })
			if (password !== undefined) refuseProgram(caller, 'set a password')
			const account = await findAccount(parts.sql, accountId)
			if (password !== undefined && account?.has_password) {
				const attempt = { email, password: current_password, address: request.ip }
				const done = await signIn(parts, attempt)
				if (!done.ok && done.reason === 'throttled')
					throw throttled(done.retryAfterSeconds, 'wrong passwords')
				if (!done.ok) {
					throw new Problem('invalid_request', 'The current password is not right.', {
						errors: [{ path: '/current_password', message: 'is not right' }],
					})
				}
			}
			const keep = via === 'session' && token.id !== null ? token.id : undefined
			const done = await changeAccount(parts, accountId, { password, alert_mail }, keep)
			return { ...(await viewAccount(parts, accountId)), ended_sessions: done?.ended_sessions }
		},
	)
	app.get(
		'/v1/account/ledger',
		{
			schema: { querystring: api.LedgerQuery, response: { 200: api.LedgerPage } },
			config: owner('listLedger', 'Every change of your credits, newest first'),
		},
		async (request) => {
			const { accountId } = await parts.auth.requireOwner(request)
			const { limit, cursor } = request.query
			const rows = await readLedger(parts.sql, accountId, { limit, before: cursor })
			return toPage(rows, limit, ({ amount, balance, at, ...row }) => ({
				...row,
				amount: toCredits(amount),
				balance: toCredits(balance),
				at: at.toISOString(),
			}))
		},
	)
}

async function viewAccount(parts: AccountParts, accountId: string) {
	const [account, held] = await Promise.all([
		findAccount(parts.sql, accountId),
		heldSlots(parts.sql, accountId),
	])
	if (!account) throw notFound()
	const { plan, paid, running_agents, retain_days, balance, created_at, disabled: _, ...rest } = account
	return {
		...rest,
		plan: { name: plan, running_agents, retain_days, paid },
		slots: {
			used: held.length,
			limit: running_agents,
			held: held.map((slot) => ({ ...slot, since: slot.since.toISOString() })),
		},
		credits: toCredits(balance),
		sends_mail: parts.config.SMTP_URL !== '',
		created_at: created_at.toISOString(),
	}
}

function tokenRoutes(app: App, parts: AccountParts): void {
	app.get(
		'/v1/tokens',
		{
			schema: { response: { 200: api.TokenList } },
			config: owner('listTokens', 'Your personal access tokens'),
		},
		async (request) => {
			const { accountId } = await parts.auth.requireOwner(request)
			return { data: (await listTokens(parts.sql, accountId)).map(viewToken) }
		},
	)
	app.post(
		'/v1/tokens',
		{
			schema: { body: api.CreateToken, response: { 201: api.IssuedToken } },
			config: owner('createToken', 'A personal access token; its value is shown once', ['conflict']),
		},
		async (request, reply) => {
			const caller = await parts.auth.requireOwner(request)
			refuseProgram(caller, 'make a personal access token')
			const { name, expires_at } = request.body
			requireFuture(expires_at)
			const { row, secret } = await issueToken(
				parts,
				caller.accountId,
				'personal',
				name,
				expires_at ? new Date(expires_at) : null,
			)
			return reply.code(201).send({ ...viewToken(row), token: secret })
		},
	)
	app.delete(
		'/v1/tokens/:id',
		{
			schema: { params: z.object({ id: z.string() }), response: { 204: z.undefined() } },
			config: owner('revokeToken', 'Revoke it, on every host within a second'),
		},
		async (request, reply) => {
			const { accountId } = await parts.auth.requireOwner(request)
			if (!(await revokeToken(parts, accountId, request.params.id, 'personal')))
				throw notFound('There is no such token.')
			return reply.code(204).send()
		},
	)
}

function viewToken({ id, name, created_at, expires_at, last_used_at }: TokenRow) {
	return {
		id,
		name,
		created_at: created_at.toISOString(),
		expires_at: expires_at?.toISOString() ?? null,
		last_used_at: last_used_at?.toISOString() ?? null,
	}
}
