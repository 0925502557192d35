import { createScrubber, type Scrubber } from '../providers/index.ts'
import type { ConnectorTarget, Lack } from './types.ts'

/**
 * The token of one connection, and every token it was ever asked with: nothing that comes back may hold one. The
 * supplier is that of the newest run to use the connection; all of them answer for the same credential.
 */
export interface ConnectionCredential {
	supplier: Supplier
	/** Undefined where the connector has none. */
	token(refused?: string): Promise<string | undefined>
	answered(taken: boolean, token: string, sentAt: number): void
	lacks(token: string, scope: string): Promise<Lack>
	scrub<T>(value: T): T
}

/** Refreshed tokens of one connection that are still looked for. */
const MAX_WATCHED = 8

export type Supplier = Pick<ConnectorTarget, 'token' | 'answered' | 'lacks'>

export function createCredential(supplier: Supplier): ConnectionCredential {
	const watched = new Map<string, Scrubber>()
	const credential: ConnectionCredential = {
		supplier,
		async token(refused) {
			const value = await credential.supplier.token?.(refused)
			if (value === undefined || watched.has(value)) return value
			watched.set(value, createScrubber([value]))
			const [oldest] = watched.keys()
			if (watched.size > MAX_WATCHED) watched.delete(oldest as string)
			return value
		},
		answered(taken, token, sentAt) {
			void credential.supplier.answered?.(taken, token, sentAt)
		},
		async lacks(token, scope) {
			const known = await credential.supplier.lacks?.(token, scope)
			return known ?? (scope === '' ? 'unnamed' : 'lacks')
		},
		scrub<T>(value: T): T {
			let clean = value
			for (const scrubber of watched.values()) clean = scrubber.json(clean)
			return clean
		},
	}
	return credential
}
