import { type Agent, compileSchema, type Validate } from '../../bundles/index.ts'
import type { DeploymentState, SealedCredential } from '../../runtime/index.ts'
import type { Host } from '../context.ts'
import type { DeploymentStateName } from '../db/index.ts'
import { Problem } from '../errors.ts'
import { deploymentUrl } from './address.ts'
import { needsOf } from './needs.ts'
import { finishAbandonedStops } from './stop.ts'

/**
 * What a run needs to know of its deployment, held in memory, so that a warm run reads nothing. It may be old by as long
 * as NOTIFY takes: whoever acts on it does so under the condition that `rev` is still this one, and refreshes if not.
 */
export interface KnownDeployment {
	id: string
	accountId: string
	name: string
	slug: string
	url: string
	state: DeploymentStateName
	rev: number
	version: number
	digest: string
	agent: Agent
	validate: Validate
	/** Why no run may begin though the deployment runs: a credential that is not there. */
	blocked: { code: 'credentials_missing' | 'connector_not_connected'; detail: string } | null
	/** For the runtime; null once erased. */
	runtime: DeploymentState | null
}

export interface KnownDeployments {
	/** By slug. Answers at once where it is known. */
	find(slug: string): KnownDeployment | null | Promise<KnownDeployment | null>
	/** Reads it anew; of many who ask at once, one reads. */
	refresh(slug: string): Promise<KnownDeployment | null>
	/** Tells the runtime what it must know before it begins a run; once a `rev`. */
	put(deployment: KnownDeployment): void
	/** The runtime keeps what it was told of it, running or not, until the answer is called. */
	hold(id: string): () => void
	/** After a change made here: the runtime knows it when this resolves; other hosts hear by NOTIFY. */
	changed(id: string): Promise<void>
	start(): Promise<void>
	stop(): Promise<void>
}

const knownMax = 2000

export function knowDeployments(host: Host): KnownDeployments {
	/** By slug, least recently used first. */
	const known = new Map<string, KnownDeployment>()
	const slugs = new Map<string, string>()
	const loading = new Map<string, Promise<KnownDeployment | null>>()
	/** The `rev` the runtime was told last. */
	const told = new Map<string, number>()
	const held = new Map<string, number>()
	let listening: { stop: () => Promise<void> } | null = null
	let sweeper: NodeJS.Timeout | undefined
	let sweeping: Promise<void> | null = null

	function keep(deployment: KnownDeployment): void {
		known.delete(deployment.slug)
		known.set(deployment.slug, deployment)
		slugs.set(deployment.id, deployment.slug)
		if (known.size <= knownMax) return
		const [slug, oldest] = known.entries().next().value as [string, KnownDeployment]
		known.delete(slug)
		slugs.delete(oldest.id)
	}

	function refresh(slug: string): Promise<KnownDeployment | null> {
		const under = loading.get(slug)
		if (under) return under
		const load = readDeployment(host, slug)
			.then((deployment) => {
				const held = known.get(slug)
				if (held && deployment && held.rev > deployment.rev) return held
				// Only if no change was announced since the read began.
				if (deployment && loading.get(slug) === load) keep(deployment)
				return deployment
			})
			.finally(() => {
				if (loading.get(slug) === load) loading.delete(slug)
			})
		loading.set(slug, load)
		return load
	}

	function put(deployment: KnownDeployment): void {
		if (!deployment.runtime || told.get(deployment.id) === deployment.rev) return
		told.set(deployment.id, deployment.rev)
		host.runtime.notify('deployment.put', deployment.runtime)
	}

	/** Reads what is held here and, if the runtime works with it, tells the runtime. */
	async function changed(id: string): Promise<void> {
		const slug = slugs.get(id)
		if (slug === undefined) return
		known.delete(slug)
		loading.delete(slug)
		if (!told.has(id)) return void slugs.delete(id)
		const deployment = await refresh(slug)
		if (deployment?.runtime && (works(deployment) || held.has(id))) put(deployment)
		else if (told.delete(id)) host.runtime.notify('deployment.drop', { deployment: id })
	}

	const onNotify = (id: string) => {
		changed(id).catch((error) =>
			host.log.error({ err: error, deployment: id }, 'a deployment was not read again'),
		)
	}
	/** What was said while nobody listened is unknown: read everything again as it is asked for. */
	const onListen = () => {
		known.clear()
		loading.clear()
		for (const id of told.keys()) onNotify(id)
	}

	function sweep(): void {
		sweeping ??= finishAbandonedStops(host)
			.catch((error) => host.log.error({ err: error }, 'an abandoned stop was not finished'))
			.finally(() => {
				sweeping = null
			})
	}

	return {
		find(slug) {
			const deployment = known.get(slug)
			if (!deployment) return refresh(slug)
			known.delete(slug)
			known.set(slug, deployment)
			return deployment
		},
		refresh,
		put,
		changed,
		hold(id) {
			held.set(id, (held.get(id) ?? 0) + 1)
			return () => {
				const left = (held.get(id) ?? 1) - 1
				if (left > 0) held.set(id, left)
				else held.delete(id)
			}
		},
		async start() {
			host.runtime.onRestart(() => told.clear())
			listening = await host.listen('deployments', onNotify, onListen)
			sweeper = setInterval(sweep, (host.config.HOST_LEASE_SECONDS * 1000) / 3)
		},
		async stop() {
			clearInterval(sweeper)
			await sweeping
			await listening?.stop()
		},
	}
}

