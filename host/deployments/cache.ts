import type { FastifyBaseLogger } from 'fastify'
import type { RuntimeClient } from '../../runtime/supervisor/client.ts'
import type { Listen, Sql } from '../db/index.ts'
import type { Places } from '../places/index.ts'
import type { Config } from '../settings/config.ts'
import { keepDeployments } from './kept.ts'
import { type KnownDeployment, readKnown } from './known.ts'

/**
 * The deployments this host works with, kept in memory; each change anywhere is heard by NOTIFY. One that is idle for as
 * long as its sandbox would outlive its last run is forgotten here and in the runtime: then it costs no memory.
 */
export interface KnownDeployments {
	/** By slug. Answers at once where it is known. */
	find(slug: string): KnownDeployment | null | Promise<KnownDeployment | null>
	/** Reads it anew; of many who ask at once, one reads. */
	refresh(slug: string): Promise<KnownDeployment | null>
	/** Tells the runtime what it must know before it begins a run; each `rev` once, and never an older one. */
	put(deployment: KnownDeployment): void
	/** The runtime keeps what it was told of it, running or not, until the answer is called. */
	hold(id: string): () => void
	/** After a change made here: the runtime knows it when this resolves; other hosts hear by NOTIFY. */
	changed(id: string): Promise<void>
	/** `live`: the runs of this parts. What they run is not idle. */
	start(live: ReadonlyMap<string, { deployment: KnownDeployment }>): Promise<void>
	stop(): Promise<void>
}

interface CacheParts {
	config: Pick<Config, 'HOST_LEASE_SECONDS' | 'IDLE_STOP_SECONDS' | 'RETAIN_RUNS_DAYS'>
	sql: Sql
	listen: Listen
	log: FastifyBaseLogger
	runtime: Pick<RuntimeClient, 'notify' | 'onRestart'>
	places: Pick<Places, 'urlOf'>
}

const bounds = { max: 2000, maxBytes: 64 * 1024 * 1024 }
/** A refresh of a sign-in may outlive its run, and needs the deployment's key in the runtime to its end. */
const idleMinMs = 30_000

export function knowDeployments(
	parts: CacheParts,
	{ idleMs = Math.max(parts.config.IDLE_STOP_SECONDS * 1000, idleMinMs), ...limits }: Limits = {},
): KnownDeployments {
	const known = keepDeployments({ ...bounds, ...limits })
	/** Of those that are known here or in the runtime. */
	const slugs = new Map<string, string>()
	const loading = new Map<string, Promise<KnownDeployment | null>>()
	/** The `rev` the runtime was told last. */
	const told = new Map<string, number>()
	const held = new Map<string, number>()
	let listening: { stop: () => Promise<void> } | null = null
	let sweeper: NodeJS.Timeout | undefined

	function refresh(slug: string): Promise<KnownDeployment | null> {
		const under = loading.get(slug)
		if (under) return under
		const load = readKnown(parts, slug)
			.then((deployment) => {
				if (deployment && known.rev(slug) > deployment.rev) return known.get(slug) ?? deployment
				// Only if no change was announced since the read began.
				if (deployment && loading.get(slug) === load) {
					known.set(deployment)
					slugs.set(deployment.id, slug)
				}
				return deployment
			})
			.finally(() => {
				if (loading.get(slug) === load) loading.delete(slug)
			})
		loading.set(slug, load)
		return load
	}

	function put(deployment: KnownDeployment): void {
		if (!deployment.runtime || (told.get(deployment.id) ?? 0) >= deployment.rev) return
		told.set(deployment.id, deployment.rev)
		slugs.set(deployment.id, deployment.slug)
		parts.runtime.notify('deployment.put', deployment.runtime)
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
		else drop(id)
	}

	function drop(id: string): void {
		if (told.delete(id)) parts.runtime.notify('deployment.drop', { deployment: id })
	}

	function forgetIdle(live: Parameters<KnownDeployments['start']>[0]): void {
		const busy = new Set(held.keys())
		for (const { deployment } of live.values()) {
			busy.add(deployment.id)
			// It is idle from its end on.
			known.get(deployment.slug)
		}
		known.forgetUnusedSince(performance.now() - idleMs)
		for (const [id, slug] of slugs) {
			if (known.has(slug) || loading.has(slug) || busy.has(id)) continue
			slugs.delete(id)
			drop(id)
		}
	}

	const onNotify = (id: string) => {
		changed(id).catch((error) =>
			parts.log.error({ err: error, deployment: id }, 'a deployment was not read again'),
		)
	}
	/** What was said while nobody listened is unknown: read everything again as it is asked for. */
	const onListen = () => {
		known.clear()
		loading.clear()
		for (const id of told.keys()) onNotify(id)
	}

	return {
		find(slug) {
			return known.get(slug) ?? refresh(slug)
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
		async start(live) {
			parts.runtime.onRestart(() => told.clear())
			listening = await parts.listen('deployments', onNotify, onListen)
			sweeper = setInterval(() => forgetIdle(live), (parts.config.HOST_LEASE_SECONDS * 1000) / 3)
		},
		async stop() {
			clearInterval(sweeper)
			await listening?.stop()
		},
	}
}

/** What may be held, and for how long unused; tests set others. */
interface Limits {
	max?: number
	maxBytes?: number
	idleMs?: number
}

const works = ({ state }: KnownDeployment) => state === 'running' || state === 'stopping'
