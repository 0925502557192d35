import type { FastifyReply, FastifyRequest } from 'fastify'
import { z } from 'zod'
import { type SessionParts, sessionAccount } from '../auth/index.ts'
import { notFound } from '../http/errors.ts'
import { anyone } from '../http/operation.ts'
import type { App } from '../http/route.ts'
import type { Places } from '../places/index.ts'
import type { Config } from '../settings/config.ts'
import { type ConsoleFile, consoleFiles } from './files.ts'
import { connectPolicy, contentSecurityPolicy } from './policy.ts'

export interface PageParts extends SessionParts {
	config: Pick<Config, 'BASE_URL'>
	places: Pick<Places, 'all'>
}

/** Every address of the console (host/console/app/pages.tsx); each can be reloaded and opened in a new tab. */
const addresses = [
	...['/deploy', '/failures', '/runs', '/runs/:run', '/agents/:agent', '/agents/:agent/:tab'],
	...['/approvals', '/hub', '/hub/:tab', '/admin', '/admin/:tab', '/docs', '/docs/:agent'],
]
const page = { undocumented: true as const }
/** Their names hold a digest of what is in them. */
const forever = 'public, max-age=31536000, immutable'

export function consoleRoutes(app: App, parts: PageParts): void {
	const policy = () => contentSecurityPolicy(parts.config, parts.places)
	app.get(
		'/',
		{
			config: {
				...anyone('showConsole', 'The console; 303 to the sign-in without a session', ['not_found']),
				media: 'text/html' as const,
				redirects: 'To the sign-in, without a session',
			},
		},
		async (request, reply) => {
			if (wantsJson(request)) throw notFound()
			return showConsole(parts, request, reply, policy())
		},
	)
	for (const address of addresses)
		app.get(address, { config: page }, (request, reply) => showConsole(parts, request, reply, policy()))
	const connect = connectPolicy(parts.config)
	app.get('/connect', { config: page }, (request, reply) => showConsole(parts, request, reply, connect))
	// Its address holds a one-time code, which is handed on to nobody: not to the sign-in, and not as a referrer.
	app.get('/connect/callback', { config: page }, (request, reply) => {
		const said = { after: '/', referrer: 'no-referrer' }
		return showConsole(parts, request, reply, connect, said)
	})
	app.get(
		'/console/assets/:name',
		{ schema: { params: z.object({ name: z.string() }) }, config: page },
		async (request, reply) => {
			const file = consoleFiles().assets.get(request.params.name)
			if (!file) throw notFound()
			return sendFile(request, reply, file)
		},
	)
	app.get(
		'/console/examples/:name',
		{ schema: { params: z.object({ name: z.string() }) }, config: page },
		async (request, reply) => {
			const bundle = consoleFiles().examples.get(request.params.name.replace(/\.agent$/, ''))
			if (!bundle) throw notFound()
			return reply.header('cache-control', 'no-cache').type('application/zip').send(bundle)
		},
	)
}

async function showConsole(
	parts: PageParts,
	request: FastifyRequest,
	reply: FastifyReply,
	policy: string,
	/** Where a sign-in goes on, and what the page's requests say of its address. */
	{ after, referrer } = { after: request.url, referrer: 'same-origin' },
): Promise<FastifyReply> {
	reply.header('cache-control', 'no-store')
	if (!(await sessionAccount(parts, request))) {
		const to = after === '/' ? '' : `?to=${encodeURIComponent(after)}`
		return reply.redirect(`/sign-in${to}`, 303)
	}
	return reply
		.type('text/html; charset=utf-8')
		.headers({
			'content-security-policy': policy,
			'referrer-policy': referrer,
			'cross-origin-opener-policy': 'same-origin',
		})
		.send(consoleFiles().document)
}

function sendFile(request: FastifyRequest, reply: FastifyReply, file: ConsoleFile): FastifyReply {
	const taken = String(request.headers['accept-encoding'] ?? '')
	const as = (['br', 'gzip'] as const).find((one) => file[one] && taken.includes(one))
	reply.headers({ 'cache-control': forever, vary: 'accept-encoding' }).type(file.type)
	if (as) reply.header('content-encoding', as)
	return reply.send((as && file[as]) ?? file.plain)
}

function wantsJson({ headers: { accept = '' } }: FastifyRequest): boolean {
	return /\bjson\b/.test(accept) && !accept.includes('text/html')
}
