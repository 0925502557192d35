import { z } from 'zod'
import * as api from '../api/account.ts'
import { NoBody } from '../api/common.ts'
import { ConsoleToken, SessionList } from '../api/sessions.ts'
import { Problem } from '../http/errors.ts'
import { anyone, owner } from '../http/operation.ts'
import type { App } from '../http/route.ts'
import { issueConsoleToken } from './console.ts'
import { requireSameOrigin } from './cookies.ts'
import type { Auth } from './open.ts'
import { endSession, type SessionParts, startSession } from './session.ts'
import { listSessions, revokeSession } from './sessions.ts'
import { signIn } from './sign-in.ts'
import { type Throttle, throttled } from './throttle.ts'

export interface SessionRouteParts extends SessionParts {
	auth: Pick<Auth, 'requireOwner' | 'grants'>
	throttle: Throttle
}

/** The console's sign-in by password, in JSON, and the token its page holds. */
export function sessionRoutes(app: App, parts: SessionRouteParts): void {
	app.post(
		'/v1/session',
		{
			schema: { body: api.SignIn, response: { 204: z.undefined() } },
			config: {
				...anyone('signIn', 'Sign in: sets the session cookie', [
					'unauthenticated',
					'forbidden',
					'rate_limited',
				]),
				idempotency: false,
			},
		},
		async (request, reply) => {
			requireSameOrigin(parts.config.BASE_URL, request)
			const done = await signIn(parts, { ...request.body, address: request.ip, request })
			if (!done.ok) throw refused(done)
			if (done.account.disabled) throw new Problem('forbidden', 'The account is disabled.')
			await startSession(parts, done.account.id, request, reply)
			return reply.code(204).send()
		},
	)
	app.delete(
		'/v1/session',
		{ schema: { response: { 204: z.undefined() } }, config: anyone('signOut', 'Sign out', ['forbidden']) },
		async (request, reply) => {
			requireSameOrigin(parts.config.BASE_URL, request)
			await endSession(parts, request, reply)
			return reply.code(204).send()
		},
	)
	app.post(
		'/v1/session/token',
		{
			schema: { body: NoBody, response: { 201: ConsoleToken } },
			config: {
				...owner('createConsoleToken', 'A token for the page that holds the session cookie, for 15 minutes'),
				// Each page has its own, and none is stored.
				idempotency: false,
				// Asked for again and again, it gives no more than its session has.
				audited: false,
			},
		},
		async (request, reply) => {
			const { token } = await parts.auth.requireOwner(request)
			if (token.kind !== 'session' || token.id === null)
				throw new Problem('forbidden', 'Only the session cookie gets a console token.')
			return reply.code(201).send(await issueConsoleToken(parts, token.id))
		},
	)
	app.get(
		'/v1/sessions',
		{
			schema: { response: { 200: SessionList } },
			config: owner('listSessions', 'Browsers, programs and MCP clients that are signed in to your account'),
		},
		async (request) => {
			const { sql, secrets, auth } = parts
			return {
				data: await listSessions({ sql, secrets, grants: auth.grants }, await auth.requireOwner(request)),
			}
		},
	)
	app.delete(
		'/v1/sessions/:id',
		{
			schema: { params: z.object({ id: z.string() }), response: { 204: z.undefined() } },
			config: owner('revokeSession', 'Sign one of them out, with all tokens that came from it'),
		},
		async (request, reply) => {
			const { sql, secrets, auth } = parts
			const { accountId } = await auth.requireOwner(request)
			await revokeSession({ sql, secrets, grants: auth.grants }, accountId, request.params.id)
			return reply.code(204).send()
		},
	)
}

function refused(done: { reason: 'refused' } | { reason: 'throttled'; retryAfterSeconds: number }): Problem {
	if (done.reason === 'refused')
		return new Problem('unauthenticated', 'E-mail address or password is not right.')
	return throttled(done.retryAfterSeconds)
}