const works = ({ state }: KnownDeployment) => state === 'running' || state === 'stopping'

interface Row {
	id: string
	account_id: string
	name: string
	state: DeploymentStateName
	rev: number
	version: number
	sealing_kid: string | null
	sealing_wrapped: string | null
	digest: string
	agent: Agent
	credentials: { name: string; version: number; state: string; jwe: string | null }[]
}

async function readDeployment(host: Host, slug: string): Promise<KnownDeployment | null> {
	const [row] = await host.sql<Row[]>`
		select d.id, d.account_id, d.name, d.state, d.rev, d.version, d.sealing_kid, d.sealing_wrapped, v.digest, v.agent,
			coalesce((select json_agg(json_build_object('name', c.name, 'version', c.version, 'state', c.state, 'jwe', c.jwe))
				from credentials c where c.deployment_id = d.id), '[]') as credentials
		from deployments d join versions v on v.deployment_id = d.id and v.version = d.version
		where d.slug = ${slug}`
	if (!row) return null
	const { sealing_kid: kid, sealing_wrapped: wrapped } = row
	const sealed = row.credentials.filter(
		(credential): credential is SealedCredential & { state: string } => credential.jwe !== null,
	)
	return {
		id: row.id,
		accountId: row.account_id,
		name: row.name,
		slug,
		url: deploymentUrl(host.config, slug),
		state: row.state,
		rev: row.rev,
		version: row.version,
		digest: row.digest,
		agent: row.agent,
		validate: compileSchema(row.agent.inputs),
		blocked: blockedBy(row.agent, row.credentials),
		runtime:
			kid && wrapped
				? {
						id: row.id,
						rev: row.rev,
						sealing: { kid, wrapped },
						credentials: sealed.map(({ name, version, jwe }) => ({ name, version, jwe })),
					}
				: null,
	}
}

/** A rejected key does not block: only its provider knows whether it works again. */
function blockedBy(agent: Agent, credentials: { name: string; state: string }[]): KnownDeployment['blocked'] {
	const lacking = needsOf(agent).filter(({ name }) => {
		const state = credentials.find((credential) => credential.name === name)?.state ?? 'missing'
		return state === 'missing' || state === 'needs_sign_in'
	})
	if (lacking.some(({ kind }) => kind === 'provider')) {
		return { code: 'credentials_missing', detail: 'The provider’s key is missing: seal and upload it.' }
	}
	const [connector] = lacking
	if (!connector) return null
	return {
		code: 'connector_not_connected',
		detail: `The connector ${connector.needed_by} has no valid sign-in. Connect it; nothing has been spent.`,
	}
}

/** For whoever is about to begin a run with it. */
export function requireUnblocked({ blocked }: KnownDeployment): void {
	if (blocked) throw new Problem(blocked.code, blocked.detail)
}
