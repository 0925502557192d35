import type { Host } from '../context.ts'
import { type KnownDeployment, readKnown } from './known.ts'
import { finishAbandonedStops } from './stop.ts'

/** The deployments this host works with, kept in memory; each change anywhere is heard by NOTIFY. */
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
		const load = readKnown(host, slug)
			.then((deployment) => {
				const kept = known.get(slug)
				if (kept && deployment && kept.rev > deployment.rev) return kept
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
		if (!deployment.runtime || (told.get(deployment.id) ?? 0) >= deployment.rev) return
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
