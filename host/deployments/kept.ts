import type { KnownDeployment } from './known.ts'

/** Deployments in memory, by slug, within a number and a size: those used longest ago go first. */
export interface Kept {
	/** Counts as a use. */
	get(slug: string): KnownDeployment | undefined
	has(slug: string): boolean
	/** `rev` of what is kept; 0: nothing is. Not a use. */
	rev(slug: string): number
	set(deployment: KnownDeployment): void
	delete(slug: string): void
	clear(): void
	/** Forgets what was last used before then, by `performance.now()`. */
	forgetUnusedSince(before: number): void
}

interface Entry {
	deployment: KnownDeployment
	usedAt: number
}

export function keepDeployments({ max, maxBytes }: { max: number; maxBytes: number }): Kept {
	/** Least recently used first. */
	const entries = new Map<string, Entry>()
	let bytes = 0

	function remove(slug: string): void {
		const entry = entries.get(slug)
		if (!entry) return
		entries.delete(slug)
		bytes -= entry.deployment.bytes
	}

	return {
		get(slug) {
			const entry = entries.get(slug)
			if (!entry) return undefined
			entries.delete(slug)
			entries.set(slug, entry)
			entry.usedAt = performance.now()
			return entry.deployment
		},
		has: (slug) => entries.has(slug),
		rev: (slug) => entries.get(slug)?.deployment.rev ?? 0,
		set(deployment) {
			remove(deployment.slug)
			entries.set(deployment.slug, { deployment, usedAt: performance.now() })
			bytes += deployment.bytes
			for (const slug of entries.keys()) {
				if ((entries.size <= max && bytes <= maxBytes) || slug === deployment.slug) break
				remove(slug)
			}
		},
		delete: remove,
		clear() {
			entries.clear()
			bytes = 0
		},
		forgetUnusedSince(before) {
			for (const [slug, { usedAt }] of entries) {
				if (usedAt >= before) break
				remove(slug)
			}
		},
	}
}
