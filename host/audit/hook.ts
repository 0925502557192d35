import type { FastifyRequest } from 'fastify'
import { actorOf } from '../auth/index.ts'
import type { App } from '../http/route.ts'
import type { Audit } from './write.ts'

const changes = new Set(['POST', 'PUT', 'PATCH', 'DELETE'])
/** Callers of agents are not people: their calls are runs, which are kept by themselves. */
const people = new Set(['owner', 'operator', 'upload'])
/** Ids and names are shorter; what is longer is nothing of ours. */
const targetMaxLetters = 200

/** After each answer to a change of somebody known. A call of an agent costs a look at its route. */
export function auditHook(app: App, audit: Audit): void {
	app.addHook('onResponse', (request, reply, done) => {
		const { auth, operation, audited } = request.routeOptions.config ?? {}
		// Callers of agents first: they are most of all.
		if (auth === 'run_key') return done()
		const { actor, about, receipt } = actorOf(request)
		const changed = changes.has(request.method) && people.has(auth ?? '') && audited !== false
		const asked = actor?.operation ?? (changed ? operation : undefined)
		if (actor && asked !== undefined)
			audit.add({
				actor,
				account: about ?? (auth === 'operator' ? aboutAccount(request) : actor.account),
				operation: asked,
				target: { ...targetOf(request), ...receipt },
				status: reply.statusCode,
				request: request.id,
				address: request.ip,
			})
		done()
	})
}

/** An operator's change of an account is in that account's log. */
function aboutAccount({ routeOptions, params }: FastifyRequest): string | null {
	if (!routeOptions.url?.startsWith('/v1/admin/accounts/:id')) return null
	const { id } = params as { id?: unknown }
	return typeof id === 'string' ? id : null
}

/** A path of memory is its agent's text, and is left out. */
function targetOf({ params }: FastifyRequest): Record<string, string> {
	const named = Object.entries((params ?? {}) as Record<string, unknown>)
		.filter(([name]) => name !== '*')
		.map(([name, value]) => [name, String(value).slice(0, targetMaxLetters)])
	return Object.fromEntries(named)
}
