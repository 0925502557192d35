import { z } from 'zod'
import * as api from '../api/account.ts'
import {
	consumeSignInLink,
	endSession,
	linkPage,
	pageForms,
	passwordPage,
	returnTo,
	signIn,
	startSession,
} from '../auth/index.ts'
import { sendPage } from '../http/html.ts'
import { anyone } from '../http/operation.ts'
import type { App } from '../http/route.ts'
import { changeAccount } from './accounts.ts'
import { openIdRoutes } from './openid/routes.ts'
import type { AccountParts } from './parts.ts'

const Link = z.object({ link: z.string().max(200) })
/** Anything that is not a path of this site is as good as none. */
const to = z.string().max(4_096).optional()
const password = z.string().max(200).default('')
const page = (...said: Parameters<typeof anyone>) => ({ ...anyone(...said), media: 'text/html' as const })
/** What the pages' own forms send. */
const form = { undocumented: true as const }
const passwordRule = 'A password has 12 characters or more.'

/** What a browser is shown before it is signed in. Plain pages that work without script. */
export function pageRoutes(app: App, parts: AccountParts): void {
	app.register(async (scope) => {
		const plain = scope as App
		pageForms(plain, parts.config.BASE_URL)
		linkRoutes(plain, parts)
		openIdRoutes(plain, parts)
		passwordRoutes(plain, parts)
		signOutRoute(plain, parts)
	})
}

/** The link is used by the form's POST: a mail scanner that follows links must not use it up. */
function linkRoutes(app: App, parts: AccountParts): void {
	app.get(
		'/sign-in',
		{
			schema: { querystring: Link.partial().extend({ to }) },
			config: page('showSignIn', 'The page that signs in'),
		},
		async (request, reply) => {
			const { link, to } = request.query
			return sendPage(reply, 200, link ? linkPage({ link }) : signInPage(parts, { to }))
		},
	)
	app.post(
		'/sign-in',
		{ schema: { body: Link.extend({ password }) }, config: form },
		async (request, reply) => {
			const { link, password } = request.body
			if (password !== '' && !api.password.safeParse(password).success) {
				return sendPage(reply, 422, linkPage({ link, fault: passwordRule }))
			}
			const accountId = await consumeSignInLink(parts, link)
			if (!accountId)
				return sendPage(reply, 401, linkPage({ fault: 'This link was used, or its day is over.' }))
			if (password !== '') await changeAccount(parts, accountId, { password })
			await startSession(parts, accountId, request, reply)
			return reply.redirect('/', 303)
		},
	)
}

function passwordRoutes(app: App, parts: AccountParts): void {
	const body = api.SignIn.extend({ to })
	app.post('/sign-in/password', { schema: { body }, config: form }, async (request, reply) => {
		const { to, ...given } = request.body
		const done = await signIn(parts, { ...given, address: request.ip, request })
		const again = (fault: string) => signInPage(parts, { email: given.email, to, fault })
		if (!done.ok) {
			if (done.reason === 'refused')
				return sendPage(reply, 401, again('E-mail address or password is not right.'))
			reply.header('retry-after', String(done.retryAfterSeconds))
			return sendPage(reply, 429, again('Too many failed sign-ins. Wait, then try again.'))
		}
		if (done.account.disabled) return sendPage(reply, 403, again('The account is disabled.'))
		await startSession(parts, done.account.id, request, reply)
		return reply.redirect(returnTo(parts.config.BASE_URL, to), 303)
	})
}

function signInPage(
	{ config }: AccountParts,
	shown: { email?: string; to?: string | undefined; fault?: string },
) {
	const openId = config.OIDC_ISSUER === '' ? undefined : config.OIDC_NAME
	return passwordPage({ ...shown, to: returnTo(config.BASE_URL, shown.to), openId })
}

function signOutRoute(app: App, parts: AccountParts): void {
	app.post('/sign-out', { config: form }, async (request, reply) => {
		await endSession(parts, request, reply)
		return reply.header('cache-control', 'no-store').redirect('/sign-in', 303)
	})
}
