import { useLocation } from 'preact-iso'
import { hostNow } from './clock.ts'

/** What is chosen on a page stands in its address, so that it can be shared: read here, and changed without a step back. */
export function useFilters<K extends string>(): {
	of: Partial<Record<K, string>>
	set(changes: Partial<Record<K, string>>): void
} {
	const { path, query, route } = useLocation()
	return {
		of: query as Partial<Record<K, string>>,
		set(changes) {
			const all = new URLSearchParams(query)
			for (const [name, value] of Object.entries<string | undefined>(changes)) {
				if (value) all.set(name, value)
				else all.delete(name)
			}
			const text = all.toString()
			route(text === '' ? path : `${path}?${text}`, true)
		},
	}
}

const hour = 3_600_000
const spans: Record<string, number> = { '1h': hour, '24h': 24 * hour, '7d': 168 * hour, '30d': 720 * hour }

/** `24h`, or a time as the API takes it. Undefined: from the beginning. */
export function sinceTime(text: string | undefined, now = hostNow()): string | undefined {
	if (text === undefined) return undefined
	const span = spans[text]
	if (span !== undefined) return new Date(now - span).toISOString()
	const at = Date.parse(text)
	return Number.isNaN(at) ? undefined : new Date(at).toISOString()
}
