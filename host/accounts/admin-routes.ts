import { z } from 'zod'
import { Plan } from '../api/account.ts'
import * as api from '../api/admin.ts'
import { NoBody } from '../api/common.ts'
import { type AccountRow, findAccount, issueToken, noteAbout, refuseProgram } from '../auth/index.ts'
import { notFound, Problem } from '../http/errors.ts'
import { operator } from '../http/operation.ts'
import { toPage } from '../http/page.ts'
import type { App } from '../http/route.ts'
import { changeAccount, createAccount, listAccounts } from './accounts.ts'
import { changeBalances, toCredits, unitsPerCredit } from './ledger.ts'
import type { AccountParts } from './parts.ts'
import { listPlans, putPlan } from './plans.ts'

const byId = z.object({ id: z.string() })

/** `/v1/admin`: accounts and plans. The guard's switches are the guard's. */
export function adminRoutes(app: App, parts: AccountParts): void {
	app.get(
		'/v1/admin/accounts',
		{
			schema: { querystring: api.AdminAccountQuery, response: { 200: api.AdminAccountPage } },
			config: operator('listAccounts', 'Accounts, newest first'),
		},
		async (request) => {
			await parts.auth.requireOperator(request)
			const { limit, cursor, email } = request.query
			return toPage(await listAccounts(parts.sql, { limit, before: cursor, email }), limit, view)
		},
	)
	app.get(
		'/v1/admin/accounts/:id',
		{
			schema: { params: byId, response: { 200: api.AdminAccount } },
			config: operator('getAccountAsOperator', 'One account'),
		},
		async (request) => {
			await parts.auth.requireOperator(request)
			return view(required(await findAccount(parts.sql, request.params.id)))
		},
	)
	app.post(
		'/v1/admin/accounts',
		{
			schema: { body: api.CreateAccount, response: { 201: api.CreatedAccount } },
			config: operator('createAccount', 'Make an account', ['conflict']),
		},
		async (request, reply) => {
			const caller = await parts.auth.requireOperator(request)
			const { token, ...wanted } = request.body
			if (wanted.operator) refuseProgram(caller, 'make an operator')
			const account = await createAccount(parts.sql, wanted)
			noteAbout(request, account.id)
			const issued = token ? await issueToken(parts, account.id, 'personal', 'made with the account') : null
			const link = wanted.password === undefined ? await signInLink(parts, account.id) : null
			return reply.code(201).send({
				...view(account),
				...(issued && { token: issued.secret }),
				...(link && { sign_in_link: link.sign_in_link }),
			})
		},
	)
	changeRoutes(app, parts)
	planRoutes(app, parts)
}

function changeRoutes(app: App, parts: AccountParts): void {
	app.patch(
		'/v1/admin/accounts/:id',
		{
			schema: { params: byId, body: api.ChangeAccount, response: { 200: api.ChangedAdminAccount } },
			config: operator(
				'changeAccount',
				'Change plan, flags or password; a password ends its browser sessions, disabling stops what it runs',
				['conflict'],
			),
		},
		async (request) => {
			const caller = await parts.auth.requireOperator(request)
			const { id } = request.params
			if (request.body.password !== undefined) refuseProgram(caller, 'set a password')
			if (request.body.operator) refuseProgram(caller, 'make an operator')
			const account = required(await changeAccount(parts, id, request.body))
			if (request.body.disabled) await parts.stopAccount(id)
			return view(account)
		},
	)
	app.post(
		'/v1/admin/accounts/:id/credits',
		{
			schema: { params: byId, body: api.ChangeCredits, response: { 200: api.AdminAccount } },
			config: operator('changeCredits', 'Give credits, or with a minus take some', ['conflict']),
		},
		async (request) => {
			await parts.auth.requireOperator(request)
			const { credits, reason } = request.body
			const amount = Math.round(credits * unitsPerCredit)
			const accountId = request.params.id
			const [done] = await changeBalances(parts.sql, [{ accountId, amount, reason }])
			const { changed, balance } = required(done ?? null)
			if (!changed)
				throw new Problem(
					'conflict',
					`The balance is ${toCredits(balance)} credits; it cannot fall below zero.`,
				)
			return view(required(await findAccount(parts.sql, request.params.id)))
		},
	)
	app.post(
		'/v1/admin/accounts/:id/sign-in-link',
		{
			schema: { params: byId, body: NoBody, response: { 201: api.SignInLink } },
			config: operator('createSignInLink', 'A link that signs the account in once, within a day'),
		},
		async (request, reply) => {
			refuseProgram(await parts.auth.requireOperator(request), 'make a sign-in link')
			const account = required(await findAccount(parts.sql, request.params.id))
			return reply.code(201).send(await signInLink(parts, account.id))
		},
	)
}

function planRoutes(app: App, parts: AccountParts): void {
	app.get(
		'/v1/admin/plans',
		{ schema: { response: { 200: api.PlanList } }, config: operator('listPlans', 'Plans') },
		async (request) => {
			await parts.auth.requireOperator(request)
			return { data: await listPlans(parts.sql) }
		},
	)
	app.put(
		'/v1/admin/plans/:name',
		{
			schema: {
				params: z.object({ name: z.string().regex(/^[a-z][a-z0-9-]{0,31}$/) }),
				body: api.PutPlan,
				response: { 200: Plan },
			},
			config: operator('putPlan', 'Make or change a plan'),
		},
		async (request) => {
			await parts.auth.requireOperator(request)
			return putPlan(parts.sql, { name: request.params.name, ...request.body })
		},
	)
}

async function signInLink(parts: AccountParts, accountId: string) {
	const { secret, row } = await issueToken(parts, accountId, 'sign_in', 'by an operator')
	return {
		sign_in_link: `${parts.config.BASE_URL}/sign-in?link=${secret}`,
		expires_at: (row.expires_at as Date).toISOString(),
	}
}

function required<T>(found: T | null): T {
	if (found === null) throw notFound('There is no such account.')
	return found
}

function view({
	paid: _,
	running_agents: __,
	retain_days: ___,
	balance,
	created_at,
	...account
}: AccountRow) {
	return { ...account, credits: toCredits(balance), created_at: created_at.toISOString() }
}
