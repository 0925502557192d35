import { randomBytes } from 'node:crypto'
import { checkTarget, EgressError } from '../../runtime/egress/index.ts'
import type { RuntimeClient } from '../../runtime/supervisor/client.ts'
import type { Endpoint, EndpointWithSecret } from '../api/endpoints.ts'
import type { Sql } from '../db/index.ts'
import { Problem } from '../http/errors.ts'
import { newId } from '../lib/ids.ts'
import type { Config } from '../settings/config.ts'
import { type OwnSettings, ownListener } from './own.ts'
import { endpointColumns, giveUpPending, readEndpoints, requireEndpoint, viewEndpoint } from './store.ts'

export interface EndpointParts {
	config: Pick<Config, 'EGRESS_ALLOW' | OwnSettings>
	sql: Sql
	runtime: Pick<RuntimeClient, 'call'>
}

/** One letter of a delivery's id counts the endpoints of its event (host/runs/live/write.ts): never more than 32. */
const endpointsMax = 20
const secretBytes = 32

/** Standard Webhooks: `whsec_` and base64. Shown in this answer and in no other; kept wrapped under the master key. */
async function newSecret(runtime: EndpointParts['runtime']): Promise<{ secret: string; wrapped: string }> {
	const secret = `whsec_${randomBytes(secretBytes).toString('base64')}`
	const { wrapped } = await runtime.call('secret.wrap', { purpose: 'webhook', plaintext: secret })
	return { secret, wrapped }
}

/** The guard looks again at every call; here it tells the owner before the first. */
async function requireReachable(config: EndpointParts['config'], url: string): Promise<void> {
	await checkTarget(config.EGRESS_ALLOW, url, ownListener(config)).catch((error) => {
		if (!(error instanceof EgressError)) throw error
		const message = `${error.message}. Webhooks go to public addresses, or to those the operator lists in EGRESS_ALLOW, and never to this host itself.`
		throw new Problem('invalid_request', message, { errors: [{ path: '/url', message: error.message }] })
	})
}

export async function createEndpoint(
	parts: EndpointParts,
	deployment: string,
	{ url, events }: { url: string; events?: Endpoint['events'] | undefined },
): Promise<EndpointWithSecret> {
	await requireReachable(parts.config, url)
	const { secret, wrapped } = await newSecret(parts.runtime)
	return parts.sql.begin(async (tx) => {
		await tx`select id from deployments where id = ${deployment} for no key update`
		if ((await readEndpoints(tx, deployment)).length >= endpointsMax) {
			throw new Problem('conflict', `A deployment has at most ${endpointsMax} endpoints. Delete one first.`)
		}
		const id = newId('end')
		await tx`
			insert into endpoints (id, deployment_id, url, events, secret)
			values (${id}, ${deployment}, ${url}, ${events ?? null}, ${wrapped})`
		return { ...viewEndpoint(await requireEndpoint(tx, deployment, id)), secret }
	})
}

export async function patchEndpoint(
	parts: EndpointParts,
	deployment: string,
	id: string,
	patch: {
		url?: string | undefined
		events?: Endpoint['events'] | undefined
		disabled?: boolean | undefined
	},
): Promise<Endpoint> {
	const before = await requireEndpoint(parts.sql, deployment, id)
	if (patch.url !== undefined) await requireReachable(parts.config, patch.url)
	const { disabled = before.disabled_at !== null } = patch
	const { url = before.url, events = before.events } = patch
	const [row] = await parts.sql<(typeof before)[]>`
		update endpoints
		set url = ${url}, events = ${events},
			disabled_at = case when ${disabled} then coalesce(disabled_at, now()) end,
			disabled_reason = case when ${disabled} then coalesce(disabled_reason, 'Its owner disabled it.') end,
			failing_since = case when ${disabled} then failing_since end
		where id = ${id} returning ${endpointColumns(parts.sql)}`
	if (disabled) await giveUpPending(parts.sql, id)
	return viewEndpoint(row!)
}

/** For the overlap both secrets sign, so that receivers can be told one after the other. */
export async function rotateSecret(
	parts: EndpointParts,
	deployment: string,
	id: string,
	overlapSeconds: number,
): Promise<EndpointWithSecret> {
	await requireEndpoint(parts.sql, deployment, id)
	const { secret, wrapped } = await newSecret(parts.runtime)
	await parts.sql`
		update endpoints
		set previous_secret = secret, previous_secret_until = now() + make_interval(secs => ${overlapSeconds}),
			secret = ${wrapped}
		where id = ${id}`
	return { ...viewEndpoint(await requireEndpoint(parts.sql, deployment, id)), secret }
}

export async function deleteEndpoint(sql: Sql, deployment: string, id: string): Promise<void> {
	await requireEndpoint(sql, deployment, id)
	await sql`update endpoints set deleted_at = now() where id = ${id}`
	await giveUpPending(sql, id)
}
