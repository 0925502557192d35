import type { FastifyReply, FastifyRequest } from 'fastify'
import { z } from 'zod'
import { EgressError } from '../../../runtime/egress/index.ts'
import { passwordPage, refusedPage, returnTo, startSession } from '../../auth/index.ts'
import { sendPage } from '../../http/html.ts'
import type { App } from '../../http/route.ts'
import type { AccountParts } from '../parts.ts'
import { accountOf, type Refusal } from './account.ts'
import { keepPending, takePending } from './pending.ts'
import {
	callbackPath,
	type Identity,
	type OpenIdProvider,
	openProvider,
	UncheckedAnswer,
} from './provider.ts'

/** Pages of the way to the provider and back, not for programs. */
const page = { undocumented: true as const }
const longest = z.string().max(4_096)

/** `GET /sign-in/openid` and its callback, where the operator has named a provider. */
export function openIdRoutes(app: App, parts: AccountParts): void {
	const { config } = parts
	if (config.OIDC_ISSUER === '') return
	const provider = openProvider(config)
	app.addHook('onClose', provider.close)
	app.get(
		'/sign-in/openid',
		{ schema: { querystring: z.object({ to: longest.optional() }) }, config: page },
		async (request, reply) => {
			const to = returnTo(config.BASE_URL, request.query.to)
			const begun = await provider.begin().catch((error) => {
				parts.log.warn({ err: error }, 'the OpenID provider could not be asked')
				return null
			})
			if (!begun) {
				const fault = `${config.OIDC_NAME} cannot be reached just now. Try again, or sign in by password.`
				return sendPage(reply, 503, passwordPage({ to, fault, openId: config.OIDC_NAME }))
			}
			await keepPending(parts, reply, { checks: begun.checks, to })
			return reply.header('cache-control', 'no-store').redirect(begun.url.href, 303)
		},
	)
	app.get(
		callbackPath,
		{ schema: { querystring: z.record(z.string(), z.union([longest, z.array(longest)])) }, config: page },
		async (request, reply) => comeBack(parts, provider, request, reply),
	)
}

async function comeBack(
	parts: AccountParts,
	provider: OpenIdProvider,
	request: FastifyRequest,
	reply: FastifyReply,
): Promise<FastifyReply> {
	const { sql, config, log } = parts
	const pending = await takePending(parts, request, reply)
	if (!pending) return sendPage(reply, 400, refusedPage(expired))
	const { to, checks } = pending
	const query = new URLSearchParams(request.url.replace(/^[^?]*\??/, ''))
	const identity = await provider.finish(query, checks).catch((error: Error) => {
		log.warn({ err: error }, 'an answer of the OpenID provider was refused')
		return error
	})
	if (identity instanceof Error) {
		const { status, fault } = faultOf(identity, config.OIDC_NAME)
		return sendPage(reply, status, refusedPage(fault, to))
	}
	const mapped = await accountOf(sql, identity, config)
	if ('refused' in mapped) {
		log.info({ refused: mapped.refused }, 'a sign-in with the OpenID provider was refused')
		return sendPage(reply, 403, refusedPage(refusals(identity, config.OIDC_NAME)[mapped.refused], to))
	}
	const { account, made } = mapped
	log.info({ account: account.id, made }, 'signed in with the OpenID provider')
	await startSession(parts, account.id, request, reply)
	return reply.header('cache-control', 'no-store').redirect(to, 303)
}

const expired = 'This sign-in took over 10 minutes, was used, or belongs to another browser. Begin again.'

/** In words for the person; what the provider wrote is not shown. */
function faultOf(error: Error, name: string) {
	if (error.name === 'AuthorizationResponseError')
		return { status: 403, fault: `${name} did not sign you in.` }
	if (isAway(error instanceof UncheckedAnswer ? (error.cause as Error) : error))
		return { status: 503, fault: `${name} cannot be reached just now. Try again, or sign in by password.` }
	if (error instanceof UncheckedAnswer)
		return {
			status: 502,
			fault: `The answer of ${name} could not be checked. Begin again, or sign in by password. If it stays so, ask an operator: this host's log has the reason.`,
		}
	return { status: 400, fault: `The answer of ${name} does not belong to this sign-in. Begin again.` }
}

/** No connection, no answer in time, or one that says that it failed. */
function isAway(error: Error & { code?: unknown }): boolean {
	const { code, cause } = error
	if (code === 'OAUTH_TIMEOUT' || cause instanceof EgressError) return true
	return cause instanceof Response && cause.status >= 400
}

/** Said to the person whom the provider has just vouched for. */
const refusals = ({ email }: Identity, name: string): Record<Refusal, string> => ({
	subject: `${name} names you in a way that cannot be kept here. Ask an operator.`,
	unverified: `${name} does not vouch for your e-mail address. Verify it there, then begin again.`,
	address: `What ${name} gives as your e-mail address is none. Correct it there, then begin again.`,
	unknown: `No account here has the e-mail address ${email}. Ask an operator for one.`,
	domain: `E-mail addresses of the domain of ${email} get no account here. Ask an operator for one.`,
	other_subject: `The account of ${email} belongs to another person of ${name}. Ask an operator.`,
	disabled: 'The account is disabled.',
})
