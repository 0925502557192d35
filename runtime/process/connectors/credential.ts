import { createScrubber, type Scrubber } from '../providers/index.ts'
import type { ConnectorTarget } from './types.ts'

/**
 * The token of one connection, and every token it was ever asked with: nothing that comes back may hold one. The
 * supplier is that of the newest run to use the connection; all of them answer for the same credential.
 */
export interface ConnectionCredential {
	supplier: Supplier
	/** Undefined where the connector has none. */
	token(refused?: string): Promise<string | undefined>
	answered(taken: boolean, token: string, sentAt: number, lacking?: string): void
	scrub<T>(value: T): T
}

/** Refreshed tokens of one connection that are still looked for. */
const MAX_WATCHED = 8

export type Supplier = Pick<ConnectorTarget, 'token' | 'answered'>

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
		answered(taken, token, sentAt, lacking) {
			void credential.supplier.answered?.(taken, token, sentAt, lacking)
		},
		scrub<T>(value: T): T {
			let clean = value
			for (const scrubber of watched.values()) clean = scrubber.json(clean)
			return clean
		},
	}
	return credential
}
