import type { FastifyReply, FastifyRequest } from 'fastify'
import { z } from 'zod'
import * as api from '../api/account.ts'
import type { Host } from '../context.ts'
import { Problem } from '../errors.ts'
import type { App } from '../http.ts'
import { changeAccount } from './accounts.ts'
import { readSessionCookie, requireSameOrigin, writeSessionCookie } from './cookies.ts'
import { signIn } from './signIn.ts'
import { linkPage } from './signInPage.ts'
import { consumeSignInLink, issueToken, revokeToken, sessionSeconds } from './tokens.ts'

const formMaxBytes = 4_096
const Link = z.object({ link: z.string().max(200) })

/** The console's sign-in: by password (JSON), and by a one-time link (a plain page that works without script). */
export function sessionRoutes(app: App, host: Host): void {
	app.post(
		'/v1/session',
		{
			schema: { body: api.SignIn, response: { 204: z.undefined() } },
			config: { summary: 'Sign in: sets the session cookie', idempotency: false },
		},
		async (request, reply) => {
			requireSameOrigin(host.config.BASE_URL, request)
			const done = await signIn(host, { ...request.body, address: request.ip })
			if (!done.ok) throw refused(done)
			if (done.account.disabled) throw new Problem('forbidden', 'The account is disabled.')
			await startSession(host, done.account.id, request, reply)
			return reply.code(204).send()
		},
	)
	app.delete(
		'/v1/session',
		{ schema: { response: { 204: z.undefined() } }, config: { summary: 'Sign out' } },
		async (request, reply) => {
			requireSameOrigin(host.config.BASE_URL, request)
			const cookie = readSessionCookie(host.config.BASE_URL, request.headers.cookie)
			const subject = cookie ? await host.secrets.verify(cookie) : null
			if (subject?.kind === 'session') await revokeToken(host, subject.accountId, subject.id, 'session')
			reply.header('set-cookie', writeSessionCookie(host.config.BASE_URL, '', 0))
			return reply.code(204).send()
		},
	)
	app.register(async (plain) => linkRoutes(plain as App, host))
}

/** The link is used by the form's POST: a mail scanner that follows links must not use it up. */
function linkRoutes(app: App, host: Host): void {
	app.addContentTypeParser(
		'application/x-www-form-urlencoded',
		{ parseAs: 'string', bodyLimit: formMaxBytes },
		(_request, body, done) => done(null, Object.fromEntries(new URLSearchParams(body as string))),
	)
	app.get('/sign-in', { schema: { querystring: Link.partial() } }, async (request, reply) => {
		const { link } = request.query
		if (!link) return reply.redirect('/')
		return sendPage(reply, 200, linkPage({ link }))
	})
	app.post(
		'/sign-in',
		{ schema: { body: Link.extend({ password: z.string().max(200).default('') }) } },
		async (request, reply) => {
			requireSameOrigin(host.config.BASE_URL, request)
			const { link, password } = request.body
			if (password !== '' && !api.password.safeParse(password).success) {
				return sendPage(reply, 422, linkPage({ link, fault: 'A password has 12 characters or more.' }))
			}
			const accountId = await consumeSignInLink(host, link)
			if (!accountId)
				return sendPage(reply, 401, linkPage({ fault: 'This link was used, or its day is over.' }))
			if (password !== '') await changeAccount(host.sql, accountId, { password })
			await startSession(host, accountId, request, reply)
			return reply.redirect('/', 303)
		},
	)
}

async function startSession(
	host: Host,
	accountId: string,
	request: FastifyRequest,
	reply: FastifyReply,
): Promise<void> {
	const agent = String(request.headers['user-agent'] ?? '').slice(0, 100)
	const { secret } = await issueToken(host, accountId, 'session', agent)
	reply.header('set-cookie', writeSessionCookie(host.config.BASE_URL, secret, sessionSeconds))
}

function refused(done: { reason: 'refused' } | { reason: 'throttled'; retryAfterSeconds: number }): Problem {
	if (done.reason === 'refused')
		return new Problem('unauthenticated', 'E-mail address or password is not right.')
	return new Problem('rate_limited', 'Too many failed sign-ins. Wait, then try again.', {
		headers: { 'retry-after': String(done.retryAfterSeconds) },
	})
}

const pagePolicy = "default-src 'none'; style-src 'unsafe-inline'; form-action 'self'; frame-ancestors 'none'"

function sendPage(reply: FastifyReply, status: number, html: string): FastifyReply {
	return reply
		.code(status)
		.type('text/html; charset=utf-8')
		.headers({ 'cache-control': 'no-store', 'content-security-policy': pagePolicy })
		.send(html)
}
