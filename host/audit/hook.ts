import type { FastifyContextConfig, FastifyRequest, preSerializationHookHandler } from 'fastify'
import { actorOf, noteReceipt, pageOperations } from '../auth/index.ts'
import type { App } from '../http/route.ts'
import type { Audit } from './write.ts'

const changes = new Set(['POST', 'PUT', 'PATCH', 'DELETE'])
/** Callers of agents are not people: their calls are runs, which are kept by themselves. */
const people = new Set(['owner', 'operator', 'upload'])
/** Ids and names are shorter; what is longer is nothing of ours. */
const targetMaxLetters = 200

/**
 * After each answer to a change of somebody known. A call of an agent costs a look at its route. Returns the operations
 * that are written down, which is all once the routes are there.
 */
export function auditHook(app: App, audit: Audit): ReadonlySet<string> {
	const operations = new Set<string>(pageOperations)
	app.addHook('onRoute', (route) => {
		const operation = changeOf(route.method, route.config)
		if (operation === undefined) return
		operations.add(operation)
		route.preSerialization = [...[route.preSerialization ?? []].flat(), noteMade]
	})
	app.addHook('onResponse', (request, reply, done) => {
		const { config } = request.routeOptions
		// Callers of agents first: they are most of all.
		if (config?.auth === 'run_key') return done()
		const { actor, about, receipt } = actorOf(request)
		const asked = actor?.operation ?? (isDry(request) ? undefined : changeOf(request.method, config))
		if (actor && asked !== undefined)
			audit.add({
				actor,
				account: about ?? (config?.auth === 'operator' ? aboutAccount(request) : actor.account),
				operation: asked,
				target: { ...targetOf(request), ...receipt },
				status: reply.statusCode,
				request: request.id,
				address: request.ip,
			})
		done()
	})
	return operations
}

/** The name of what changes something, and is asked for by people. */
function changeOf(method: string | string[], config: FastifyContextConfig = {}): string | undefined {
	const { auth, operation, audited } = config
	const changed = [method].flat().some((one) => changes.has(one)) && people.has(auth ?? '')
	return changed && audited !== false ? operation : undefined
}

/** It only says what would be wrong. */
const isDry = ({ query }: FastifyRequest) => (query as { dry_run?: unknown } | undefined)?.dry_run === 'true'

/** Of what a change made, its id: names are people's texts, and the log outlasts their erasure. */
const noteMade: preSerializationHookHandler = (request, reply, payload, done) => {
	const { id, version } = (payload ?? {}) as { id?: unknown; version?: unknown }
	const { id: named } = (request.params ?? {}) as { id?: unknown }
	if (reply.statusCode === 201 && typeof id === 'string') {
		const made = id === named ? typeof version === 'number' && { version } : { made: id }
		if (made) noteReceipt(request, made)
	}
	done(null, payload)
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
