import type { FastifyReply, FastifyRequest } from 'fastify'
import { z } from 'zod'
import type { App } from '../../http/route.ts'
import { deploymentUrl } from '../../places/index.ts'
import type { AgentRouteParts } from './parts.ts'

/** What a token for an agent's address holds, as the authorization server gives it. */
const agentScope = 'run'
const SLUG = /^[a-z0-9-]{1,100}$/
const document = '.well-known/oauth-protected-resource'

/**
 * How a client finds out where to sign in for an agent's MCP server (spec agent.mcp-oauth). It is the same for every
 * address, whether an agent is there or not.
 */
export function agentSignIn(app: App, { config, places }: Pick<AgentRouteParts, 'config' | 'places'>) {
	const resourceOf = (slug: string) => `${deploymentUrl(places.own, slug)}/mcp`
	// Below the host, as the standard puts it for a path, and below the deployment's address, which may be a host of its own.
	for (const path of [`/${document}/d/:slug/mcp`, `/d/:slug/${document}/mcp`])
		app.get(
			path,
			{
				schema: { params: z.object({ slug: z.string().regex(SLUG) }) },
				config: { undocumented: true },
			},
			(request, reply) =>
				reply.header('access-control-allow-origin', '*').send({
					resource: resourceOf(request.params.slug),
					authorization_servers: [config.BASE_URL],
					scopes_supported: [agentScope],
					bearer_methods_supported: ['header'],
				}),
		)
	return {
		/** Of every 401 at the MCP server's address, also one that came before its body was read. */
		challenge: async (request: FastifyRequest, reply: FastifyReply, payload: unknown) => {
			const { slug = '' } = request.params as { slug?: string }
			if (reply.statusCode !== 401 || !SLUG.test(slug)) return payload
			const parameters = {
				realm: 'OAuth',
				resource_metadata: `${deploymentUrl(places.own, slug)}/${document}/mcp`,
				scope: agentScope,
				...(request.headers.authorization !== undefined && { error: 'invalid_token' }),
			}
			const words = Object.entries(parameters).map(([name, value]) => `${name}="${value}"`)
			reply.header('www-authenticate', `Bearer ${words.join(', ')}`)
			return payload
		},
	}
}
