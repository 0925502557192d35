import { createHmac, timingSafeEqual } from 'node:crypto'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type Provider from 'oidc-provider'
import type { ConnectorDeps } from '../deps.ts'
import type { GuardAccount } from '../platform.ts'
import { agentAsked } from './agents.ts'
import { epochTime } from './clock.ts'
import type { Keys } from './keys.ts'
import { consentPage, errorPage, type LoginPage, loginPage, pageHeaders } from './pages.ts'
import { digest } from './rows.ts'
import { accountScope } from './scopes.ts'

type Interaction = Awaited<ReturnType<Provider['interactionDetails']>>
interface Asked {
	Params: { uid: string }
	Querystring: { switch?: string }
	Body: Record<string, string>
}

const notYours = 'This agent is not there, or another account’s: only its owner can let an app run it.'
const formLimitBytes = 16 * 1024

/** Sign-in and consent. A page belongs to the browser that holds its cookie, a form to the page it came with. */
export async function interactionRoutes(
	app: FastifyInstance,
	{ agents, baseUrl, platform, sql, unavailable, log, otherSignIn }: ConnectorDeps,
	provider: () => Promise<Provider>,
	keys: Keys,
): Promise<void> {
	const origin = new URL(baseUrl).origin

	app.removeContentTypeParser('application/x-www-form-urlencoded')
	app.addContentTypeParser(
		'application/x-www-form-urlencoded',
		{ parseAs: 'string', bodyLimit: formLimitBytes },
		(_request, body, done) => done(null, Object.fromEntries(new URLSearchParams(body as string))),
	)
	app.setErrorHandler((error: { name: string; statusCode?: number }, request, reply) => {
		if (error.name === 'SessionNotFound')
			return html(reply.code(400), errorPage('This sign-in has expired, or belongs to another browser.'))
		const later = unavailable(error)
		if (later) {
			request.log.warn({ err: error }, 'sign-in page')
			reply.code(503).header('retry-after', String(later.retryAfterSeconds))
			return html(reply, errorPage(later.detail))
		}
		if ((error.statusCode ?? 500) >= 500) request.log.error({ err: error }, 'sign-in page')
		return html(reply.code(error.statusCode ?? 500), errorPage('Something went wrong.'))
	})

	app.get<Asked>('/interaction/:uid', async (request, reply) => {
		const interaction = await open(request, reply)
		const switching = request.query.switch !== undefined
		if (interaction.prompt.name === 'consent' && !switching) return showConsent(reply, interaction)
		// Signed in at the Platform already, and not asked to sign in anew: that will do.
		const chosen = sessionCounts(interaction) && !switching
		const account = chosen ? await platform.session(request.headers.cookie) : null
		if (account) return signedIn(request, reply, interaction, account)
		return showLogin(reply, interaction, { email: String(interaction.params.login_hint ?? '').slice(0, 254) })
	})

	app.post<Asked>('/interaction/:uid/login', async (request, reply) => {
		const interaction = await openForm(request, reply)
		if (!interaction) return reply
		const { password = '' } = request.body
		// No address holds NUL and no table can: the Platform is asked all the same, so that such a try counts as one.
		const email = (request.body.email ?? '').trim().replaceAll('\0', '\ufffd')
		const outcome = await platform.signIn({ email, password, address: request.ip })
		if (outcome.ok) return signedIn(request, reply, interaction, outcome.account)
		if (outcome.reason === 'throttled') {
			reply.code(429).header('retry-after', String(outcome.retryAfterSeconds))
			return showLogin(reply, interaction, { email, alarm: 'Too many tries. Wait a little, then try again.' })
		}
		reply.code(401)
		return showLogin(reply, interaction, { email, alarm: 'E-mail or password is wrong.' })
	})

	app.post<Asked>('/interaction/:uid/consent', async (request, reply) => {
		const interaction = await openForm(request, reply)
		if (!interaction) return reply
		if (interaction.prompt.name !== 'consent')
			return html(reply.code(400), errorPage('There is nothing to allow.'))
		if (request.body.decision !== 'allow') {
			return resume(request, reply, {
				error: 'access_denied',
				error_description: 'the person did not allow it',
			})
		}
		if ((await agentOf(interaction))?.name === null)
			return html(reply.code(403), errorPage(notYours, undefined, 'Berth'))
		const { Client, Grant } = await provider()
		const accountId = interaction.session?.accountId as string
		const clientId = interaction.params.client_id as string
		const grant = new Grant({ accountId, clientId })
		const asked = Object.entries(missingScopes(interaction))
		for (const [resource, scopes] of asked) grant.addResourceScope(resource, scopes.join(' '))
		const grantId = await grant.save()
		const program = {
			...{ grant: digest(grantId), name: (await Client.find(clientId))?.clientName ?? clientId, clientId },
			resource: asked.map(([resource]) => resource).join(' '),
			scopes: asked.flatMap(([, scopes]) => scopes).join(' '),
		}
		platform.noteProgram({ did: 'allowProgram', accountId, program, address: request.ip })
		return resume(request, reply, { consent: { grantId } })
	})

	async function open(request: FastifyRequest<Asked>, reply: FastifyReply): Promise<Interaction> {
		const interaction = await (await provider()).interactionDetails(request.raw, reply.raw)
		if (interaction.uid !== request.params.uid) throw Object.assign(new Error(), { name: 'SessionNotFound' })
		return interaction
	}

	/** Null, and answered: the form was not sent by the page that we gave this browser. */
	async function openForm(request: FastifyRequest<Asked>, reply: FastifyReply): Promise<Interaction | null> {
		const interaction = await open(request, reply)
		const { origin: from, 'sec-fetch-site': site } = request.headers
		const ours = (from === undefined || from === origin) && (site === undefined || site === 'same-origin')
		if (ours && sameText(request.body?.csrf ?? '', csrfToken(interaction.uid))) return interaction
		log.warn({ interaction: interaction.uid, from, site }, 'a form from elsewhere was refused')
		html(reply.code(403), errorPage('This form was not sent from the page it belongs to.'))
		return null
	}

	function csrfToken(uid: string): string {
		return createHmac('sha256', keys.cookie).update(`form ${uid}`).digest('base64url')
	}

	async function clientOf({ params }: Interaction) {
		const { Client } = await provider()
		const client = await Client.find(params.client_id as string)
		const redirect = new URL(params.redirect_uri as string)
		return { name: client?.clientName ?? redirect.host, redirect }
	}

	async function showLogin(
		reply: FastifyReply,
		interaction: Interaction,
		page: Pick<LoginPage, 'email' | 'alarm'>,
	) {
		const { uid } = interaction
		const { name, redirect } = await clientOf(interaction)
		const other = sessionCounts(interaction) &&
			otherSignIn && { name: otherSignIn.name, href: otherSignIn.href(`/interaction/${uid}`) }
		const more = { elsewhere: isElsewhere(interaction), ...(other ? { other } : {}) }
		return html(reply, loginPage({ uid, csrf: csrfToken(uid), clientName: name, ...page, ...more }), redirect)
	}

	/** An agent is named to its owner alone: before the sign-in its page says no more than any agent's. */
	const isElsewhere = ({ params }: Interaction) =>
		[params.resource].flat().some((asked) => asked === `${baseUrl}/v1` || agents?.isAddress(String(asked)))

	const agentOf = (interaction: Interaction) =>
		agentAsked(agents, Object.keys(missingScopes(interaction)), interaction.session?.accountId as string)

	async function showConsent(reply: FastifyReply, interaction: Interaction) {
		const { uid } = interaction
		const client = await clientOf(interaction)
		const [account] = await platform.accounts([interaction.session?.accountId as string])
		const scopes = Object.values(missingScopes(interaction)).flat()
		const agent = await agentOf(interaction)
		if (agent?.name === null)
			return html(reply.code(403), errorPage(notYours, `/interaction/${uid}?switch`, 'Berth'))
		const page = consentPage({
			uid,
			csrf: csrfToken(uid),
			clientName: client.name,
			redirect: client.redirect,
			scopes,
			email: account?.email ?? '',
			agent: agent?.name,
			metered: !account?.tester && !scopes.includes(accountScope) && !agent,
		})
		return html(reply, page, client.redirect)
	}

	async function signedIn(
		request: FastifyRequest,
		reply: FastifyReply,
		interaction: Interaction,
		account: GuardAccount,
	) {
		const before = interaction.session
		if (before && before.accountId !== account.id) {
			// The library would end the old session on a page of its own, which needs script. Nothing hangs on that
			// session but this sign-in, so it simply passes to the account now chosen.
			await sql`
				update guard_oauth
				set payload = ((payload::jsonb - 'authorizations') || jsonb_build_object('accountId', ${account.id}::text))::json
				where model = 'Session' and uid = ${before.uid}`
			before.accountId = account.id
			await interaction.save(interaction.exp - epochTime())
		}
		return resume(request, reply, { login: { accountId: account.id }, select_account: {} })
	}

	async function resume(
		request: FastifyRequest,
		reply: FastifyReply,
		result: Parameters<Provider['interactionResult']>[2],
	) {
		return reply.redirect(await (await provider()).interactionResult(request.raw, reply.raw, result), 303)
	}
}

function sessionCounts(interaction: Interaction): boolean {
	return interaction.prompt.reasons.includes('no_session') && !pendingPrompt(interaction)
}

/** Asked for by name (`prompt=login`, `prompt=select_account`): a session that is there already does not count. */
function pendingPrompt({ params }: Interaction): boolean {
	return /\b(login|select_account)\b/.test(String(params.prompt ?? ''))
}

function missingScopes({ prompt }: Interaction): Record<string, string[]> {
	return (prompt.details.missingResourceScopes ?? {}) as Record<string, string[]>
}

function sameText(a: string, b: string): boolean {
	const [left, right] = [Buffer.from(a), Buffer.from(b)]
	return left.length === right.length && timingSafeEqual(left, right)
}

function html(reply: FastifyReply, page: string, redirect?: URL) {
	return reply.headers(pageHeaders(redirect)).send(page)
}
